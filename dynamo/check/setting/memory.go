package setting

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"tallylock/dynamo/check/sketch"
)

// keyMemory is about how many bytes a check keeps for a key that is left over: its cells, the
// lock with the accounts that claim it, and the search for its value.
const keyMemory = 600

// MaxKeys is how many keys that are left over can be followed up in that much memory;
// MemoryFor is the reverse.
func MaxKeys(memory int64) int { return int(max(memory/keyMemory, 1)) }

// MemoryFor returns how much memory so many keys need.
func MemoryFor(keys int) int64 { return int64(keys) * keyMemory }

// MaxCells returns how many cells a sketch may have in that much memory.
func MaxCells(memory int64) int { return max(sketch.CellsFor(MaxKeys(memory)), MinCells) }

// A first sketch is small enough for the processor's caches. MinCells is what any sketch
// needs so that it nearly always decodes, however little is left over.
const (
	MinCells      = 1 << 8
	minFirstCells = 1 << 12
	DefaultCells  = 3 << 13
)

// FirstCells returns the size of the first reading's sketch, which need not be larger than
// the table.
func FirstCells(memory, items int64) int {
	return int(min(max(2*items, minFirstCells), DefaultCells, int64(MaxCells(memory))))
}

// garbage is the process's memory limit while checks run. The first check sets it, and the
// last one restores it.
var garbage struct {
	sync.Mutex
	checks        int
	before, limit int64
}

// LimitGarbage sets a soft memory limit near what a check uses, until undo is called, unless
// GOGC or GOMEMLIMIT is set. Where very much is wrong, live data is most of that memory, and
// garbage would double it. The runtime never spends more than half of its time on the limit.
func LimitGarbage(memory int64) (undo func()) {
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

// FormatSize writes a number of bytes.
func FormatSize(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}
