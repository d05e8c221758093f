package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
)

// Cost is about what a check reads, but for what Beyond says: how many values do not fit
// is not known beforehand. The sizes are DescribeTable's, which are hours old. It is no
// bound: people must be told "about".
type Cost struct {
	Items, Bytes int64
	// First is the read units of the first pass, with the sample that the layout is
	// tried on before it and the counters after it. Again is those of looking once
	// more, which is done only where something does not fit together.
	First, Again float64
	// Each is the read units for a value that does not fit: its lock before the accounts
	// are looked at again, and then lock, owner and account at one moment. Most is Units
	// with as many such values as the first reading tells apart: the check takes no
	// more while fewer do not fit, they hold still, and the pace is known.
	Each, Most float64
	// Beyond says what may come on top of that, where very much is wrong or keeps
	// changing: few checks get there. It is empty where nothing may.
	Beyond string
	// Pace is how many units a second are used at most; 0 where nothing bounds
	// them. Time is how long both readings take at that pace; 0 where it is not known.
	Pace float64
	Time time.Duration
	// Uncounted: the endpoint does not say how large a table is, and nobody knows
	// what is read at most.
	Uncounted bool
}

// Units is First and Again.
func (c Cost) Units() float64 { return c.First + c.Again }

// Estimate says what a check of the table would cost. It sends nothing.
func Estimate(t *dynamo.Table, o Options) Cost {
	o.fill()
	var cost Cost
	for _, from := range sources(t) {
		d := t.DescriptionOf(from.name)
		cost.Items += d.Items
		cost.Bytes += d.Bytes
		cost.Uncounted = cost.Uncounted || d.Bytes == 0 && (o.Export == nil && o.Candidates == nil || o.Confirm == ConfirmFull)
		first, again := scan.Units(d, o.Segments, false), scan.Units(d, o.Segments, o.Confirm == ConfirmFull && o.Look == Strong)
		if o.Export != nil || o.Candidates != nil {
			first = 0
			if o.Confirm != ConfirmFull {
				again = 0
			}
		}
		pace := scan.RateOf(d, o.MaxReadUnits)
		cost.First += first
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
	if cost.Time > 0 && o.Confirm == ConfirmFull {
		cost.Time += t.Connection().Settle()
	}
	keys := sketch.Capacity(firstCells(o.Memory, cost.Items))
	cost.Each = unitsEach(t, o)
	cost.Most = cost.Units() + cost.Each*float64(keys)
	if o.Confirm == ConfirmFull {
		cost.Most += max(rePollUnits(cost), leastCalm*float64(keys)) + watchUnits*cost.Time.Seconds()
	}
	cost.Beyond = beyond(t, o, cost, keys)
	return cost
}

// unitsEach is about how many read units it takes to make sure of a value that does not
// fit, of items that a read unit holds.
func unitsEach(t *dynamo.Table, o Options) float64 {
	if len(t.Layout.Accounts) == 0 || o.Confirm == ConfirmNone {
		return 0
	}
	const strong, inTransaction = 1, 2
	items := 2 // the lock and an account
	if slices.ContainsFunc(t.Layout.Constraints(), func(con *layout.Constraint) bool { return con.Owner != "" || con.OwnedByKey() }) {
		items++
	}
	return strong + inTransaction*float64(items)
}

// beyond says what an estimate does not count: where more values than so many do not
// fit.
func beyond(t *dynamo.Table, o Options, cost Cost, keys int) string {
	var more []string
	if slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool { return !l.Fixed(t.Schema) }) {
		more = append(more, "one for each counter")
	}
	if len(t.Layout.Accounts) == 0 {
		return strings.Join(more, "; ")
	}
	if cost.Each > 0 {
		more = append(more, fmt.Sprintf("%.0f for each value that does not fit, and 2 for each further account that holds it", cost.Each))
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
			more = append(more, fmt.Sprintf("and where the key of such a lock is longer than %d bytes", sketch.KeyBytes-keyHead))
		}
	}
	if cost.Again <= t.Connection().AutoReadUnits() {
		more = append(more, fmt.Sprintf("%d more looks where values keep changing", mostLooks-1))
	}
	return strings.Join(more, "; ")
}
