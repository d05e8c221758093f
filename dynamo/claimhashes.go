package dynamo

import "tallylock/dynamo/layout"

// hashSet keeps hashes, and how often each was met: all of them, or, where they are
// more than there is room for, the smallest.
type hashSet struct {
	room  int
	limit uint64
	seen  map[uint64]uint32
}

func newHashSet(room int) *hashSet {
	return &hashSet{room: room, limit: ^uint64(0), seen: map[uint64]uint32{}}
}

func (h *hashSet) add(value uint64) { h.addTimes(value, 1) }

func (h *hashSet) addTimes(value uint64, n uint32) {
	if value > h.limit {
		return
	}
	h.seen[value] += n
	for len(h.seen) > h.room {
		h.lower(h.limit / 2)
	}
}

func (h *hashSet) lower(limit uint64) {
	h.limit = limit
	for value := range h.seen {
		if value > limit {
			delete(h.seen, value)
		}
	}
}

func (h *hashSet) merge(other *hashSet) {
	if other.limit < h.limit {
		h.lower(other.limit)
	}
	for value, n := range other.seen {
		h.addTimes(value, n)
	}
}

// counts are how many texts there are among those kept, and how many different ones.
func (h *hashSet) counts() (all, different int) {
	for _, n := range h.seen {
		all += int(n)
	}
	return all, len(h.seen)
}

// shared is how many of the values other has, too, and how many could be compared. It
// is 0 where the other repeats them clearly more: then its items are copies.
func (h *hashSet) shared(other *hashSet) (held, compared int) {
	repeated := 0
	for value, n := range h.seen {
		if value > other.limit {
			continue
		}
		compared++
		m := other.seen[value]
		if m > 0 {
			held++
		}
		if m > 1 {
			repeated++
		}
		if n > 1 {
			repeated--
		}
	}
	if repeated >= layout.EnoughBetter && repeatedShare*repeated >= held {
		return 0, compared
	}
	return held, compared
}

// repeatedShare: a shape of which at least one value in 20 repeats is taken for copies.
// Accounts cannot repeat theirs, since locks forbid it.
const repeatedShare = 20
