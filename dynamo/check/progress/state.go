// Package progress tracks a check: its stage, the finished share, the time left and the cost. A Tracker
// collects reports from the stages and returns a State. Start at State.
package progress

import (
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
)

// Stage is a stage of a check.
type Stage int

// The stages, in order.
const (
	Beginning Stage = iota
	Preparing
	Reading         // reads every item once
	ReadingMore     // reads every item again, since more keys remained than expected
	Comparing       // compares fingerprints, to find duplicate values and ids that no lock prevents
	FindingKeys     // reads the table again for the keys of locks that are known only by a hash
	Waiting         // waits until writes in progress are visible
	LookingAgain    // reads every account again
	RePolling       // reads locks again, since the application changed values during the reading
	Confirming      // reads each lock together with its accounts
	ReadingCounters // reads the counters, after all ids
)

// State is the progress of a check.
type State struct {
	Stage Stage
	// This reading has read Items of about Expected items. In the stage Confirming, both count candidates.
	Items, Expected int64
	// Until is the end of the present wait. It is zero if the check does not wait.
	Until time.Time
	// Units is the number of read units that the check has used.
	Units float64
	// Share is the finished share of the whole check, from 0 to 1. It never falls, and reaches 1 only at the
	// end.
	Share float64
	// Rate is the read units a second of this reading, and Speed is the items a second. Left is the approximate time
	// until the whole check ends. More is a part of Left: the second reading of the accounts, and the wait before it.
	// The check skips this part if all locks match. Each of the four is 0 if unknown. Pauses by the gate do not count.
	Rate, Speed float64
	Left, More  time.Duration
	// Segments is the number of the table's segments, and Ended the number of segments that are read to the end.
	// Parts is the approximate progress of each segment, in order, from 0 to 1. If there are many segments, one
	// part covers several. All three are empty if the check reads no table at present.
	Segments, Ended int
	Parts           []float64
	// Candidates is the number of values that the check follows up.
	Candidates int
	// Suspects are candidates that no account claims so far. A suspect becomes a finding only after
	// it is confirmed.
	Suspects []Suspect
	Findings map[finding.Kind]int
	// Throttled counts the requests that DynamoDB throttled and the check sent again. Reasons counts these requests by
	// DynamoDB's reason. Repeated counts the requests that the check sent again because the response was damaged.
	Throttled, Repeated int64
	Reasons             map[string]int64
	// Silent is the time when the table or the export stopped answering, in spite of retries. It is zero while
	// answers arrive.
	Silent time.Time
	// Early has the notes of the Summary that cast doubt on later findings, as soon as they are known.
	Early []string
}

// Found returns the number of findings so far.
func (s State) Found() int { return finding.Summary{Findings: s.Findings}.Found() }

// Suspect is a lock that had no account in the first reading. It becomes a finding of the kind Kind, unless the lock or
// its account changed during the reading.
type Suspect struct {
	Kind              finding.Kind // orphaned-lock or malformed-lock
	Constraint, Value string
	Table             string    // the table of the lock
	Lock              attr.Item // the key of the lock
}

// Cost is the estimated cost of a check. It leaves out the reads in Beyond, since nobody knows in advance the number
// of locks that do not match. It uses the table sizes of DescribeTable, which DynamoDB updates about every six hours.
// It is not an upper bound, so show it with "about".
type Cost struct {
	Items int64
	// First is the read units of the first reading and of the counters. Again is the read units of
	// the second reading of the accounts, which happens only if some locks do not match.
	First, Again float64
	// Each is the read units for one value that does not match: its lock before the second reading,
	// then lock, owner and account in one transaction.
	Each float64
	// Beyond describes further reads that may be needed, for example if very many values do not
	// match or keep changing. It is empty if there are none.
	Beyond string
	// Pace is the greatest number of read units a second; 0 means no limit. Time is the duration of both readings
	// at that pace; 0 means unknown. Wait is the wait before the second reading, so that sign-ups in progress
	// become visible.
	Pace float64
	Time time.Duration
	Wait time.Duration
	// Disk is the number of bytes of temporary files that the check writes to the directory Temp.
	Disk int64
	Temp string
	// Uncounted: the endpoint does not report the size of a table, so the cost is unknown.
	Uncounted bool
}

// Units returns First plus Again.
func (c Cost) Units() float64 { return c.First + c.Again }
