// Package undescribed groups the undescribed items of a check by the shapes of their keys, and names the
// shapes that look like counters or locks. It also finds answers in the config that fit no item.
// Start at Shapes.
package undescribed

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
)

// Shapes counts the items that the layout does not describe, by table and shape. Some of them may be
// counters or locks.
type Shapes map[layout.Place]*items

// items counts the items of one shape.
type items struct {
	count int64
	first attr.Key // the key of the first item
}

// mostShapes is the largest number of shapes that are kept, and mostExamples the largest number of example
// items that are read. A shape with at most fewItems items may be a counter even if no word in its key says so.
// lockAttributes is the largest number of attributes that a lock has.
const (
	mostShapes     = 1600
	mostExamples   = 100
	fewItems       = 3
	lockAttributes = 6
)

// Words in the keys of counters and of locks, in lower case.
var (
	counterWords = []string{"counter", "sequence", "increment", "nextid", "next_id", "lastid", "last_id", "seq"}
	lockWords    = []string{
		"uniq", "lock", "claim", "reserv", "email", "username", "handle", "phone", "slug", "constraint",
	}
)

// says reports whether a shape contains one of the words. It ignores case.
func says(shape string, words []string) bool {
	shape = strings.ToLower(shape)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(shape, word) })
}

// Add counts an item that the layout does not describe.
func (all Shapes) Add(table string, key attr.Key) {
	value := func(part string) bool { // a part with a sign or a space is a value, even if pieces of it are words
		return strings.ContainsAny(part, " &,;=<>()[]{}\"'") && !strings.ContainsAny(part, layout.Separators)
	}
	at := layout.Place{Table: table, Items: holders.Shape(attr.Key{Hash: key.Hash}, value)}
	if key.Range.Name != "" {
		at.Items += " / " + holders.Shape(attr.Key{Hash: key.Range}, value)
	}
	switch {
	case all[at] != nil:
		all[at].count++
	case len(all) < mostShapes:
		all[at] = &items{count: 1, first: key.Clone()}
	}
}

// Merge adds the counts of other Shapes.
func (all Shapes) Merge(others Shapes) {
	for at, s := range others {
		all.merge(at, s)
	}
}

func (all Shapes) merge(at layout.Place, s *items) {
	if have := all[at]; have != nil {
		have.count += s.count
		return
	}
	all[at] = s
}

// collapsed merges shapes that differ in only one word, and replaces this word by *. It merges at least
// fewWords shapes: many different words are more likely values than names.
func (all Shapes) collapsed() Shapes {
	const fewWords = 3
	alike := map[layout.Place]int{}
	for at := range all {
		for _, wide := range wider(at) {
			alike[wide]++
		}
	}
	out := Shapes{}
	for _, at := range slices.SortedFunc(maps.Keys(all), comparePlaces) {
		best := at
		for _, wide := range wider(at) {
			if n := alike[wide]; n >= fewWords && n > alike[best] {
				best = wide
			}
		}
		out.merge(best, all[at])
	}
	return out
}

// wider returns one place for each part of the key, with * in place of that part. Place.Wider does not suffice, since
// it replaces single words, and a part may have several words, such as mel_k.
func wider(at layout.Place) (all []layout.Place) {
	for from := 0; from < len(at.Items); {
		end := from + strings.IndexAny(at.Items[from:]+"#", layout.Separators+" ")
		if part := at.Items[from:end]; part != "" && part != layout.AnyWord {
			all = append(all, layout.Place{Table: at.Table, Items: at.Items[:from] + layout.AnyWord + at.Items[end:]})
		}
		from = end + 1
	}
	return all
}

func comparePlaces(a, b layout.Place) int {
	return cmp.Or(strings.Compare(a.Items, b.Items), strings.Compare(a.Table, b.Table))
}

// Reader reads items with strongly consistent reads. The result maps the ID of a key to its item.
type Reader func(ctx context.Context, table string, keys []attr.Key) (map[string]attr.Item, error)

// Suspicious returns the names of the shapes that look like counters, and the names of the shapes that look
// like locks. It reads one item of each shape that has a typical word or few items. If read is nil, or
// reading is denied, the keys alone decide.
func (all Shapes) Suspicious(ctx context.Context, t *dynamo.Table, read Reader) (counters, locks []string, err error) {
	all = all.collapsed()
	maps.DeleteFunc(all, func(at layout.Place, s *items) bool {
		few := s.count <= fewItems || says(at.Items, counterWords) || says(at.Items, lockWords)
		return !few || layout.Ignores(t.Layout, at.Items)
	})
	places := slices.SortedFunc(maps.Keys(all), func(a, b layout.Place) int {
		return cmp.Or(cmp.Compare(all[a].count, all[b].count), comparePlaces(a, b))
	})
	places = places[:min(len(places), mostExamples)]
	examples := map[layout.Place]attr.Item{}
	if read != nil {
		if examples, err = all.examples(ctx, t, read, places); err != nil {
			return nil, nil, err
		}
	}
	like := likeCounters(t, places, examples)
	for _, at := range places {
		name := at.Items
		if at.Table != t.Name {
			name += " of " + at.Table
		}
		switch {
		case like[at]:
			counters = append(counters, name)
		case says(at.Items, lockWords) && len(examples[at]) <= lockAttributes:
			locks = append(locks, name)
		}
	}
	return counters, locks, nil
}

// examples reads one item of each shape.
func (all Shapes) examples(
	ctx context.Context, t *dynamo.Table, read Reader, places []layout.Place,
) (map[layout.Place]attr.Item, error) {
	examples := map[layout.Place]attr.Item{}
	for _, table := range t.Tables() {
		var keys []attr.Key
		for _, at := range places {
			if at.Table == table {
				keys = append(keys, all[at].first)
			}
		}
		if len(keys) == 0 {
			continue
		}
		found, err := read(ctx, table, keys)
		if client.KindOf(err) == client.Denied {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, at := range places {
			if item := found[all[at].first.ID()]; at.Table == table && item != nil {
				examples[at] = item
			}
		}
	}
	return examples, nil
}

// likeCounters returns the shapes that look like counters. It compares the example of a shape with the
// items of the table's sample. If the example was not read or is in another table, its key alone decides.
func likeCounters(t *dynamo.Table, places []layout.Place, examples map[layout.Place]attr.Item) map[layout.Place]bool {
	like := map[layout.Place]bool{}
	var own []attr.Item
	for _, at := range places {
		if item := examples[at]; item != nil && at.Table == t.Name {
			own = append(own, item)
		} else {
			like[at] = says(at.Items, counterWords)
		}
	}
	for _, c := range t.Sample.CountersWith(own) {
		for _, at := range places {
			like[at] = like[at] || at.Table == t.Name && examples[at] != nil && c.Matches(t.Schema, examples[at])
		}
	}
	return like
}
