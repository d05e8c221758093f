package dynamo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// ItemShape is items whose keys have something in common.
type ItemShape struct {
	// Keys is that: "ORDER#*/META". A word that few items have is * in it: it may be
	// somebody's.
	Keys       string
	Items      int
	Attributes []AttributeCount // the commonest first
	Example    attr.Key         // of one of the items
	sameSort   bool             // as those of all others, of which there are some
}

// AttributeCount is how many items of a shape have an attribute.
type AttributeCount struct {
	Name  string
	Items int
}

// Masked is the example's key with no more of it than all keys of the shape have.
func (sh ItemShape) Masked() (hash, sort string) {
	words := sh.words()
	hash = Masked(sh.Example.Hash.Value.Display(), words)
	if sh.Example.Range.Name != "" {
		sort = Masked(sh.Example.Range.Value.Display(), words)
	}
	return hash, sort
}

// Templates are those of keys such as the shape's, with the first word that may be
// somebody's in the place of a variable: {id} of accounts, {v} of locks.
func (sh ItemShape) Templates(variable string) (pk, sk string) {
	hash, sort := sh.Example.Hash.Value.Display(), sh.Example.Range.Value.Display()
	words := sh.words()
	pk = templateOf(hash, variable, words)
	switch {
	case sh.Example.Range.Name == "":
	case hash == sort:
		sk = "{pk}"
	case sh.sameSort:
		sk = layout.Literal(sort)
	case strings.Contains(pk, "{"+variable+"}"):
		sk = templateOf(sort, "s", words)
	default:
		sk = templateOf(sort, variable, words)
	}
	return pk, sk
}

// words are those that all keys of the shape have.
func (sh ItemShape) words() []string {
	return slices.DeleteFunc(strings.FieldsFunc(sh.Keys, isSeparator), func(word string) bool { return word == "*" })
}

func isSeparator(r rune) bool { return strings.ContainsRune(layout.Separators+"/", r) }

// templateOf writes a key as a template. {v} takes all that follows; any other variable ends
// at a separator, and those after it are numbered.
func templateOf(key, variable string, words []string) string {
	var b strings.Builder
	for n := 1; ; {
		end := strings.IndexFunc(key, isSeparator)
		part := key
		if end >= 0 {
			part = key[:end]
		}
		switch {
		case part == "", slices.Contains(words, part):
			b.WriteString(strings.NewReplacer("{", "{{", "}", "}}").Replace(part))
		case variable == "v":
			return b.String() + "{v}"
		case n == 1:
			b.WriteString("{" + variable + "}")
			n++
		default:
			fmt.Fprintf(&b, "{%s%d}", variable, n)
			n++
		}
		if end < 0 {
			return b.String()
		}
		b.WriteByte(key[end])
		key = key[end+1:]
	}
}

// longestMasked is how much is shown of a masked key.
const longestMasked = 60

// Masked writes a for each letter of a key and 0 for each digit, but for words that
// are nobody's: those that all keys of a kind have.
func Masked(key string, words []string) string {
	var b strings.Builder
	part := func(text string) {
		if slices.Contains(words, text) {
			b.WriteString(text)
			return
		}
		for _, r := range text {
			switch {
			case r >= '0' && r <= '9':
				r = '0'
			case unicode.IsUpper(r):
				r = 'A'
			case r > unicode.MaxASCII || unicode.IsLetter(r):
				r = 'a'
			}
			b.WriteRune(r)
		}
	}
	for key != "" {
		end := strings.IndexFunc(key, isSeparator)
		if end < 0 {
			part(key)
			break
		}
		part(key[:end])
		b.WriteByte(key[end])
		key = key[end+1:]
	}
	if text := []rune(b.String()); len(text) > longestMasked {
		return string(text[:longestMasked]) + "…"
	}
	return b.String()
}

// shapesOf groups items by what their keys have in common, the commonest first.
func shapesOf(s attr.Schema, items []attr.Item) []ItemShape {
	var all []*shapedItem
	for _, item := range items {
		if k, ok := s.KeyOf(item); ok {
			all = append(all, &shapedItem{item, k, tokens(layout.ShapeOf(k))})
		}
	}
	hideWords(all, 0)
	byKeys, counts := map[string]*ItemShape{}, map[string]map[string]int{}
	for _, one := range all {
		keys := strings.Join(one.shape, "")
		if byKeys[keys] == nil {
			byKeys[keys], counts[keys] = &ItemShape{Keys: keys, Example: one.key}, map[string]int{}
		}
		sh := byKeys[keys]
		sh.sameSort = one.key.Range.Value.Equal(sh.Example.Range.Value) && (sh.sameSort || sh.Items < 2)
		sh.Items++
		for _, name := range one.item.Names() {
			if !s.IsKey(name) {
				counts[keys][name]++
			}
		}
	}
	var shapes []ItemShape
	for _, keys := range slices.Sorted(maps.Keys(byKeys)) {
		sh := byKeys[keys]
		sh.sameSort = sh.sameSort && sh.Items > 1
		for _, name := range slices.Sorted(maps.Keys(counts[keys])) {
			sh.Attributes = append(sh.Attributes, AttributeCount{name, counts[keys][name]})
		}
		slices.SortStableFunc(sh.Attributes, func(a, b AttributeCount) int { return cmp.Compare(b.Items, a.Items) })
		shapes = append(shapes, *sh)
	}
	slices.SortStableFunc(shapes, func(a, b ItemShape) int { return cmp.Compare(b.Items, a.Items) })
	return shapes
}

type shapedItem struct {
	item  attr.Item
	key   attr.Key
	shape []string // words, and the separators between them
}

func tokens(shape string) (all []string) {
	for shape != "" {
		end := strings.IndexAny(shape, layout.Separators+"/")
		switch {
		case end < 0:
			return append(all, shape)
		case end > 0:
			all = append(all, shape[:end])
		}
		all, shape = append(all, shape[end:end+1]), shape[end+1:]
	}
	return all
}

// fewItems are too few for their number to tell words from values.
const fewItems = 8

// hideWords puts * for the words at one place of shapes that begin alike, where there are
// so many of them that they may be somebody's: a handle may be capital letters alone.
func hideWords(group []*shapedItem, at int) {
	counts := map[string]int{}
	for _, one := range group {
		if at < len(one.shape) {
			counts[one.shape[at]]++
		}
	}
	next := map[string][]*shapedItem{}
	for _, one := range group {
		if at >= len(one.shape) {
			continue
		}
		word := &one.shape[at]
		n, few := counts[*word], len(counts) == 1 || 4*len(counts) <= len(group)
		if !strings.Contains(layout.Separators+"/", *word) && !(n > 1 && (at == 0 || few)) &&
			!(at == 0 && len(group) < fewItems) {
			*word = "*"
		}
		next[*word] = append(next[*word], one)
	}
	for _, begun := range next {
		hideWords(begun, at+1)
	}
}
