package say

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// AList writes "an a, a b or a c". last is the word before the last item.
func AList(words []string, last string) string {
	words = slices.Clone(words)
	for n, w := range words {
		words[n] = Article(w) + " " + w
	}
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// Article returns "a" or "an", by the sound of the word: a username, an uncle.
func Article(word string) string {
	word = strings.ToLower(word)
	for _, you := range [...]string{"eu", "uni", "ur", "us", "ut", "uu"} {
		if strings.HasPrefix(word, you) {
			return "a"
		}
	}
	if word != "" && strings.Contains("aeiou", word[:1]) {
		return "an"
	}
	return "a"
}

// Plural writes a number and what it counts: "1 spelling", "2 spellings".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return phrase.Group(fmt.Sprint(n)) + " " + many
}

// Sentence makes a clause a sentence: it adds a capital and a full stop. A question gets no full
// stop. If the first word is the name of a host or a key, it gets no capital.
func Sentence(s string) string {
	s = strings.TrimSuffix(s, ".")
	if s == "" {
		return s
	}
	first, _, _ := strings.Cut(s, " ")
	if !strings.ContainsAny(first, ".:#/_-0123456789") && s[0] < utf8.RuneSelf {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// Explain splits an error into its kind, the operation, the reason, and what to do.
func Explain(err error) (kind, op, why, do string) {
	if known, ok := errors.AsType[*client.Error](err); ok {
		return string(known.Kind), known.Op, known.Why, cmp.Or(known.Do, Do(known.Remedy))
	}
	if kind := client.KindOf(err); kind == client.Cancelled { // cancelled before the first request
		return string(kind), "", "stopped before it was done", ""
	}
	return "failed", "", Error(err), ""
}

// PrettyJSON formats JSON for people. A value that fits into w cells is on one line.
func PrettyJSON(data []byte, w int) string {
	var b strings.Builder
	layOut(&b, data, 0, w)
	return b.String()
}

// layOut writes one JSON value. Its first line begins at column col.
func layOut(b *strings.Builder, data []byte, col, w int) {
	var flat bytes.Buffer
	if err := json.Compact(&flat, data); err != nil {
		b.Write(data)
		return
	}
	data = flat.Bytes()
	if col+len(data) <= w || len(data) < 3 || (data[0] != '{' && data[0] != '[') {
		b.Write(data)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token() // the opening bracket or brace
	indent := strings.Repeat(" ", col+2)
	b.WriteByte(data[0])
	for first := true; dec.More(); first = false {
		if !first {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent)
		at := len(indent)
		if data[0] == '{' {
			from := dec.InputOffset()
			if _, err := dec.Token(); err != nil {
				return
			}
			name := bytes.TrimPrefix(data[from:dec.InputOffset()], []byte(","))
			b.Write(name)
			b.WriteString(": ")
			at += len(name) + 2
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		if at+len(value) > w {
			at = len(indent)
		}
		layOut(b, value, at, w)
	}
	b.WriteString("\n" + strings.Repeat(" ", col))
	b.WriteByte(data[len(data)-1])
}

// ShortPlace removes the port from an address that does not fit into w cells.
func ShortPlace(w int, where string) string {
	if host, _, err := net.SplitHostPort(where); err == nil && kit.Width(where) > w {
		return host
	}
	return where
}

// patience is how long a wait may last before the program calls it long.
const patience = 3 * time.Second

// Long reports whether a wait is long.
func Long(took time.Duration) bool { return took >= patience }

// Silent describes an endpoint that has not answered for a long time.
const Silent = "is slow, or does not answer"

// Waiting says what the program waits for, from which endpoint, and how to leave.
func Waiting(where, what, leave string, took time.Duration) string {
	if Long(took) {
		return Roughly(took) + " so far: " + where + " " + Silent + " · " + leave + " · " + what
	}
	return "Waiting for " + where + ": " + what + " · " + leave
}

// These patterns match what a report must not reveal about an AWS account: its number, its keys,
// and the names of sessions. accountIDs also matches whole table ids, so that it does not take
// twelve digits at their end for an account.
var (
	accountIDs = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b\d{12}\b`)
	accessKeys = regexp.MustCompile(`\b(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}`)
	sessions   = regexp.MustCompile(`(assumed-role/[^/\s]+|:user)/[^\s,;:)]+`)
)

// Masked removes the details of AWS accounts and of this machine from a text for a report. It does
// not know the values of tables.
func Masked(text string) string {
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		text = strings.ReplaceAll(text, home, "~")
	}
	text = sessions.ReplaceAllString(text, "$1/***")
	text = accessKeys.ReplaceAllString(text, "$1***")
	return accountIDs.ReplaceAllStringFunc(text, func(id string) string {
		if strings.Contains(id, "-") {
			return id
		}
		return "************"
	})
}
