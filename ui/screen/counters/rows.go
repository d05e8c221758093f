package counters

import (
	"slices"
	"strconv"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// row is a counter with its last values, and when its table was checked:
// what is known of the ids in use is of then.
type row struct {
	dynamo.Counter
	past    *history
	checked time.Time
}

// behindBy is how far a counter is behind the highest id in use; empty where it is
// not.
func behindBy(c dynamo.Counter) string {
	value, ok := words.WholeNumber(c.Value)
	highest, known := words.WholeNumber(c.HighestID)
	if !ok || !known || !slices.Contains(c.Faults, layout.CounterBehind) {
		return ""
	}
	if c.Semantics == layout.Next { // the number itself is still to be handed out
		highest.Add(highest, c.Layout.Step)
	}
	return phrase.Group(highest.Sub(highest, value).String())
}

// shownValue is a counter's value in w cells: a number whole, anything else
// between quotes.
func shownValue(c dynamo.Counter, w int) string {
	switch {
	case !c.Exists:
		return kit.GlyphAbsent
	case c.Next == "" && slices.Contains(c.Faults, layout.CounterNotNumber):
		return strconv.Quote(c.Value)
	}
	return words.FitNumber(c.Value, w)
}

// shownHighest is the highest id in use in w cells, as far as that is known.
func shownHighest(row row, w int) (string, kit.Style) {
	switch {
	case row.HighestID != "" && slices.Contains(row.Counter.Faults, layout.CounterBehind):
		return words.FitNumber(row.HighestID, w), kit.Bad
	case row.HighestID != "":
		return words.FitNumber(row.HighestID, w), kit.Muted
	case row.Semantics != layout.Tally && len(row.Layout.IDs) == 0:
		return "not kept", kit.Muted
	}
	return kit.GlyphAbsent, kit.Muted
}

// moves reports whether it is known how the counter moves.
func (r *row) moves() bool { return r.Exists && r.past != nil && r.Next+r.Value != "" }

// moving reports whether others move the counter at this moment.
func (r row) moving() bool { return r.past != nil && r.past.rate() > 0 }
