package check

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"

	"tallylock/dynamo/attr"
)

// idSet remembers, in a bounded number of bits, which ids have been met, and
// keeps those that may have been met twice. Ids of one counter stand side by
// side in it: the numbers from 1 to a million never get into each other's way.
type idSet struct {
	seed maphash.Seed
	bits []atomic.Uint64

	mu    sync.Mutex
	twice map[uint64]bool
	most  int // of these
	over  bool
}

// twiceBytes is about what is kept of an id that may have been met twice, with the
// items that carry it.
const twiceBytes = 512

// newIDSet makes a set for about that many items.
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

// collector finds the items of ids that two may have.
type collector struct {
	set   *idSet
	mu    sync.Mutex
	items map[string]*sameID // by counter and id
}

// sameID are the items that have one id: some of them, and how many more there are.
type sameID struct {
	items []idHolder
	more  int
}

// mostIDHolders is how many items with one id are listed.
const mostIDHolders = 10

func (t *collector) collect(name, id string, from *source, key attr.Key) {
	if !t.set.twice[t.set.hash(name, id)] {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at := name + "\x00" + id
	of := t.items[at]
	if of == nil {
		of = new(sameID)
		t.items[at] = of
	}
	if len(of.items) == mostIDHolders {
		of.more++
		return
	}
	of.items = append(of.items, idHolder{strings.Clone(id), from, cloneKey(key)})
}
