package join

import "sync/atomic"

// Room is a pass's memory for the accounts that claim candidates: an eighth of the check's
// memory. Two accounts of each lock are always kept. One lock takes half of the room at most.
type Room struct {
	each int
	left atomic.Int64
}

// Take takes the room for another account of a lock with have accounts. It reports false if
// there is none.
func (r *Room) Take(have int) bool {
	return have < 2 || have < r.each && r.left.Add(-1) >= 0
}

// NewRoom returns the room of that much memory, in bytes.
func NewRoom(memory int64) *Room {
	all := memory / 8 / AccountBytes
	r := &Room{each: int(all / 2)}
	r.left.Store(all)
	return r
}

// AccountBytes is about how many bytes an account takes, with its name in a finding.
const AccountBytes = 512
