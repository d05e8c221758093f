package guess

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// separators are the characters that nearly all layouts put between the parts of a key.
// Values and ids seldom begin or end with others.
const separators = "#:/|"

// A part of a key is a word of the layout, and not somebody's id or value, where few
// words stand for many items. The share is that of the words among the items.
const (
	wordShare    = 4
	enoughToTell = 8 // items
)

// shape is entries whose keys have the same words at the same places, * in the place of
// all else.
type shape struct {
	hash, sort string
	entries    []*entry
	kind       *kind // nil where nothing tells them apart, or nobody has asked
}

// Shape is items whose keys have something in common.
type Shape struct {
	// Keys is that: "ORDER#*/META". A word that few items have is * in it: it may be
	// somebody's.
	Keys  string
	Items []attr.Item
}

// Shapes groups items by what their keys have in common, the commonest first, each in the order
// in which they were read.
func Shapes(s attr.Schema, items []attr.Item) []Shape {
	var entries []*entry
	read := map[*entry]int{}
	for n, item := range items {
		if k, ok := s.KeyOf(item); ok {
			e := &entry{item: item, hash: keyText(k.Hash.Value), sort: keyText(k.Range.Value)}
			entries, read[e] = append(entries, e), n
		}
	}
	var all []Shape
	for _, sh := range shapes(entries) {
		one := Shape{Keys: sh.hash}
		switch {
		case s.RangeName == "":
		case sh.sort == "=":
			one.Keys += "/" + sh.hash
		default:
			one.Keys += "/" + sh.sort
		}
		slices.SortFunc(sh.entries, func(a, b *entry) int { return cmp.Compare(read[a], read[b]) })
		for _, e := range sh.entries {
			one.Items = append(one.Items, e.item)
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Shape) int { return cmp.Compare(len(b.Items), len(a.Items)) })
	return all
}

// keyText is a key as text; binary keys have no words.
func keyText(v attr.Value) string {
	if v.Kind == attr.B {
		return "*"
	}
	return v.Text
}

// attributes are those that most of the shape's items have.
func (s shape) attributes() string {
	counts := map[string]int{}
	for _, e := range s.entries {
		for path := range e.texts {
			counts[path]++
		}
	}
	names := ""
	for _, path := range sortedKeys(counts) {
		if 2*counts[path] > len(s.entries) {
			names += path + "\x00"
		}
	}
	return names
}

func shapes(all []*entry) []shape {
	byHash := map[string][]*entry{}
	skeletons(all, func(e *entry) string { return e.hash }, func(e *entry, skeleton string) {
		byHash[skeleton] = append(byHash[skeleton], e)
	})
	groups := map[string][]*entry{}
	for hash, of := range byHash {
		skeletons(of, func(e *entry) string { return e.sort }, func(e *entry, skeleton string) {
			if e.sort == e.hash {
				skeleton = "="
			}
			groups[hash+"\x00"+skeleton] = append(groups[hash+"\x00"+skeleton], e)
		})
	}
	var out []shape
	for _, name := range sortedKeys(groups) {
		group := groups[name]
		slices.SortFunc(group, func(a, b *entry) int {
			return cmp.Or(strings.Compare(a.hash, b.hash), strings.Compare(a.sort, b.sort))
		})
		hash, sort, _ := strings.Cut(name, "\x00")
		out = append(out, shape{hash: hash, sort: sort, entries: group})
	}
	return out
}

// cursor is a text that is taken apart, part by part.
type cursor struct {
	e    *entry
	rest string
}

// skeletons calls yield with each entry and the words of its text, * in the place of all
// other parts.
func skeletons(all []*entry, text func(*entry) string, yield func(e *entry, skeleton string)) {
	group := make([]cursor, len(all))
	for n, e := range all {
		group[n] = cursor{e, text(e)}
	}
	walk(group, "", yield)
}

