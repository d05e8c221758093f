package check

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// minting is a counter whose ids are looked for, and the highest in use.
type minting struct {
	counter *layout.Counter
	key     attr.Key // zero where the key itself is the number
	family  bool     // one of many of its layout
	// highest are the items with the highest ids, the highest first. Several are
	// kept: the highest may be deleted before it is read again.
	highest []carrier
}

// carrier is an item that carries an id.
type carrier struct {
	id   string
	from *source
	key  attr.Key
}

const mostHighest = 3

// take takes in an id.
func (m *minting) take(id string, from *source, key attr.Key) {
	at := len(m.highest)
	for at > 0 && compareIDs(m.highest[at-1].id, id) < 0 {
		at--
	}
	if at == mostHighest {
		return
	}
	m.highest = slices.Insert(m.highest, at, carrier{strings.Clone(id), from, cloneKey(key)})
	m.highest = m.highest[:min(len(m.highest), mostHighest)]
}

// compareIDs compares whole numbers without leading zeros.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// mintings are the counters whose ids were met, by their keys.
type mintings map[string]*minting

// counterBytes is about what is kept of a counter that is followed, and keptApart how
// many a worker keeps before it hands them on: what all workers keep does not grow with
// the table.
const (
	counterBytes = 640
	keptApart    = 1000
)

// mostCounters is how many counters of families are followed in so much memory.
func mostCounters(memory int64) int { return int(memory / 4 / counterBytes) }

// idsOf is where ids of counters stand in a table.
type idsOf struct {
	counter int // in the layout
	ids     *layout.IDs
	fixed   *attr.Key // of the counter, where it has one for all
}

// ids lists where ids stand in a source.
func (c *checker) ids(from *source) []idsOf {
	var all []idsOf
	for n, counter := range c.t.Layout.Counters {
		for m := range counter.IDs {
			of := idsOf{counter: n, ids: &counter.IDs[m]}
			if of.ids.TableOf(c.t.Name) != from.name {
				continue
			}
			if counter.KeyIsValue(c.t.Schema) {
				of.fixed = &attr.Key{}
			} else if counter.Fixed(c.t.Schema) {
				if k, err := counter.Key(c.t.Schema); err == nil {
					of.fixed = &k
				}
			}
			all = append(all, of)
		}
	}
	return all
}

// minted takes in the ids that an item carries.
func (v *visitor) minted(key attr.Key) {
	c := v.p.c
	if v.p.twice == nil && !v.p.first {
		return
	}
	for _, of := range v.from.ids {
		id, vars, ok := of.ids.Of(v.from.schema, &v.row)
		counter := c.t.Layout.Counters[of.counter]
		if !ok || !counter.Mints(id) {
			continue
		}
		at := of.fixed
		if at == nil {
			k, err := counter.KeyFor(c.t.Schema, vars)
			if err != nil {
				continue
			}
			at = &k
		}
		name := mintingName(of.counter, *at)
		if v.p.twice != nil {
			v.p.twice.collect(name, id, v.from, key)
			continue
		}
		v.follow(name, counter, *at, of.fixed == nil).take(id, v.from, key)
		if c.seen != nil {
			c.seen.add(name, id)
		}
	}
}

// follow is what the worker has met of a counter.
func (v *visitor) follow(name string, counter *layout.Counter, key attr.Key, family bool) *minting {
	m := v.mintings[name]
	if m == nil {
		if len(v.mintings) >= keptApart {
			v.p.mu.Lock()
			v.handOn()
			v.p.mu.Unlock()
		}
		m = &minting{counter: counter, key: cloneKey(key), family: family}
		v.mintings[name] = m
	}
	return m
}

// handOn adds what the worker has met to what all have. The pass is locked.
func (v *visitor) handOn() {
	v.count.lostCounters += v.p.mintings.merge(v.mintings, mostCounters(v.p.c.o.Memory))
	clear(v.mintings)
}

// merge adds what a worker has met, to so many counters at most, and answers how many
// were too many.
func (all mintings) merge(more mintings, most int) (lost int64) {
	for name, m := range more {
		have := all[name]
		if have == nil && m.family && len(all) >= most {
			lost++
			continue
		}
		if have == nil {
			all[name] = m
			continue
		}
		for _, c := range m.highest {
			have.take(c.id, c.from, c.key)
		}
	}
	return lost
}

// idSet remembers, in a bounded number of bits, which ids have been met, and
// suspects those that may have been met twice. Ids of one counter stand side by
// side in it: the numbers from 1 to a million never get into each other's way.
type idSet struct {
	seed maphash.Seed
	bits []atomic.Uint64

	mu    sync.Mutex
	twice map[uint64]bool
	most  int // that are suspected
	over  bool
}

// twiceBytes is about what is kept of an id that may have been met twice, with the
// items that carry it.
const twiceBytes = 512

// newIDSet makes a set for about so many items.
func newIDSet(items, memory int64) *idSet {
	words := int64(1 << 10)
	for words < items/4 && words*8*2 <= memory/4 { // 16 bits an item
		words *= 2
	}
	return &idSet{seed: maphash.MakeSeed(), bits: make([]atomic.Uint64, words), twice: map[uint64]bool{}, most: int(memory / 8 / twiceBytes)}
}

func (s *idSet) hash(name, id string) uint64 {
	return maphash.String(s.seed, name) + maphash.String(s.seed, id)
}

// add takes in an id of a counter.
func (s *idSet) add(name, id string) {
	place := maphash.String(s.seed, name)
	if n, ok := small(id); ok {
		place += n
	} else {
		place += maphash.String(s.seed, id)
	}
	place %= uint64(len(s.bits)) * 64
	if bit := uint64(1) << (place % 64); s.bits[place/64].Or(bit)&bit == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.hash(name, id); len(s.twice) < s.most {
		s.twice[at] = true
	} else if !s.twice[at] {
		s.over = true
	}
}

// small reads an id that a machine word holds.
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

// collector finds the items of ids that may be carried twice.
type collector struct {
	set   *idSet
	mu    sync.Mutex
	items map[string]*carried // by counter and id
}

// carried are the items that carry one id: some of them, and how many more there are.
type carried struct {
	items []carrier
	more  int
}

// mostCarriers is how many items with one id are listed.
const mostCarriers = 10

func (t *collector) collect(name, id string, from *source, key attr.Key) {
	if !t.set.twice[t.set.hash(name, id)] {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at := name + "\x00" + id
	of := t.items[at]
	if of == nil {
		of = new(carried)
		t.items[at] = of
	}
	if len(of.items) == mostCarriers {
		of.more++
		return
	}
	of.items = append(of.items, carrier{strings.Clone(id), from, cloneKey(key)})
}
