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

// Room limits the size of all entries. Left is the size that still fits. Lost counts the calls of At and AtSized that
// found no room.
type Room struct{ Left, Lost atomic.Int64 }

// At is AtSized for an entry of the size 1.
func (c *Entries[E]) At(print uint64, take func(*E)) bool { return c.AtSized(print, 1, take) }

// AtSized calls take with the entry of a fingerprint. If there is no entry yet, AtSized creates one. If Room has no
// space for a new entry, AtSized does not call take and returns false. After that, no new entry fits: otherwise, an
// entry could miss its first items.
func (c *Entries[E]) AtSized(print uint64, size int64, take func(*E)) bool {
	s := &c.shards[print%uint64(len(c.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[print]
	if e == nil {
		if c.Room != nil && c.Room.Left.Add(-size) < 0 {
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
