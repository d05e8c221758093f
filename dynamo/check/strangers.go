package check

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
)

// strangers are the items of the first reading that the layout does not describe, by table and
// shape: some of them may be counters or locks that nobody has described.
type strangers map[layout.Place]*stranger

// stranger is the items of one shape.
type stranger struct {
	from  *source
	count int64
	first attr.Key // of the first item that was met
}

// mostStrangers is how many shapes are kept, mostExamples how many items are read to see what they
// are, fewItems how many counters of one shape may have a key that does not say so, and
// lockAttributes how many attributes a lock has at most.
const (
	mostStrangers  = 1600
	mostExamples   = 100
	fewItems       = 3
	lockAttributes = 6
)

// The words by which the key of a counter or of a lock is known, in lower case.
var (
	counterWords = []string{"counter", "sequence", "increment", "nextid", "next_id", "lastid", "last_id", "seq"}
	lockWords    = []string{
		"uniq", "lock", "claim", "reserv", "email", "username", "handle", "phone", "slug", "constraint",
	}
)

// says reports whether a shape contains a word, in whatever case.
func says(shape string, words []string) bool {
	shape = strings.ToLower(shape)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(shape, word) })
}

// meet takes in an item that is nothing in the layout.
func (all strangers) meet(from *source, key attr.Key) {
	value := func(part string) bool { // no word, although its pieces may be words
		return strings.ContainsAny(part, " &,;=<>()[]{}\"'") && !strings.ContainsAny(part, layout.Separators)
	}
	at := layout.Place{Table: from.name, Items: holders.Shape(attr.Key{Hash: key.Hash}, value)}
	if key.Range.Name != "" {
		at.Items += " / " + holders.Shape(attr.Key{Hash: key.Range}, value)
	}
	switch {
	case all[at] != nil:
		all[at].count++
	case len(all) < mostStrangers:
		all[at] = &stranger{from: from, count: 1, first: key.Clone()}
	}
}

func (all strangers) add(at layout.Place, s *stranger) {
	if have := all[at]; have != nil {
		have.count += s.count
		return
	}
	all[at] = s
}

// collapsed returns the strangers with * in the place of a word in which at least fewWords shapes
// differ, and in nothing else: such a word is more likely a value than a name.
func (all strangers) collapsed() strangers {
	const fewWords = 3
	alike := map[layout.Place]int{}
	for at := range all {
		for _, wide := range wider(at) {
			alike[wide]++
		}
	}
	out := strangers{}
	for _, at := range slices.SortedFunc(maps.Keys(all), comparePlaces) {
		best := at
		for _, wide := range wider(at) {
			if n := alike[wide]; n >= fewWords && n > alike[best] {
				best = wide
			}
		}
		out.add(best, all[at])
	}
	return out
}

// wider returns a place with * for each part of its key in turn.
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

// saySuspicious names the items that look like counters or locks, and are not described. It reads
// one item of each shape whose key says so, or of which there are few.
func (r *run) saySuspicious(ctx context.Context) error {
	all := r.strangers.collapsed()
	maps.DeleteFunc(all, func(at layout.Place, s *stranger) bool {
		few := s.count <= fewItems || says(at.Items, counterWords) || says(at.Items, lockWords)
		return !few || layout.Ignores(r.t.Layout, at.Items)
	})
	places := slices.SortedFunc(maps.Keys(all), func(a, b layout.Place) int {
		return cmp.Or(cmp.Compare(all[a].count, all[b].count), comparePlaces(a, b))
	})
	places = places[:min(len(places), mostExamples)]
	items, err := r.readExamples(ctx, all, places)
	if err != nil {
		return err
	}
	like := r.likeCounters(places, items)
	s := &r.report.summary
	for _, at := range places {
		name := at.Items
		if at.Table != r.t.Name {
			name += " of " + at.Table
		}
		switch {
		case like[at]:
			s.AddNotChecked(UncheckedItems, "items that look like counters, and are not described", false, name)
		case says(at.Items, lockWords) && len(items[at]) <= lockAttributes:
			s.AddNotChecked(UncheckedItems, "items that look like locks, and are not described", false, name)
		}
	}
	return nil
}

// readExamples reads one item of each shape, none if only an export is read or reading is denied.
func (r *run) readExamples(
	ctx context.Context, all strangers, places []layout.Place,
) (map[layout.Place]attr.Item, error) {
	examples := map[layout.Place]attr.Item{}
	for _, from := range r.sources {
		var keys []attr.Key
		for _, at := range places {
			if all[at].from == from {
				keys = append(keys, all[at].first)
			}
		}
		if len(keys) == 0 || r.o.exportOnly() {
			continue
		}
		items, err := r.consistent.Read(ctx, from.name, keys)
		if client.KindOf(err) == client.Denied {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, at := range places {
			if item := items[all[at].first.ID()]; all[at].from == from && item != nil {
				examples[at] = item
			}
		}
	}
	return examples, nil
}

// likeCounters returns the shapes whose example is recognised as a counter among the items of the
// table's sample, or by its key alone if it was not read or is in another table.
func (r *run) likeCounters(places []layout.Place, items map[layout.Place]attr.Item) map[layout.Place]bool {
	like := map[layout.Place]bool{}
	var own []attr.Item
	for _, at := range places {
		if item := items[at]; item != nil && at.Table == r.t.Name {
			own = append(own, item)
		} else {
			like[at] = says(at.Items, counterWords)
		}
	}
	for _, c := range r.t.Sample.CountersWith(own) {
		for _, at := range places {
			like[at] = like[at] || at.Table == r.t.Name && items[at] != nil && c.Matches(r.t.Schema, items[at])
		}
	}
	return like
}

// unmet are the places about which the config answers and of which the check has seen no item
// yet: such an answer may be misspelt. It is safe for concurrent use.
type unmet struct {
	mu     sync.Mutex
	places []layout.Place
}

// unmetAnswers returns the places of all answers of the config, nil if there are none. What people have answered to a
// question had items then.
func unmetAnswers(t *dynamo.Table) *unmet {
	u := &unmet{}
	for _, c := range t.Layout.Constraints() {
		hold, not, _ := c.Answers.All()
		for _, h := range hold {
			u.places = append(u.places, h.Place)
		}
		u.places = append(u.places, not...)
	}
	for _, said := range t.Said() {
		u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool { return said.Place != nil && *said.Place == p })
	}
	if len(u.places) == 0 {
		return nil
	}
	return u
}

// meet takes away the places that an item of a table is of. The attribute does not count: the
// first pass does not read it.
func (u *unmet) meet(table string, key attr.Key) {
	item := layout.Place{Table: table, Items: holders.Shape(key, func(string) bool { return false })}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = slices.DeleteFunc(u.places, func(p layout.Place) bool {
		item.Attribute = p.Attribute
		return p.Covers(item)
	})
}

// noteUnmet notes the answers of the config about items of which the table has none.
func (r *run) noteUnmet() {
	if r.unmet == nil {
		return
	}
	for _, p := range r.unmet.places {
		if r.t.SchemaOf(p.Table).HashName != "" { // it was read
			r.report.note("the config answers about %s items of %s, and there are none: is the answer misspelt?", p.Items, p.Table)
		}
	}
}
