package setting

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
)

// Estimate estimates the cost of a check of the table. It sends no request.
func Estimate(t *dynamo.Table, o Options) progress.Cost {
	o.Fill()
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
		if AllGuessed(t) {
			again = 0
		}
		if len(t.Layout.Accounts) > 0 || o.Wants(finding.DuplicateID) && slices.ContainsFunc(t.Layout.Counters, SureIDs) {
			cost.Again += again
		}
		if pace > 0 {
			cost.Pace = pace
			cost.Time += time.Duration((first + again) / pace * float64(time.Second))
		}
	}
	cost.Disk, cost.Temp = Disk(t, o)
	if o.ExportOnly() {
		return cost
	}
	cost.First += float64(len(t.Layout.Counters))
	if cost.Time > 0 && o.Confirm == ConfirmFull && !AllGuessed(t) {
		cost.Wait = t.Connection().Settle()
	}
	keys := sketch.Capacity(FirstCells(o.Memory, cost.Items))
	cost.Each = unitsEach(t, o)
	cost.Beyond = beyond(t, o, cost, keys)
	return cost
}

// unitsEach estimates the read units to confirm one value that does not match its lock. It assumes one unit for
// each item.
func unitsEach(t *dynamo.Table, o Options) float64 {
	if len(t.Layout.Accounts) == 0 || o.Confirm == ConfirmNone {
		return 0
	}
	const strong, inTransaction = 1, 2
	items := 2 // a lock and an account
	if slices.ContainsFunc(t.Layout.Constraints(),
		func(con *layout.Constraint) bool { return con.Owner != "" || con.OwnedByKey() }) {
		items++
	}
	return strong + inTransaction*float64(items)
}

// beyond returns the text of Cost.Beyond: the reads that the estimate leaves out. keys is the number of mismatched
// values that fit in the first sketch.
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
			fmt.Sprintf("%.0f for each value that looks broken, and 2 for each further account that holds it", cost.Each))
	}
	if o.Confirm == ConfirmFull {
		more = append(more, fmt.Sprintf("at most %d a second during the second look at the accounts", WatchUnits))
	}
	if o.Export == nil && o.Candidates == nil {
		again := fmt.Sprintf("the first reading again, if more than %s look broken", phrase.Number(keys))
		if slices.ContainsFunc(t.Layout.Constraints(), func(con *layout.Constraint) bool { return con.Owner != "" }) {
			again += ", or only some locks name their account"
		}
		more = append(more, again)
		if o.Confirm == ConfirmFull {
			more = append(more, fmt.Sprintf("another reading, if a broken lock's key is over %d bytes", sketch.KeyBytes-join.KeyHead))
		}
	}
	return strings.Join(more, "; ")
}

// WatchUnits is the greatest number of read units a second for watching locks until the accounts have been read again.
const WatchUnits = 100

// UnitsOf estimates the read units for one reading of all these tables.
func UnitsOf(t *dynamo.Table, o *Options, tables []*join.Source, consistent bool) (units float64) {
	for _, from := range tables {
		units += scan.Units(t.DescriptionOf(from.Name), o.Segments, consistent)
	}
	return units
}
