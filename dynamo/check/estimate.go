package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
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
		cost.Uncounted = cost.Uncounted || d.Bytes == 0 && (o.Export == nil || o.Confirm == ConfirmFull)
		first, again := scan.Units(d, o.Segments, false), scan.Units(d, o.Segments, o.Confirm == ConfirmFull && o.Look == Strong)
		if o.Export != nil {
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
	cost.Beyond = beyond(t, o, cost)
	return cost
}

// beyond says what an estimate does not count.
func beyond(t *dynamo.Table, o Options, cost Cost) string {
	var more []string
	if slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool { return !l.Fixed(t.Schema) }) {
		more = append(more, "one for each counter")
	}
	if len(t.Layout.Accounts) == 0 {
		return strings.Join(more, "; ")
	}
	switch o.Confirm {
	case ConfirmReads:
		more = append(more, "a few for each value that does not fit")
	case ConfirmFull:
		more = append(more, fmt.Sprintf("a few for each value that does not fit, and at most %d a second for all of them while the accounts are looked at again", watchUnits))
	}
	if o.Export == nil {
		again := fmt.Sprintf("the first reading again where more than %s do not", phrase.Group(fmt.Sprint(capacity(sizesFor(o.Memory, cost.Items).cells))))
		if slices.ContainsFunc(t.Layout.Constraints(), func(con *layout.Constraint) bool { return con.Owner != "" }) {
			again += ", or only some locks name their account"
		}
		more = append(more, again, fmt.Sprintf("rounds of reading where more than %s do not, which it asks for first", phrase.Group(fmt.Sprint(sizesFor(o.Memory, cost.Items).suspects))))
		if o.Confirm == ConfirmFull {
			more = append(more, fmt.Sprintf("one more reading where such a key is longer than %d bytes", keyBytes-keyHead))
		}
	}
	if cost.Again <= t.Connection().AutoReadUnits() {
		more = append(more, fmt.Sprintf("%d more looks where values keep changing", mostLooks-1))
	}
	return strings.Join(more, "; ")
}

// reading is what a check does on its first pass.
const reading = "reading"

// unitsOf is about how many read units one reading of some tables takes.
func (c *checker) unitsOf(tables []*source, consistent bool) (units float64) {
	for _, from := range tables {
		if from.export == nil {
			units += scan.Units(c.t.DescriptionOf(from.name), c.o.Segments, consistent)
		}
	}
	return units
}
