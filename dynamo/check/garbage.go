package check

import (
	"os"
	"runtime/debug"
)

// How much garbage may lie about, in percent of what is kept. A scan leaves so little
// behind that collecting it twice as often costs nothing that could be measured, and
// the process is a fifth smaller. Where very many values are followed up, what is kept
// is most of the memory.
const (
	garbageOfScan  = 50
	garbageOfMany  = 20
	manyCandidates = 50_000
)

// lessGarbage lets the whole process keep so much garbage, until undo is called, unless
// the environment says how much.
func lessGarbage(percent int) (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
