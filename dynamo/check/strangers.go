package check

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// strangers are the items of the first reading that the layout does not describe, by the shape
// of their keys: some of them may be counters or locks that nobody has described.
type strangers map[string]*stranger

// stranger is the items of one shape in one table.
type stranger struct {
	shape string
	from  *source
	count int64
	first attr.Key // of the first item that was met
}

// How many shapes of ordinary keys are kept, how many items are read to see what they are, and
// how many attributes besides its key a lock has at most.
const (
	mostShapes     = 400
	mostExamples   = 100
	lockAttributes = 6
)

// The words by which the key of a counter or of a lock is known, in lower case.
var (
	counterWords = []string{"counter", "sequence", "increment", "nextid", "next_id", "lastid", "last_id", "seq"}
	lockWords    = []string{
		"uniq", "lock", "claim", "reserv", "email", "username", "handle", "phone", "slug", "constraint",
	}
)

func (s *stranger) says(words []string) bool { return says([]byte(s.shape), words) }

// says reports whether a text contains a word, in whatever case.
func says(text []byte, words []string) bool {
	for _, word := range words {
		for at := 0; at+len(word) <= len(text); at++ {
			n := 0
			for n < len(word) && text[at+n]|0x20 == word[n]|0x20 {
				n++
			}
			if n == len(word) {
				return true
			}
		}
	}
	return false
}

// strangersOf collects the strangers that one worker reads of a table.
type strangersOf struct {
	from *source
	all  strangers
	at   []byte // the shape of the last one, with the table's index
}

// add takes in an item that is nothing in the layout.
func (v *strangersOf) add(key attr.Key) {
	b := appendShape(v.at[:0], keyText(key.Hash.Value))
	if key.Range.Name != "" {
		b = appendShape(append(b, " / "...), keyText(key.Range.Value))
	}
	v.at = append(b, v.from.index)
	if s := v.all[string(v.at)]; s != nil {
		s.count++
		return
	}
	if n := len(v.all); n >= 4*mostShapes || n >= mostShapes && !says(b, counterWords) && !says(b, lockWords) {
		return
	}
	if v.all == nil {
		v.all = strangers{}
	}
	v.all[string(v.at)] = &stranger{shape: string(b), from: v.from, count: 1, first: cloneKey(key)}
}

// appendShape appends a key with * in the place of ids, numbers and times: of everything that is
// not made of letters alone.
func appendShape(b []byte, key string) []byte {
	for first := true; ; first = false {
		end := strings.IndexAny(key, layout.Separators+"/")
		part := key
		if end >= 0 {
			part = key[:end]
		}
		switch {
		case isWord(part):
			b = append(b, part...)
		case first || len(b) == 0 || b[len(b)-1] != '*':
			b = append(b, '*')
		}
		if end < 0 {
			return b
		}
		b, key = append(b, key[end]), key[end+1:]
	}
}

// isWord reports whether a part of a key is a word: letters, few of them.
func isWord(part string) bool {
	if len(part) > 24 {
		return false
	}
	for _, c := range []byte(part) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '-' && c != '$' {
			return false
		}
	}
	return true
}

// merge adds what a worker has met.
func (all strangers) merge(more strangers) {
	for at, s := range more {
		if have := all[at]; have != nil {
			have.count += s.count
		} else {
			all[at] = s
		}
	}
}

// collapsed returns the strangers with * in the place of a word in which at least fewWords shapes
// differ, and in nothing else: such a word is more likely a value than a name.
func (all strangers) collapsed() strangers {
	alike := map[string]int{}
	for at, s := range all {
		for shape := range s.variants() {
			alike[shape+at[len(s.shape):]]++
		}
	}
	out := strangers{}
	for _, at := range slices.Sorted(maps.Keys(all)) {
		s, best := all[at], 0
		one, table := *s, at[len(s.shape):]
		for shape := range s.variants() {
			if n := alike[shape+table]; n >= fewWords && n > best {
				best, one.shape = n, shape
			}
		}
		out.merge(strangers{one.shape + table: &one})
	}
	return out
}

