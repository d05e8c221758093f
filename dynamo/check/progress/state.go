// Package progress tells where a check of a whole table stands: its stage, the share done, the time
// left and the price. A Tracker makes a State of what the stages report. Start at State.
package progress

import (
	"time"

	"tallylock/dynamo/check/finding"
)

// Stage is what a check is doing.
type Stage int

// The stages of a check, in order.
const (
	Beginning Stage = iota
	Preparing
	Reading         // every item once
	ReadingMore     // every item again, since more was left over than expected
	FindingKeys     // of locks that the first reading knew only by a hash
	Waiting         // until writes in flight have become visible
	LookingAgain    // reading every account again
	RePolling       // reading locks again, since others were given up or taken meanwhile
	Confirming      // reading each lock with its accounts
	ReadingCounters // once all ids were read
)

// State is where a check stands.
type State struct {
	Stage Stage
	// Items is how many items of the table this pass has read, of about Expected; while
	// candidates are confirmed, how many of those.
	Items, Expected int64
	// Until is when a wait ends; zero if nothing waits.
	Until time.Time
	// Units is how many read units the check has used.
	Units float64
	// Share is how much of the whole check is done, from 0 to 1. It never falls, and is 1
	// only at the end.
	Share float64
	// Rate is how many read units a second this pass uses, Speed how many items it reads, and
	// Left about how much longer the whole check will take; each is 0 if not known. More is
	// how much of Left is for reading all accounts again, with the wait before, which is not
	// needed if everything fits. Time in which the gate was shut does not count.
	Rate, Speed float64
	Left, More  time.Duration
	// Segments is how many segments the table is divided into, Ended how many have been read
	// to their end, and Parts about how far each is, in order; where there are many, a part
	// stands for several. 1 means ended. They are empty if no table is read.
	Segments, Ended int
	Parts           []float64
	// Candidates is how many values are being followed up.
	Candidates int
	// Suspects are the candidates known so far that no account claims. None of them is a
	// finding before it is confirmed.
	Suspects []Suspect
	Findings map[finding.Kind]int
	// Throttled is how many requests were throttled and sent again, by DynamoDB's reasons;
	// Repeated is how many were sent again because the response was damaged.
	Throttled, Repeated int64
	Reasons             map[string]int64
	// Silent is since when the table or the export that is read has not answered, retries
	// included; zero if it answers.
	Silent time.Time
	// Early are the notes of the Summary that are known before the tables are read, and speak
	// against what the check will find.
	Early []string
}

// Found returns the number of findings so far.
func (s State) Found() int { return finding.Summary{Findings: s.Findings}.Found() }

// Suspect is a lock for which the first reading met no account. It is an orphan unless it
// changed meanwhile.
type Suspect struct{ Constraint, Value string }

// Cost is about what a check reads, apart from what Beyond names: how many values do not fit
// is not known in advance. It rests on the table sizes of DescribeTable, which are updated
// about every six hours. It is no upper bound: show it with "about".
type Cost struct {
	Items int64
	// First is the read units of the first pass, with the sample that the layout is tried on
	// and the counters. Again is those of reading all accounts a second time, which happens
	// only if something does not fit.
	First, Again float64
	// Each is the read units for a value that does not fit: its lock before the second
	// reading, then lock, owner and account in one transaction.
	Each float64
	// Beyond names what may come on top of that if very much is wrong or keeps changing,
	// which is rare; empty if nothing may.
	Beyond string
	// Pace is how many read units a second are used at most, 0 if unlimited. Time is how long
	// both readings take at that pace, 0 if that is not known.
	Pace float64
	Time time.Duration
	// Uncounted: the endpoint does not tell the size of a table, so what is read cannot be
	// estimated.
	Uncounted bool
}

// Units returns First plus Again.
func (c Cost) Units() float64 { return c.First + c.Again }
