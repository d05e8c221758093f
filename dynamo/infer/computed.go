package infer

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/layout"
)

// lengthBefore is a number that stands before a value, with a word between or without:
// "s17:", "s24:string:".
var lengthBefore = regexp.MustCompile(`([0-9]+):([A-Za-z]+:)?$`)

// measured marks a length that stands before a value, v, in a text in which that is marked.
func measured(text, v string) string {
	before, after, ok := strings.Cut(text, openMark+"v"+openMark)
	if !ok {
		return text
	}
	at := lengthBefore.FindStringSubmatchIndex(before)
	if at == nil {
		return text
	}
	word := ""
	if at[4] >= 0 {
		word = before[at[4]:at[5]]
	}
	var name string
	switch before[at[2]:at[3]] {
	case strconv.Itoa(len(v)):
		name = "len:v"
	case strconv.Itoa(len(word) + len(v)):
		name = "len:" + word + "{v}"
	default:
		return text
	}
	return before[:at[2]] + openMark + name + openMark + before[at[3]:] + openMark + "v" + openMark + after
}

// digested are the texts, v in them, whose digests stand in keys: the name of a model,
// that of the attribute, and the value, with a separator between them.
func (s *Search) digested(k *kind, path string) []string {
	if !s.hashes {
		return nil
	}
	words := s.wordsOf(k, path)
	var forms []string
	for _, sep := range []string{"#", ":", "|", "/", "_", "-", "."} {
		for _, a := range words {
			forms = append(forms, a+sep+"{v}")
			for _, b := range words {
				forms = append(forms, a+sep+b+sep+"{v}")
			}
		}
	}
	some := spread(k.some(path), triedItems)
	return slices.DeleteFunc(forms, func(form string) bool {
		return !slices.ContainsFunc(some, func(a account) bool {
			return slices.ContainsFunc(spellingSteps, func(c chain) bool {
				return len(s.runs[digestOf(form, layout.Normalise(c, a.e.texts[path][0]))]) > 0
			})
		})
	})
}

func digestOf(form, v string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(form, "{v}", v)))
	return hex.EncodeToString(sum[:])
}

// wordsOf are the words that may stand for a kind of items and its attribute: those of
// the table and of their keys, what an attribute says of all of them, and its own name.
func (s *Search) wordsOf(k *kind, path string) []string {
	words := []string{path, s.own.Name}
	words = append(
		words,
		strings.FieldsFunc(k.pk+separators[:1]+k.sk,
			func(r rune) bool { return strings.ContainsRune(separators+"{}", r) })...)
	for name := range k.entries[0].texts {
		constant := k.entries[0].text(name)
		if constant != "" && !slices.ContainsFunc(k.entries, func(e *entry) bool { return e.text(name) != constant }) {
			words = append(words, constant)
		}
	}
	for _, w := range slices.Clone(words) {
		words = append(words, strings.ToLower(w), strings.ToUpper(w), strings.TrimSuffix(w, "s"))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" || len(w) > 24 || strings.ContainsAny(w, "{}") })
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), 24)]
}
