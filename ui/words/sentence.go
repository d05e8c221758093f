package words

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// AList writes "an a, a b or a c".
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

// Article is "a" or "an", by how a word sounds: a username, an uncle.
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

// Sentence gives a clause a capital letter and a full stop, unless it asks. A name at its
// beginning, of a host or a key, stays as it is written.
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

// Explain takes an error apart into the words of a state.
func Explain(err error) (kind, op, why, do string) {
	if known, ok := errors.AsType[*client.Error](err); ok {
		return string(known.Kind), known.Op, known.Why, known.Do
	}
	if kind := client.KindOf(err); kind == client.Cancelled { // before anything was asked
		return string(kind), "", "stopped before it was done", ""
	}
	return "failed", "", err.Error(), ""
}
