package check

import (
	"os"
	"runtime/debug"
)

// garbagePercent is how much garbage may lie about, in percent of what is kept, where as
// many values as manyCandidates are followed up: what is kept is most of the memory then.
const (
	garbagePercent = 20
	manyCandidates = 50_000
)

// lessGarbage lets the whole process keep less garbage, until undo is called, unless
// the environment says how much.
func lessGarbage() (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(garbagePercent)
	return func() { debug.SetGCPercent(before) }
}