// fewWords is how many words in one place of a key may still be names.
const fewWords = 3

// variants yields the shape with * in the place of each of its words.
func (s *stranger) variants() iter.Seq[string] {
	return func(yield func(string) bool) {
		const separators = layout.Separators + "/ "
		for from := 0; from < len(s.shape); {
			end := from + strings.IndexAny(s.shape[from:]+"#", separators)
			if word := s.shape[from:end]; word != "" && word != "*" && !yield(s.shape[:from]+"*"+s.shape[end:]) {
				return
			}
			from = end + 1
		}
	}
}

// sayOthers says what the layout does not describe: of the items that were read, and of the sample.
func (r coverage) sayOthers(ctx context.Context) error {
	if err := r.sayStrangers(ctx); err != nil {
		return err
	}
	return r.saySuggested(ctx)
}

// sayStrangers says which unknown items look like counters or locks. It reads one item of each
// shape, as long as there are few.
func (r coverage) sayStrangers(ctx context.Context) error {
	rank := func(s *stranger) int {
		switch {
		case s.says(counterWords), s.says(lockWords):
			return 0
		case s.count <= 3:
			return 1
		}
		return 2
	}
	all := slices.SortedFunc(maps.Values(r.strangers.collapsed()), func(a, b *stranger) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.count, b.count), strings.Compare(a.shape, b.shape))
	})
	items, err := r.readExamples(ctx, all[:min(len(all), mostExamples)])
	if err != nil {
		return err
	}
	likeCounter := r.likeCounters(all[:min(len(all), mostExamples)], items)
	var likeCounters, likeLocks []string
	for _, s := range all[:min(len(all), mostExamples)] {
		name := s.shape
		if s.from.name != r.t.Name {
			name += " of " + s.from.name
		}
		switch item := items[s]; {
		case layout.Ignores(r.t.Layout, s.shape):
		case likeCounter[s]:
			likeCounters = append(likeCounters, name)
		case s.says(lockWords) && len(item) <= lockAttributes:
			likeLocks = append(likeLocks, name)
		}
	}
	for _, of := range []struct {
		names []string
		why   string
	}{
		{likeCounters, "items that look like counters, and are not described"},
		{likeLocks, "items that look like locks, and are not described"},
	} {
		if len(of.names) > 0 {
			r.report.summary.notChecked(UncheckedItems, of.why, false, of.names...)
		}
	}
	return nil
}

// readExamples reads one item of each shape, none if only an export is read or reading is denied.
func (r coverage) readExamples(ctx context.Context, all []*stranger) (map[*stranger]attr.Item, error) {
	examples := map[*stranger]attr.Item{}
	if r.o.exportOnly() {
		return examples, nil
	}
	for _, from := range r.sources {
		var keys []attr.Key
		for _, s := range all {
			if s.from == from {
				keys = append(keys, s.first)
			}
		}
		if len(keys) == 0 {
			continue
		}
		items, err := r.consistent.Read(ctx, from.name, keys)
		if client.KindOf(err) == client.Denied {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			if s.from == from {
				examples[s] = items[s.first.ID()]
			}
		}
	}
	return examples, nil
}

// likeCounters returns the shapes whose example would be recognised as a counter among the items
// of the table's sample, or by its key alone if it was not read or is in another table.
func (r coverage) likeCounters(all []*stranger, items map[*stranger]attr.Item) map[*stranger]bool {
	like := map[*stranger]bool{}
	var own []attr.Item
	for _, s := range all {
		if items[s] == nil || s.from != r.sources[0] {
			like[s] = s.says(counterWords)
		} else {
			own = append(own, items[s])
		}
	}
	for _, c := range r.t.Sample.CountersWith(own) {
		for _, s := range all {
			like[s] = like[s] || items[s] != nil && s.from == r.sources[0] && c.Matches(r.t.Schema, items[s])
		}
	}
	return like
}
