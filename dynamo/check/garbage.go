package check

import (
	"os"
	"runtime/debug"
	"sync"
)

// garbage is the limit on the process's memory while checks run. It is the process's own,
// and the first check sets it, and the last one takes it back.
var garbage struct {
	sync.Mutex
	checks        int
	before, limit int64
}

// limitGarbage has the collector keep the process near the memory of a check, until undo
// is called, unless the environment says how often it runs. Where very much is wrong, what
// is kept is most of that memory, and the garbage would be as much again. The limit is
// soft: the runtime never spends more than half of the time on it.
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
