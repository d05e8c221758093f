// Package say puts what tallylock knows into signs, words and sentences: a verdict, a lock, a finding, the outcome of
// a change, a price, a refusal, a remedy. Each has a file of its name. All screens and commands use it, so that they
// use the same words. It draws with package kit, and reads no table.
package say

import (
	"net"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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

// Plural writes a number with its noun: "1 spelling", "2 spellings".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return phrase.Number(n) + " " + many
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

// ShortPlace removes the port from an address that does not fit into w cells.
func ShortPlace(w int, where string) string {
	if host, _, err := net.SplitHostPort(where); err == nil && kit.Width(where) > w {
		return host
	}
	return where
}

// patience is the duration from which the program calls a wait long.
const patience = 3 * time.Second

// Silent describes an endpoint that has not answered for a long time.
const Silent = "is slow, or does not answer"

// Silence says why a task takes long: DynamoDB throttles it, or the endpoint does not answer. where names the endpoint.
func Silence(where string, throttled bool) string {
	if throttled {
		return "throttled by DynamoDB; retrying"
	}
	return where + " " + Silent
}

// Waiting says what the program waits for, from which endpoint, and how to leave.
func Waiting(where, what, leave string, took time.Duration, throttled bool) string {
	if Long(took) {
		return Roughly(took) + " so far: " + Silence(where, throttled) + " · " + leave + " · " + what
	}
	return "Waiting for " + where + ": " + what + " · " + leave
}
