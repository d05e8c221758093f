package setting

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"tallylock/dynamo/check/sketch"
)

// DefaultMemory is the default of --memory, in bytes. minMemory is the least value of --memory.
const (
	DefaultMemory = 256 << 20
	minMemory     = 128 << 20
)

// programMemory is the approximate memory, in bytes, for the program of a check, its connections and its buffers. Of
// the rest, a check uses dataParts of allParts for its data. The garbage collector needs the other part.
const (
	programMemory = 48 << 20
	dataParts     = 3
	allParts      = 5
)

// DataOf returns how many bytes of data a check may keep if its process may use this much memory. processFor is the
// inverse.
func DataOf(process int64) int64 { return (process - programMemory) * dataParts / allParts }

func processFor(data int64) int64 { return data*allParts/dataParts + programMemory }

// keyMemory is the approximate memory, in bytes, for a key that remains after the join: its cells, the lock with
// its claims, and the search for its value.
const keyMemory = 600

// MaxKeys returns the number of remaining keys that a check can follow up with the given bytes of memory.
// MemoryFor is the inverse.
func MaxKeys(memory int64) int { return int(max(memory/keyMemory, 1)) }

// MemoryFor returns the memory, in bytes, that a check needs for the given number of remaining keys.
func MemoryFor(keys int) int64 { return int64(keys) * keyMemory }

// MaxCells returns the greatest number of a sketch's cells with the given bytes of memory.
func MaxCells(memory int64) int { return max(sketch.CellsFor(MaxKeys(memory)), MinCells) }

// MinCells is the least number of a sketch's cells: with fewer cells, Decode fails too often, even for few keys.
// DefaultCells is the limit for the first sketch, so that it fits into the processor's caches.
const (
	MinCells      = 1 << 8
	minFirstCells = 1 << 12
	DefaultCells  = 3 << 13
)

// FirstCells returns the number of cells of the first sketch. A small table needs few cells.
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

// LimitGarbage sets a soft memory limit for the process, until undo is called. memory is Options.Memory. It does
// nothing if GOGC or GOMEMLIMIT is set. Without the limit, a check with very many findings could use twice its memory:
// live data fills most of the memory, and garbage comes on top. To keep the limit, the Go runtime spends at most half
// of the processor time. Only tests set less memory than --memory allows. Their checks set no limit, since other tests
// run in the same process.
func LimitGarbage(memory int64) (undo func()) {
	process := processFor(memory)
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" || process < minMemory-slack {
		return func() {}
	}
	g := &garbage
	g.Lock()
	defer g.Unlock()
	if g.checks++; g.checks == 1 {
		g.before, g.limit = debug.SetMemoryLimit(-1), 0
	}
	g.limit = max(g.limit, process)
	debug.SetMemoryLimit(g.limit)
	return func() {
		g.Lock()
		defer g.Unlock()
		if g.checks--; g.checks == 0 {
			debug.SetMemoryLimit(g.before)
		}
	}
}

// slack is the rounding error of DataOf and processFor.
const slack = allParts

// ProcessMemory returns the memory of the process as --memory takes it, such as 256MB. memory is Options.Memory.
func ProcessMemory(memory int64) string { return inSteps(memory, 1<<20) }

// Advice returns a value of --memory that is enough for this many bytes of data.
func Advice(data int64) string { return inSteps(data, 64<<20) }

// inSteps rounds the memory of the process up to whole steps, but not below minMemory.
func inSteps(data, step int64) string {
	process := max(processFor(data)+step-1-slack, minMemory)
	return fmt.Sprintf("%dMB", process/step*step>>20)
}
