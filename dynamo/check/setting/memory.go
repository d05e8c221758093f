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

// MaxKeys returns how many remaining keys a check can follow up in that much memory, in bytes;
// MemoryFor is the reverse.
func MaxKeys(memory int64) int { return int(max(memory/keyMemory, 1)) }

// MemoryFor returns how many bytes of memory that many keys need.
func MemoryFor(keys int) int64 { return int64(keys) * keyMemory }

// MaxCells returns how many cells a sketch may have in that much memory.
func MaxCells(memory int64) int { return max(sketch.CellsFor(MaxKeys(memory)), MinCells) }

// MinCells is the number of cells that any sketch needs so that it nearly always decodes,
// however few keys are left over. DefaultCells bounds a first sketch, so that it fits into the
// processor's caches.
const (
	MinCells      = 1 << 8
	minFirstCells = 1 << 12
	DefaultCells  = 3 << 13
)

// FirstCells returns the number of cells of the first reading's sketch. The sketch need not be
// larger than the table.
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

// LimitGarbage sets a soft memory limit near the memory of a check, until undo is called. It does
// nothing if GOGC or GOMEMLIMIT is set. If there are very many findings, live data fills most of
// that memory, and garbage would double it. The runtime never spends more than half of its time
// on the limit.
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
