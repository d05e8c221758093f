package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
)

// sentence makes a sentence, or a question, of words that were written to stand within one.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}

func clock(t time.Time) string { return t.Format("15:04:05") }

// units writes capacity units: "1 read unit", "13.5 read units".
func units(n float64, what string) string {
	text := fmt.Sprintf("%.1f", n)
	text = strings.TrimSuffix(text, ".0")
	if whole, tenths, split := strings.Cut(text, "."); split {
		text = phrase.Group(whole) + "." + tenths
	} else {
		text = phrase.Group(whole)
	}
	if text == "1" {
		return "1 " + what + " unit"
	}
	return text + " " + what + " units"
}

// sign is how a verdict is shown: a glyph, a word and a colour.
type sign struct {
	ink   ink
	glyph string
	word  string
}

// signOf is the sign of a verdict. A question mark stands where the evidence can
// still be overtaken.
func signOf(v dynamo.Verdict, word string, provisional bool) sign {
	s := sign{warn, "?", word}
	switch v {
	case dynamo.Held, dynamo.InUse:
		s.ink, s.glyph = good, "●"
	case dynamo.Orphaned:
		s.ink, s.glyph = bad, "✗"
	case dynamo.Stale:
		s.glyph = "◐"
	case dynamo.Foreign:
		s.ink, s.glyph = other, "◆"
	case dynamo.Duplicate:
		s.ink, s.glyph = bad, "="
	case dynamo.Malformed:
		s.glyph = "!"
	case dynamo.Missing:
		s.glyph = "○"
	case dynamo.Reserved:
		s.ink, s.glyph = accent, "◌"
	case dynamo.Free:
		s.ink, s.glyph = accent, "□"
	}
	if provisional {
		s.word += "?"
	}
	return s
}
