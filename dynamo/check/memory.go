package check

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"tallylock/dynamo/check/sketch"
)

// keyMemory is about how many bytes a check keeps for a key that is left over: its cells, the
// lock with the accounts that claim it, and the search for its value.
const keyMemory = 600

// maxKeys is how many keys that are left over can be followed up in that much memory;
// memoryFor is the reverse.
func maxKeys(memory int64) int { return int(max(memory/keyMemory, 1)) }

func memoryFor(keys int) int64 { return int64(keys) * keyMemory }

func maxCells(memory int64) int { return max(sketch.CellsFor(maxKeys(memory)), minCells) }

// A first sketch is small enough for the processor's caches. minCells is what any sketch
// needs so that it nearly always decodes, however little is left over.
const (
	minCells      = 1 << 8
	minFirstCells = 1 << 12
	defaultCells  = 3 << 13
)

// firstCells returns the size of the first reading's sketch, which need not be larger than
// the table.
func firstCells(memory, items int64) int {
	return int(min(max(2*items, minFirstCells), defaultCells, int64(maxCells(memory))))
}

// accountBytes is about how many bytes an account takes, with its name in a finding.
const accountBytes = 512

// room is a pass's memory for the accounts that claim candidates: an eighth of all. Two
// accounts of each lock are always kept, and one lock takes half of the room at most.
type room struct {
	each int
	left atomic.Int64
}

func newRoom(memory int64) *room {
	all := memory / 8 / accountBytes
	r := &room{each: int(all / 2)}
	r.left.Store(all)
	return r
}

// take reports whether there is room for another account of a lock that has so many.
func (r *room) take(have int) bool {
	return have < 2 || have < r.each && r.left.Add(-1) >= 0
}

// garbage is the process's memory limit while checks run. The first check sets it, and the
// last one restores it.
var garbage struct {
	sync.Mutex
	checks        int
	before, limit int64
}

// limitGarbage sets a soft memory limit near what a check uses, until undo is called, unless
// GOGC or GOMEMLIMIT is set. Where very much is wrong, live data is most of that memory, and
// garbage would double it. The runtime never spends more than half of its time on the limit.
func limitGarbage(memory int64) (undo func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	g := &garbage
	g.Lock()
	defer g.Unlock()
	if g.checks++; g.checks == 1 {
		g.before, g.limit = debug.SetMemoryLimit(-1), DefaultMemory
	}
	g.limit = max(g.limit, memory)
	debug.SetMemoryLimit(g.limit)
	return func() {
		g.Lock()
		defer g.Unlock()
		if g.checks--; g.checks == 0 {
			debug.SetMemoryLimit(g.before)
		}
	}
}

// size writes a number of bytes.
func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}
