package check

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// twiceFilter keeps the fingerprints of values or ids that may have come twice: all that did, and
// few others. It is a Bloom filter whose bits for one of them are in one word: of two workers
// that add the same at once, one sees the other.
type twiceFilter struct {
	words []atomic.Uint64

	mu    sync.Mutex
	twice map[uint64]bool
	max   int // length of twice
	lost  int // more that there was no room for; some are counted repeatedly
}

// twiceBytes is about what is kept for a value that may have come twice, with two items that have
// it; memoryParts: all values that may have come twice take one such part of the memory.
const (
	twiceBytes  = 512
	memoryParts = 4
)

func newTwiceFilter(words, memory int64) *twiceFilter {
	const minWords = 1 << 12
	return &twiceFilter{
		words: make([]atomic.Uint64, min(max(words, minWords), memory/memoryParts/8)),
		twice: map[uint64]bool{},
		max:   int(memory / memoryParts / twiceBytes),
	}
}

// addValue takes in the fingerprint of a value.
func (f *twiceFilter) addValue(print uint64) {
	const golden, bitsEach = 0x9e3779b97f4a7c15, 4
	at, rest := bits.Mul64(print*golden, uint64(len(f.words))) // multiplied, since a fingerprint's first bits are 0
	var mask uint64
	for range bitsEach {
		rest *= golden
		mask |= 1 << (rest >> 58)
	}
	f.mark(at, mask, print)
}

// addID takes in an id and its fingerprint. first is the place of its counter's first id: the ids of
// one counter are neighbours, so that the numbers from 1 to a million never collide with each other.
func (f *twiceFilter) addID(first uint64, id string, print uint64) {
	n, ok := small(id)
	if !ok {
		n = print
	}
	place := (first + n) % (uint64(len(f.words)) * 64)
	f.mark(place/64, 1<<(place%64), print)
}

func (f *twiceFilter) mark(word, mask, print uint64) {
	if f.words[word].Or(mask)&mask == mask {
		f.markTwice(print)
	}
}

// markTwice takes in the fingerprint of a value that may have come twice.
func (f *twiceFilter) markTwice(print uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.twice[print]:
	case len(f.twice) < f.max:
		f.twice[print] = true
	default:
		f.lost++
	}
}

// any reports whether anything may have come twice. A nil filter has nothing.
func (f *twiceFilter) any() bool { return f != nil && len(f.twice) > 0 }

// has reports whether a value may have come twice, once all were added.
func (f *twiceFilter) has(print uint64) bool { return f != nil && f.twice[print] }

// small reads an id that fits into a machine word.
func small(id string) (uint64, bool) {
	if len(id) > 18 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range []byte(id) {
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// collected are entries by fingerprint, in parts, so that workers rarely wait for each other.
type collected[E any] struct {
	room   *entryRoom // nil if there is room for all
	shards [64]struct {
		mu  sync.Mutex
		all map[uint64]*E
	}
}

// entryRoom bounds a number of entries.
type entryRoom struct{ left, lost atomic.Int64 }

// at calls take with the entry of a fingerprint, a new one if there is none, unless there is no room.
func (c *collected[E]) at(print uint64, take func(*E)) {
	s := &c.shards[print%uint64(len(c.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[print]
	if e == nil {
		if c.room != nil && c.room.left.Add(-1) < 0 {
			c.room.lost.Add(1)
			return
		}
		if s.all == nil {
			s.all = map[uint64]*E{}
		}
		e = new(E)
		s.all[print] = e
	}
	take(e)
}

// get returns the entry of a fingerprint, nil if there is none, once nobody adds any.
func (c *collected[E]) get(print uint64) *E { return c.shards[print%uint64(len(c.shards))].all[print] }

// each yields all entries, once nobody adds any.
func (c *collected[E]) each(yield func(print uint64, e *E) bool) {
	for n := range c.shards {
		for print, e := range c.shards[n].all {
			if !yield(print, e) {
				return
			}
		}
	}
}

// sharing is a value or an id with the items that have it.
type sharing struct {
	text    string
	con     *layout.Constraint // of a value
	scope   string             // of the accounts, by layout.Constraint.ScopeOf
	series  *idSeries          // of an id
	guessed bool               // nothing is read again
	items   []idHolder
	more    int // items that there was no room for
}

// idHolder is an item that has an id or a value.
type idHolder struct {
	id   string
	from *source
	key  attr.Key
}

// maxIDHolders is how many items with one id are listed.
const maxIDHolders = 10

// addTo adds an item that has the value or the id.
func (s sharing) addTo(c *collected[sharing], print uint64, r *room, from *source, key attr.Key) {
	c.at(print, func(have *sharing) {
		if have.con == nil && have.series == nil {
			s.text, s.scope = strings.Clone(s.text), strings.Clone(s.scope)
			*have = s
		}
		switch {
		case slices.ContainsFunc(have.items, func(h idHolder) bool { return h.from == from && h.key.Equal(key) }):
			// it holds the value under two constraints
		case have.series != nil && len(have.items) == maxIDHolders, !r.take(len(have.items)):
			have.more++
		default:
			have.items = append(have.items, idHolder{have.text, from, key.Clone()})
		}
	})
}
