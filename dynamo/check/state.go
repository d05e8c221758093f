package check

import (
	"time"
)

// Stage is what a check is doing.
type Stage int

// The stages of a check, in the order in which it comes to them.
const (
	Beginning Stage = iota
	Preparing
	Reading         // every item once
	ReadingMore     // and once more, since more is left over than was expected
	FindingKeys     // of locks that the first reading told only by a hash
	Waiting         // until what was under way is visible
	LookingAgain    // at every account
	RePolling       // locks of which others were given up or taken meanwhile
	Confirming      // each lock with its accounts
	ReadingCounters // after all ids
)

// readsAll reports whether the stage is a first reading of all items.
func (s Stage) readsAll() bool { return s == Reading || s == ReadingMore }

// State is where a check stands.
type State struct {
	Stage Stage
	Table string // that is read; empty where none is
	// Items is how many items of the table this pass has read, of about Expected;
	// while candidates are confirmed, how many of how many.
	Items, Expected int64
	// Until is when a wait is over; zero where nothing waits.
	Until time.Time
	// Units is how many read units the check has used.
	Units float64
	// Share is how far the whole check is, all stages together: from 0 to 1, and it
	// never falls. It is 1 only when the check has come to its end.
	Share float64
	// Rate is how many units a second this pass uses, Speed how many items it reads,
	// and Left about how much longer the whole check will take; zero where that cannot
	// be told. More is how much of that is for looking again, with the wait before it,
	// which falls away where everything fits. A time in which the check was held back
	// does not count.
	Rate, Speed float64
	Left, More  time.Duration
	// Segments is into how many the table is divided, Ended how many of them were
	// read to their end, and Parts about how far they are, in their order; of many
	// some are told together. 1 is what has ended. There are none where no table is
	// read.
	Segments, Ended int
	Parts           []float64
	// Candidates is how many values are being followed up.
	Candidates int
	// Suspects are the locks among them for which no account was met, as far as they
	// are known yet; none of them is a finding before it is confirmed.
	Suspects []Suspect
	Findings map[Kind]int
	// Throttled is how many requests were turned away and sent again, with
	// DynamoDB's reasons; Repeated how many for a damaged answer.
	Throttled, Repeated int64
	Reasons             map[string]int64
	// Silent is since when nothing has come of the table or the export that is read, though
	// it was asked for again; zero where something has.
	Silent time.Time
	// Early is what was learned before the tables are read, and speaks against what
	// the check will say: the Summary's notes have it, too.
	Early []string
}

// Found is how many findings there are so far.
func (s State) Found() int { return Summary{Findings: s.Findings}.Found() }
