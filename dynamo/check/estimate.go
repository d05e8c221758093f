package check

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
)

// Estimate returns what a check of the table would cost. It sends no request.
func Estimate(t *dynamo.Table, o Options) progress.Cost {
	o.fill()
	var cost progress.Cost
	for _, from := range join.SourcesOf(t) {
		d := t.DescriptionOf(from.Name)
		cost.Items += d.Items
		cost.Uncounted = cost.Uncounted ||
			d.Bytes == 0 && (o.Export == nil && o.Candidates == nil || o.Confirm == ConfirmFull)
		first := scan.Units(d, o.Segments, false)
		again := scan.Units(d, o.Segments, o.Confirm == ConfirmFull && o.Look == Strong)
		if o.Export != nil || o.Candidates != nil {
			first = 0
			if o.Confirm != ConfirmFull {
				again = 0
			}
		}
		pace := scan.RateOf(d, o.MaxReadUnits)
		cost.First += first
		if guesses(t) {
			again = 0
		}
		if len(t.Layout.Accounts) > 0 {
			cost.Again += again
		}
		if pace > 0 {
			cost.Pace = pace
			cost.Time += time.Duration((first + again) / pace * float64(time.Second))
		}
	}
	if o.exportOnly() {
		return cost
	}
	cost.First += float64(len(t.Layout.Counters))
	if cost.Time > 0 && o.Confirm == ConfirmFull && !guesses(t) {
		cost.Time += t.Connection().Settle()
	}
	keys := sketch.Capacity(firstCells(o.Memory, cost.Items))
	cost.Each = unitsEach(t, o)
	cost.Beyond = beyond(t, o, cost, keys)
	return cost
}

// unitsEach returns about how many read units it takes to confirm a value that does not fit,
// if each item takes one unit.
func unitsEach(t *dynamo.Table, o Options) float64 {
	if len(t.Layout.Accounts) == 0 || o.Confirm == ConfirmNone {
		return 0
	}
	const strong, inTransaction = 1, 2
	items := 2 // the lock and an account
	if slices.ContainsFunc(t.Layout.Constraints(),
		func(con *layout.Constraint) bool { return con.Owner != "" || con.OwnedByKey() }) {
		items++
	}
	return strong + inTransaction*float64(items)
}

// beyond returns Cost.Beyond: what is not counted, such as more than keys values that do not
// fit.
func beyond(t *dynamo.Table, o Options, cost progress.Cost, keys int) string {
	var more []string
	if slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool { return !l.Fixed(t.Schema) }) {
		more = append(more, "one for each counter")
	}
	if len(t.Layout.Accounts) == 0 {
		return strings.Join(more, "; ")
	}
	if cost.Each > 0 {
		more = append(more,
			fmt.Sprintf("%.0f for each value that does not fit, and 2 for each further account that holds it", cost.Each))
	}
	if o.Confirm == ConfirmFull {
		more = append(more, fmt.Sprintf("at most %d a second while the accounts are looked at again", watchUnits))
	}
	if o.Export == nil && o.Candidates == nil {
		again := fmt.Sprintf("the first reading again where more than %s do not fit", phrase.Number(keys))
		if slices.ContainsFunc(t.Layout.Constraints(), func(con *layout.Constraint) bool { return con.Owner != "" }) {
			again += ", or only some locks name their account"
		}
		more = append(more, again)
		if o.Confirm == ConfirmFull {
			more = append(more, fmt.Sprintf("and where the key of such a lock is longer than %d bytes", sketch.KeyBytes-join.KeyHead))
		}
	}
	return strings.Join(more, "; ")
}

// watchUnits is how many read units a second the candidates' locks may take while all accounts are read
// again.
const watchUnits = 100

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
