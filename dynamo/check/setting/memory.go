package setting

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"tallylock/dynamo/check/sketch"
)

// keyMemory is about how many bytes a check needs for a key that remains after the join: its cells,
// the lock with its claims, and the search for its value.
const keyMemory = 600

// MaxKeys returns how many remaining keys a check can follow up with this much memory, in bytes.
// MemoryFor is the inverse.
func MaxKeys(memory int64) int { return int(max(memory/keyMemory, 1)) }

// MemoryFor returns how many bytes of memory a check needs for this many remaining keys.
func MemoryFor(keys int) int64 { return int64(keys) * keyMemory }

// MaxCells returns how many cells a sketch may have with this much memory, in bytes.
func MaxCells(memory int64) int { return max(sketch.CellsFor(MaxKeys(memory)), MinCells) }

// MinCells is how many cells a sketch needs at least, so that Decode nearly always works, even for
// few keys. DefaultCells is the limit for the first sketch, so that it fits into the processor's
// caches.
const (
	MinCells      = 1 << 8
	minFirstCells = 1 << 12
	DefaultCells  = 3 << 13
)

// FirstCells returns how many cells the first sketch has. A small table needs few.
func FirstCells(memory, items int64) int {
	return int(min(max(2*items, minFirstCells), DefaultCells, int64(MaxCells(memory))))
}

// garbage is the process's memory limit while checks run. The first check sets the limit, and the
// last one restores the old limit.
var garbage struct {
	sync.Mutex
	checks        int
	before, limit int64
}

// LimitGarbage sets a soft memory limit near the memory of a check, until undo is called. It does nothing if GOGC or
// GOMEMLIMIT is set. Without the limit, a check with very many findings could use twice its memory: live data fills
// most of the memory, and garbage comes on top. To keep the limit, the Go runtime spends at most half of the processor
// time.
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

// FormatSize writes a number of bytes in KB or MB.
func FormatSize(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}
