package check

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/check/state"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
)

// window is a window of time. It has the increment of each table of the state, in the order of the tables.
type window struct {
	from, to time.Time
	exports  []*scan.Increment
}

// windowsOf sorts increments by their windows. It returns an error unless the windows continue the state without gaps
// and overlaps, and are the same for all tables.
func windowsOf(s *state.State, all []*scan.Increment) ([]window, error) {
	byTable := make([][]*scan.Increment, len(s.Tables))
	for _, x := range all {
		at := slices.IndexFunc(s.Tables, func(t state.Table) bool { return sameName(t.Name, x.Table) })
		switch {
		case at < 0:
			return nil, wrongIncrement(x, fmt.Sprintf("it is of the table %s, but the state is of %s", phrase.Quote(x.Table),
				phrase.List(s.Names())), "name only increments of the tables of the layout")
		case x.ID != s.Tables[at].ID:
			return nil, wrongIncrement(x, fmt.Sprintf(
				"it is of a different table that was also called %s: it has the id %s, the state has %s", x.Table,
				phrase.Quote(x.ID), phrase.Quote(s.Tables[at].ID)), "check a full export of the present table, and keep its state")
		}
		if err := x.NeedsOldImages(); err != nil {
			return nil, err
		}
		byTable[at] = append(byTable[at], x)
	}
	var windows []window
	for at, exports := range byTable {
		if err := abut(s, at, exports); err != nil {
			return nil, err
		}
		for n, x := range exports {
			switch {
			case at == 0:
				windows = append(windows, window{x.From, x.To, []*scan.Increment{x}})
			case n == len(windows) || !x.To.Equal(windows[n].to):
				return nil, otherWindows(s, at, x)
			default:
				windows[n].exports = append(windows[n].exports, x)
			}
		}
		if len(exports) < len(windows) {
			return nil, otherWindows(s, 0, windows[len(exports)].exports[0])
		}
	}
	return windows, nil
}

// abut sorts the increments of a table by time. It returns an error unless the first begins at the moment of the state,
// and each other one begins at the end of the one before.
func abut(s *state.State, at int, exports []*scan.Increment) error {
	table := s.Tables[at].Name
	if len(exports) == 0 {
		return refuseState("there is no increment of the table "+table,
			remedy.Of(remedy.Text, "name an increment of each table of the layout, all with the same windows"))
	}
	slices.SortFunc(exports, func(a, b *scan.Increment) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	end := s.At
	for n, x := range exports {
		before := "the state"
		if n > 0 {
			before = "the previous window"
		}
		switch {
		case x.From.After(end):
			return wrongIncrement(x, fmt.Sprintf("%s of %s ends at %s, and this window begins at %s: "+
				"the changes in between are missing",
				before, table, instant(end), instant(x.From)),
				fmt.Sprintf("add the increment of %s from %s until %s", table, instant(end), instant(x.From)))
		case !x.To.After(end):
			return wrongIncrement(x, fmt.Sprintf("%s of %s ends at %s, and this window ends at %s: its changes are already counted",
				before, table, instant(end), instant(x.To)), "leave this increment out")
		case x.From.Before(end):
			return wrongIncrement(x, fmt.Sprintf("%s of %s ends at %s, and this window begins at %s: the windows overlap", before,
				table, instant(end), instant(x.From)),
				fmt.Sprintf("export the changes from %s until %s in its place", instant(end), instant(x.To)))
		}
		end = x.To
	}
	return nil
}

// otherWindows returns the error for an increment if another table has no increment of the same window.
func otherWindows(s *state.State, at int, x *scan.Increment) error {
	other := s.Tables[0].Name
	if at == 0 {
		other = "another table of the layout"
	}
	return wrongIncrement(x, fmt.Sprintf("its window is from %s until %s, but %s has no increment of this window",
		instant(x.From), instant(x.To), other), "export all tables of the layout with the same windows")
}

// wrongIncrement returns the error for an increment that cannot be used.
func wrongIncrement(x *scan.Increment, why, do string) error {
	return refuseState("the increment in "+x.Dir()+" cannot be used: "+why, remedy.Of(remedy.Text, do))
}

// instant writes a time exactly, as the exports have it.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999 UTC") }
