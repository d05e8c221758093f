package infer

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// mostItems is how many items of a table are looked at.
const mostItems = 2500

// entry is an item of a sample, with what is looked at again and again.
type entry struct {
	of         *table
	item       attr.Item
	key        attr.Key
	hash, sort string
	texts      map[string][]string // by path, the key's own left out
	paths      []string            // of the texts, in order
}

// table is one of the tables that are looked at.
type table struct {
	layout.Sample
	entries []*entry
	known   map[string]*entry // by key; nil where it is known that there is none
	asked   map[string]bool   // keys that were asked for, whether or not there is an item

	shaped []shape // the entries by their shapes, once that was asked for
}

func newTable(t layout.Sample) *table {
	own := &table{Sample: t, known: map[string]*entry{}, asked: map[string]bool{}}
	for _, item := range t.Items {
		own.add(item)
	}
	// Equal samples give equal layouts, in whatever order they were read.
	slices.SortFunc(own.entries, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.hash, b.hash), strings.Compare(a.sort, b.sort))
	})
	own.entries = thinned(own.entries)
	return own
}

// thinned are as many of some entries as are looked at, in their order: of the commonest
// shapes fewer, and of the rare ones all, since accounts may be few among events.
func thinned(entries []*entry) []*entry {
	if len(entries) <= mostItems {
		return entries
	}
	all, left, chosen := shapes(entries), mostItems, map[*entry]bool{}
	slices.SortStableFunc(all, func(a, b shape) int { return len(a.entries) - len(b.entries) })
	for n, sh := range all {
		take := min(len(sh.entries), left/(len(all)-n))
		for m := range take {
			chosen[sh.entries[m*len(sh.entries)/take]] = true
		}
		left -= take
	}
	return slices.DeleteFunc(entries, func(e *entry) bool { return !chosen[e] })
}

// longestValue is as many bytes as a partition key may have: what is longer is a picture
// or an essay, and nobody's e-mail address.
const longestValue = 2048

// add takes an item in, if it is new.
func (t *table) add(item attr.Item) {
	k, ok := t.Schema.KeyOf(item)
	id := k.ID()
	if !ok || t.known[id] != nil || k.Hash.Value.Kind == attr.B || k.Range.Value.Kind == attr.B {
		return
	}
	e := &entry{of: t, item: item, key: k, hash: k.Hash.Value.Text, sort: k.Range.Value.Text, texts: map[string][]string{}}
	for _, path := range layout.Paths(item) {
		if t.Schema.IsKey(path) {
			continue
		}
		texts := slices.DeleteFunc(layout.Texts(item.At(path)), func(text string) bool { return len(text) > longestValue })
		if len(texts) > 0 {
			e.texts[path] = texts
		}
	}
	e.paths = sortedKeys(e.texts)
	t.entries, t.shaped = append(t.entries, e), nil
	t.known[id] = e
}

// shapes are the table's entries by what their keys have in common, each with its kind.
func (t *table) shapes() []shape {
	if t.shaped == nil {
		t.shaped = shapes(t.entries)
		for n, g := range t.shaped {
			t.shaped[n].kind = newKind(g.entries)
		}
	}
	return t.shaped
}

// has is the item under a key's id: nil where there is none, false where that is not known.
func (t *table) has(id string) (e *entry, known bool) {
	e, known = t.known[id]
	return e, known || t.Whole
}

// text is the one text of an attribute; empty where there are none, or several.
func (e *entry) text(path string) string {
	if all := e.texts[path]; len(all) == 1 {
		return all[0]
	}
	return ""
}
