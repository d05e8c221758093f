package check

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// idFilter remembers in a fixed number of bits which ids have been met, and keeps those that
// may have been met twice. The ids of one counter are neighbours in it, so that the numbers
// from 1 to a million never collide with each other.
type idFilter struct {
	seed maphash.Seed
	bits []atomic.Uint64

	mu         sync.Mutex
	twice      map[uint64]bool
	max        int // length of twice
	overflowed bool
}

// twiceBytes is about what is kept for an id that may have been met twice, with its items.
const twiceBytes = 512

// newIDFilter returns a filter for about that many items.
func newIDFilter(items, memory int64) *idFilter {
	words := int64(1 << 10)
	for words < items/4 && words*8*2 <= memory/4 { // 16 bits an item
		words *= 2
	}
	return &idFilter{
		seed:  maphash.MakeSeed(),
		bits:  make([]atomic.Uint64, words),
		twice: map[uint64]bool{},
		max:   int(memory / 8 / twiceBytes),
	}
}

func (s *idFilter) hash(name, id string) uint64 {
	return maphash.String(s.seed, name) + maphash.String(s.seed, id)
}

// add takes in an id of a counter.
func (s *idFilter) add(name, id string) {
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
	if at := s.hash(name, id); len(s.twice) < s.max {
		s.twice[at] = true
	} else if !s.twice[at] {
		s.overflowed = true
	}
}

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
