package check

import (
	"time"

	"tallylock/dynamo"
)

// Cost is what a check reads at most, as far as can be told beforehand. The
// sizes are DescribeTable's, which are hours old: people must be told "about".
type Cost struct {
	Items, Bytes int64
	// First is the read units of the first pass, with the sample that the layout is
	// tried on before it. Again is those of looking once
	// more, which is done only where something does not fit together.
	First, Again float64
	// Pace is how many units a second are used at most; 0 where nothing bounds
	// them. Time is how long both readings take at that pace; 0 where it is not known.
	Pace float64
	Time time.Duration
	// Uncounted: the endpoint does not say how large a table is.
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
		cost.Uncounted = cost.Uncounted || d.Bytes == 0
		first, again := passUnits(d, o, false), passUnits(d, o, o.Confirm == ConfirmFull && o.Look == Strong)
		if o.Export != nil {
			first = 0
			if o.Confirm != ConfirmFull {
				again = 0
			}
		}
		pace := o.MaxReadUnits
		if pace == 0 {
			pace = PaceOf(d)
		}
		cost.First += first
		if len(t.Layout.Accounts) > 0 {
			cost.Again += again
		}
		if pace > 0 {
			cost.Pace = pace
			cost.Time += time.Duration((first + again) / pace * float64(time.Second))
		}
	}
	// Each lock that a sampled account calls for is read by itself.
	if o.exportOnly() {
		return cost
	}
	cost.First += float64(min(cost.Items, sampledAccounts*int64(len(t.Layout.Constraints()))))
	if cost.Time > 0 && o.Confirm == ConfirmFull {
		cost.Time += t.Connection().Settle()
	}
	return cost
}

// passUnits is about how many read units one reading of a table takes. Every part
// costs what a unit reads at least.
func passUnits(d dynamo.Description, o Options, consistent bool) float64 {
	each := bytesPerUnit(ScanOptions{Consistent: consistent})
	segments := o.Segments
	if segments <= 0 {
		segments = SegmentsOf(d)
	}
	return max(float64(d.Bytes)/each, float64(segments)*unitBytes/each)
}
