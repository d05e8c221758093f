// Package progress tracks the state of a check of a whole table: its stage, the share done, the time
// left and the price. A Tracker makes a State of the reports of the stages. Start at State.
package progress

import (
	"time"

	"tallylock/dynamo/check/finding"
)

// Stage is a stage of a check.
type Stage int

// The stages of a check, in order.
const (
	Beginning Stage = iota
	Preparing
	Reading         // every item once
	ReadingMore     // every item again, since more was left over than expected
	FindingKeys     // reading again for the keys of locks that are known only by a hash
	Waiting         // until writes in flight have become visible
	LookingAgain    // reading every account again
	RePolling       // reading locks again, since other values were given up or taken during the reading
	Confirming      // reading each lock with its accounts
	ReadingCounters // after all ids were read
)

// State is the state of a check.
type State struct {
	Stage Stage
	// Items is how many items of the table this pass has read, of about Expected. While
	// candidates are confirmed, both count candidates.
	Items, Expected int64
	// Until is when a wait ends; zero if nothing waits.
	Until time.Time
	// Units is how many read units the check has used.
	Units float64
	// Share is how much of the whole check is done, from 0 to 1. It never falls, and is 1
	// only at the end.
	Share float64
	// Rate is how many read units a second this pass uses, and Speed how many items a second it
	// reads. Left is about how much longer the whole check will take. Each is 0 if unknown. More
	// is the part of Left for reading all accounts again, with the wait before it. That part is
	// not needed if everything fits. Time in which the gate was shut does not count.
	Rate, Speed float64
	Left, More  time.Duration
	// Segments is how many segments the table is divided into, and Ended how many of them have
	// been read to their end. Parts is about how far each segment is, in order; 1 means ended. If
	// there are many segments, a part stands for several. All three are empty if no table is read.
	Segments, Ended int
	Parts           []float64
	// Candidates is how many values are being followed up.
	Candidates int
	// Suspects are the known candidates that no account claims. A suspect becomes a finding only
	// once it is confirmed.
	Suspects []Suspect
	Findings map[finding.Kind]int
	// Throttled is how many requests were throttled and sent again; Reasons divides them by
	// DynamoDB's reasons. Repeated is how many were sent again because the response was damaged.
	Throttled, Repeated int64
	Reasons             map[string]int64
	// Silent is the time since which the table or the export has not answered, retries included;
	// zero if it answers.
	Silent time.Time
	// Early are the notes of the Summary that were made before the tables were read. They cast
	// doubt on the findings to come.
	Early []string
}

// Found returns the number of findings so far.
func (s State) Found() int { return finding.Summary{Findings: s.Findings}.Found() }

// Suspect is a lock for which the first reading met no account. It is an orphan unless the lock
// or its account changed during the reading.
type Suspect struct{ Constraint, Value string }

// Cost estimates the price of a check, except for the reads that Beyond names: the number of
// values that do not fit is unknown in advance. It rests on the table sizes of DescribeTable,
// which are updated about every six hours. It is no upper bound: show it with "about".
type Cost struct {
	Items int64
	// First is the read units of the first pass and the counters. Again is the read units of
	// reading all accounts a second time. That happens only if some values do not fit.
	First, Again float64
	// Each is the read units for a value that does not fit: its lock before the second
	// reading, then lock, owner and account in one transaction.
	Each float64
	// Beyond names the read units that may come on top, for example in the rare case that very
	// many values do not fit or keep changing. It is empty if there are none.
	Beyond string
	// Pace is how many read units a second the check uses at most, 0 if unlimited. Time is how
	// long both readings take at that pace, 0 if unknown.
	Pace float64
	Time time.Duration
	// Uncounted is set if the endpoint does not tell the size of a table, so that the cost cannot
	// be estimated.
	Uncounted bool
}

// Units returns First plus Again.
func (c Cost) Units() float64 { return c.First + c.Again }
