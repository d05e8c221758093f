package guess

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// ItemShape is a group of items whose keys have the same words.
type ItemShape struct {
	// Keys is the pattern of the keys: "ORDER#*/META". A word that few items have appears as *,
	// since it may be personal.
	Keys       string
	Items      int
	Attributes []AttributeCount // the most frequent first
	Example    attr.Key         // the key of one of the items
}

// AttributeCount has the number of items of a shape that have an attribute.
type AttributeCount struct {
	Name  string
	Items int
}

// Masked returns the example's key with all words masked, except the words that all keys of the shape have.
// The masked key shows nothing personal.
func (sh ItemShape) Masked() (hash, sort string) {
	words := sh.words()
	hash = Masked(sh.Example.Hash.Value.Display(), words)
	if sh.Example.Range.Name != "" {
		sort = Masked(sh.Example.Range.Value.Display(), words)
	}
	return hash, sort
}

// words lists the words that all keys of the shape have.
func (sh ItemShape) words() []string {
	return slices.DeleteFunc(strings.FieldsFunc(sh.Keys, IsKeyBreak), func(word string) bool { return word == "*" })
}

// IsKeyBreak reports whether a character divides a key into words.
func IsKeyBreak(r rune) bool { return strings.ContainsRune(layout.Separators+"/", r) }

// keyWords yields the words of a key, each with the separator after it.
func keyWords(key string) iter.Seq2[string, string] {
	return func(yield func(word, separator string) bool) {
		for {
			end := strings.IndexFunc(key, IsKeyBreak)
			if end < 0 {
				yield(key, "")
				return
			}
			if !yield(key[:end], key[end:end+1]) {
				return
			}
			key = key[end+1:]
		}
	}
}

// longestMasked is the largest length of a masked key, in characters. A longer key is cut off.
const longestMasked = 60

// Masked replaces each letter of a key by the letter a (a capital by A), each digit by 0, and each other character
// beyond ASCII by a. It keeps the given words: all keys of a kind have them, so they identify nobody.
func Masked(key string, words []string) string {
	var b strings.Builder
	for word, separator := range keyWords(key) {
		if !slices.Contains(words, word) {
			word = strings.Map(masked, word)
		}
		b.WriteString(word + separator)
	}
	if text := []rune(b.String()); len(text) > longestMasked {
		return string(text[:longestMasked]) + "…"
	}
	return b.String()
}

func masked(r rune) rune {
	switch {
	case r >= '0' && r <= '9':
		return '0'
	case unicode.IsUpper(r):
		return 'A'
	case r > unicode.MaxASCII || unicode.IsLetter(r):
		return 'a'
	}
	return r
}

// ItemShapes groups items by the common words of their keys, the most frequent shape first.
func ItemShapes(s attr.Schema, items []attr.Item) (all []ItemShape) {
	var entries []*entry
	for _, item := range items {
		if k, ok := s.KeyOf(item); ok {
			entries = append(entries, &entry{item: item, key: k, hash: keyText(k.Hash.Value), sort: keyText(k.Range.Value)})
		}
	}
	for _, of := range shapes(entries) {
		sh := ItemShape{
			Keys: of.hash, Items: len(of.entries), Example: of.entries[0].key,
		}
		switch {
		case s.RangeName == "":
		case of.sort == "=":
			sh.Keys += "/" + of.hash
		default:
			sh.Keys += "/" + of.sort
		}
		counts := map[string]int{}
		for _, e := range of.entries {
			for name := range e.item {
				if !s.IsKey(name) {
					counts[name]++
				}
			}
		}
		for _, name := range sortedKeys(counts) {
			sh.Attributes = append(sh.Attributes, AttributeCount{name, counts[name]})
		}
		slices.SortStableFunc(sh.Attributes, func(a, b AttributeCount) int { return cmp.Compare(b.Items, a.Items) })
		all = append(all, sh)
	}
	slices.SortStableFunc(all, func(a, b ItemShape) int { return cmp.Compare(b.Items, a.Items) })
	return all
}