// walk tells the next part of texts that begin alike: a word, or anything.
func walk(group []cursor, before string, yield func(*entry, string)) {
	partOf := nextPart
	if before == "" {
		partOf = firstPart
	}
	counts := map[string]int{}
	for _, c := range group {
		part, _ := partOf(c.rest)
		counts[part]++
	}
	next := map[string][]cursor{}
	for _, c := range group {
		part, end := partOf(c.rest)
		said := "*"
		if isWord(part, end < len(c.rest), before == "", counts[part], len(counts), len(group)) {
			said = part
		}
		at := before
		if said != "*" || !strings.HasSuffix(strings.TrimRight(before, separators), "*") {
			at += said
		}
		if end == len(c.rest) {
			yield(c.e, at)
			continue
		}
		if !strings.HasSuffix(at, "*"+c.rest[end:end+1]) {
			at += c.rest[end : end+1]
		}
		next[at] = append(next[at], cursor{c.e, c.rest[end+1:]})
	}
	for _, at := range sortedKeys(next) {
		walk(next[at], at, yield)
	}
}

// otherSeparators stand after the first word of keys that have none of the separators.
const otherSeparators = "_-.~=+!,;$^&*@"

// firstPart is nextPart at the beginning of a text: one without any separator is taken
// apart where its first word ends, "user_17".
func firstPart(text string) (part string, end int) {
	if strings.ContainsAny(text, separators) {
		return nextPart(text)
	}
	if end = strings.IndexAny(text, otherSeparators); end > 0 && letters(text[:end]) {
		return text[:end], end
	}
	return text, len(text)
}

// nextPart is what stands before the next separator.
func nextPart(text string) (part string, end int) {
	if end = strings.IndexAny(text, separators); end >= 0 {
		return text[:end], end
	}
	return text, len(text)
}

// isWord reports whether a part of a key is a word of the layout: it stands for many
// items, or, where there are too few to tell, it looks like one.
func isWord(part string, more, first bool, count, different, all int) bool {
	if part == "" {
		return true
	}
	few := wordShare*different <= all || different == 1
	switch {
	case looksLikeWord(part, more, first):
		return all < enoughToTell || count > 1 || few
	case all < enoughToTell:
		return false
	}
	return count > 1 && few || different == 1
}

// looksLikeWord reports whether a part is letters alone that are all capitals, or that
// stand before the first separator.
func looksLikeWord(part string, more, first bool) bool {
	capitals := true
	for _, r := range part {
		switch {
		case r >= 'A' && r <= 'Z', strings.ContainsRune("_-.$@[]", r):
		case r >= 'a' && r <= 'z':
			capitals = false
		default:
			return false
		}
	}
	return len(part) <= 24 && (capitals || (first && more))
}

// mostBoundaries bounds the boundaries of one key that are tried, and mostPlaces the keys
// in which one text is found: what stands in more of them is a word, and no value.
const (
	mostBoundaries = 14
	mostPlaces     = 48
)

// runs is where texts stand in the keys of a sample, from one boundary of its parts to
// another.
type runs map[string][]*entry

func runsOf(tables []*table) runs {
	all := runs{}
	for _, t := range tables {
		for _, e := range t.entries {
			all.add(e, e.hash)
			if e.sort != e.hash {
				all.add(e, e.sort)
			}
		}
	}
	return all
}

func (r runs) add(e *entry, text string) {
	if text == "" {
		return
	}
	starts, ends := boundaries(text)
	for _, start := range starts {
		for _, end := range ends {
			if start >= end {
				continue
			}
			run := text[start:end]
			if at := r[run]; len(at) < mostPlaces && (len(at) == 0 || at[len(at)-1] != e) {
				r[run] = append(at, e)
			}
		}
	}
}

// boundaries are where the parts of a key begin and end: at its ends, and beside all that
// is neither letter nor digit.
func boundaries(text string) (starts, ends []int) {
	starts = []int{0}
	for n := range len(text) {
		if alphanumeric(text[n]) {
			continue
		}
		if n > 0 {
			ends = append(ends, n)
		}
		if n+1 < len(text) {
			starts = append(starts, n+1)
		}
	}
	if len(starts) > mostBoundaries {
		starts = starts[:mostBoundaries]
	}
	if len(ends) > mostBoundaries {
		ends = ends[len(ends)-mostBoundaries:]
	}
	return starts, append(ends, len(text))
}

// findRun finds where a text stands in a key, from boundary to boundary, the last time.
func findRun(key, text string) int {
	if text == "" {
		return -1
	}
	for start := len(key) - len(text); start >= 0; start-- {
		if key[start:start+len(text)] != text {
			continue
		}
		end := start + len(text)
		left := start == 0 || !alphanumeric(key[start-1])
		right := end == len(key) || !alphanumeric(key[end])
		if left && right {
			return start
		}
	}
	return -1
}
