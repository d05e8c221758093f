package join

import "sync/atomic"

// Room limits the memory for the accounts that claim candidates to an eighth of the check's memory.
// Two accounts of each lock always fit. One lock can use at most half of the room.
type Room struct {
	each int
	left atomic.Int64
}

// Take takes room for one more account of a lock. have is the number of accounts that the lock already has. Take
// reports false if no room is left.
func (r *Room) Take(have int) bool {
	return have < 2 || have < r.each && r.left.Add(-1) >= 0
}

// NewRoom returns the room for a check with this much memory, in bytes.
func NewRoom(memory int64) *Room {
	all := memory / 8 / AccountBytes
	r := &Room{each: int(all / 2)}
	r.left.Store(all)
	return r
}

// AccountBytes is the approximate memory for an account, in bytes, including its text in a finding.
const AccountBytes = 512
