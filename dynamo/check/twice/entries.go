package twice

import (
	"sync"
	"sync/atomic"
)

// Entries maps fingerprints to entries. It has several shards, so that workers rarely wait for each other.
type Entries[E any] struct {
	Room   *Room // nil means no limit
	shards [64]struct {
		mu  sync.Mutex
		all map[uint64]*E
	}
}

// Room limits the number of entries. Left counts the entries that still fit, and Lost the entries that did
// not fit.
type Room struct{ Left, Lost atomic.Int64 }

// At calls take with the entry of a fingerprint. If there is no entry yet, At creates one. If Room has no space for a
// new entry, At does not call take and returns false.
func (c *Entries[E]) At(print uint64, take func(*E)) bool {
	s := &c.shards[print%uint64(len(c.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[print]
	if e == nil {
		if c.Room != nil && c.Room.Left.Add(-1) < 0 {
			c.Room.Lost.Add(1)
			return false
		}
		if s.all == nil {
			s.all = map[uint64]*E{}
		}
		e = new(E)
		s.all[print] = e
	}
	take(e)
	return true
}

// Get returns the entry of a fingerprint. It returns nil if there is none. Call it after all entries are
// added.
func (c *Entries[E]) Get(print uint64) *E { return c.shards[print%uint64(len(c.shards))].all[print] }

// Each yields all entries. Call it after all entries are added.
func (c *Entries[E]) Each(yield func(print uint64, e *E) bool) {
	for n := range c.shards {
		for print, e := range c.shards[n].all {
			if !yield(print, e) {
				return
			}
		}
	}
}
