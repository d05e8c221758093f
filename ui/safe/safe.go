// Package safe makes untrusted text safe for a terminal. Table values, file names, arguments and
// error messages pass through it before they reach a screen, a stream or a window title. Characters
// that could steer the terminal, or that are invisible, become visible escapes.
package safe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks limits the combining marks on one letter. Scripts with stacked marks need up to
// four. More marks would cover other rows.
const maxMarks = 4

// Span is a part of the escaped text, by byte offsets.
type Span struct{ From, To int }

// Text makes s safe to print on one line. Control, format, bidirectional, invisible and unassigned
// characters and bytes that are not UTF-8 become escapes such as \x1b, \u202e and \xff; everything
// else stays. Safe text comes back unchanged, so Text(Text(s)) is Text(s).
func Text(s string) string {
	if harmless(s) {
		return s
	}
	out, _ := escape(s, visible)
	return out
}

// Repeats reports whether a typed text repeats want, exactly or as Text or ASCII shows it. Nobody can type a control or
// an invisible character.
func Repeats(typed, want string) bool {
	ascii, _ := ASCII(want)
	return typed == want || typed == Text(want) || typed == ascii
}

// Spans is Text, and also returns the places of the escapes in the result, in order, so that a
// screen can colour them.
func Spans(s string) (string, []Span) {
	if harmless(s) {
		return s, nil
	}
	return escape(s, visible)
}

// ASCII is Spans for a terminal that shows only ASCII: all other characters become escapes, too.
func ASCII(s string) (string, []Span) {
	return escape(s, func(r rune) bool { return r >= ' ' && r <= '~' })
}

// Value is Spans for a value that a person compares by eye. It shows spaces at the end as ·, since
// they would be invisible.
func Value(s string) (string, []Span) { return ended(s, Spans, "·") }

// ASCIIValue is Value for a terminal that shows ASCII only.
func ASCIIValue(s string) (string, []Span) { return ended(s, ASCII, `\x20`) }

// ended escapes s, and replaces each space at its end by the parameter space.
func ended(s string, of func(string) (string, []Span), space string) (string, []Span) {
	body := strings.TrimRight(s, " ")
	out, spans := of(body)
	for range len(s) - len(body) {
		spans = append(spans, Span{len(out), len(out) + len(space)})
		out += space
	}
	return out, spans
}

// harmless reports whether s needs no escape. Almost all text needs none, so this is checked first.
func harmless(s string) bool {
	for i := 0; i < len(s); {
		if s[i] >= ' ' && s[i] <= '~' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if (r == utf8.RuneError && size <= 1) || !visible(r) || unicode.Is(unicode.M, r) {
			return false
		}
		i += size
	}
	return true
}

// escape replaces characters that shown rejects, and combining marks above maxMarks.
func escape(s string, shown func(rune) bool) (string, []Span) {
	var (
		out   strings.Builder
		spans []Span
		marks = maxMarks // escapes a mark before the first letter, too
	)
	out.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		broken := r == utf8.RuneError && size == 1
		mark := !broken && unicode.Is(unicode.M, r)
		if !broken && shown(r) && (!mark || marks < maxMarks) {
			out.WriteString(s[i : i+size])
			if mark {
				marks++
			} else {
				marks = 0
			}
			i += size
			continue
		}
		from := out.Len()
		if broken {
			fmt.Fprintf(&out, `\x%02x`, s[i])
		} else {
			writeEscape(&out, r)
		}
		spans = append(spans, Span{from, out.Len()})
		marks = maxMarks // escapes a mark after an escape, too
		i += size
	}
	return out.String(), spans
}

// visible reports whether a character is visible, has a fixed width, and changes nothing around it.
func visible(r rune) bool {
	switch {
	case r >= ' ' && r <= '~':
		return true
	case !unicode.IsPrint(r): // controls, formats, separators, surrogates, private and unassigned
		return false
	case unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return false
	case r == '\u2800': // a braille cell without dots: it looks blank, but is not a space
		return false
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones: terminals disagree on the width of the joined character
		return false
	}
	return true
}

func writeEscape(out *strings.Builder, r rune) {
	switch {
	case r == '\n':
		out.WriteString(`\n`)
	case r == '\r':
		out.WriteString(`\r`)
	case r == '\t':
		out.WriteString(`\t`)
	case r < utf8.RuneSelf:
		fmt.Fprintf(out, `\x%02x`, r)
	case r <= 0xffff:
		fmt.Fprintf(out, `\u%04x`, r)
	default:
		fmt.Fprintf(out, `\U%08x`, r)
	}
}
