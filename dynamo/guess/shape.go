package guess

import (
	"strings"
	"unicode"

	"tallylock/dynamo/attr"
)

// separators are the characters that nearly all layouts put between the parts of a key. Values and
// ids seldom begin or end at other characters.
const separators = "#:/|"

// A part of a key is a word of the layout, and not an id or a value, if many items have few different texts there.
// wordShare is the minimum number of items for each different text.
const (
	wordShare    = 4
	enoughToTell = 8 // the minimum number of items for reliable shares
	// manyParts is the number of different parts from which most of them are probably ids. Each id may have several
	// items, such as the orders of an account, so a word must occur much more often than the average part. This does
	// not count for a part of letters only.
	manyParts = 8
)

// shape is a group of entries whose keys have the same words at the same places. A * replaces every
// other part.
type shape struct {
	hash, sort string
	entries    []*entry
	kind       *kind // nil if no kind can be made, or before table.shapes sets it
}

// keyText returns a key as text. A binary key becomes *, since it has no words.
func keyText(v attr.Value) string {
	if v.Kind == attr.B {
		return "*"
	}
	return v.Text
}

// shapes groups entries by shape. It keeps the order of the entries in each group.
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
		hash, sort, _ := strings.Cut(name, "\x00")
		out = append(out, shape{hash: hash, sort: sort, entries: groups[name]})
	}
	return out
}

// cursor is an entry, and the rest of its text that walk has not split yet.
type cursor struct {
	e    *entry
	rest string
}

// skeletons calls yield with each entry and the skeleton of its text: its words, and * for every
// other part.
func skeletons(all []*entry, text func(*entry) string, yield func(e *entry, skeleton string)) {
	group := make([]cursor, len(all))
	for n, e := range all {
		group[n] = cursor{e, text(e)}
	}
	walk(group, "", yield)
}

// walk takes texts with the same beginning. It decides whether the next part of each text is a
// word, and continues with the rest of the texts.
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

// otherSeparators may follow the first word of a key that contains none of the separators.
const otherSeparators = "_-.~=+!,;$^&*@"

// firstPart returns the first part of a text and the index of its end. A text without a separator is split after its
// first word: "user_17" after "user".
func firstPart(text string) (part string, end int) {
	if strings.ContainsAny(text, separators) {
		return nextPart(text)
	}
	if end = strings.IndexAny(text, otherSeparators); end > 0 && letters(text[:end]) {
		return text[:end], end
	}
	return text, len(text)
}

// nextPart returns the part before the next separator, and the index of its end.
func nextPart(text string) (part string, end int) {
	if end = strings.IndexAny(text, separators); end >= 0 {
		return text[:end], end
	}
	return text, len(text)
}

// isWord reports whether a part of a key is a word of the layout, and not an id or a value. A word occurs
// in many items. If the group has too few items, the letters of the part decide. The parameter count is the
// number of items that have the part. The parameter different is the number of different parts in the group.
// The parameter all is the number of items in the group.
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
	if different >= manyParts && strings.ContainsFunc(part, isNoLetter) {
		return count*different >= wordShare*all
	}
	return count > 1 && few || different == 1
}

// isNoLetter reports whether a character is rare in words: it is no letter, - or _.
func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' }

// looksLikeWord reports whether a part consists of letters. The letters must be capitals, unless the part
// is the first of the key and a separator follows.
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

// mostBoundaries is the largest number of beginnings, and of ends, that are tried in one key. mostPlaces is
// the largest number of keys that are recorded for one text. A text in more keys is a word and no value.
const (
	mostBoundaries = 14
	mostPlaces     = 48
)

// runs maps a text to the entries whose keys contain the text between two boundaries (see boundaries).
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

// boundaries returns the indexes at which parts of a key begin and end: the ends of the key, and
// both sides of every character that is neither letter nor digit.
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

// findRun returns the index of the last place where a text occurs between boundaries of a key; -1
// if there is none.
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
