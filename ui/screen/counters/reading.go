package counters

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Poll reads the counters now and, while the screen is looked at, every few
// seconds.
func (s *Screen) Poll() tea.Cmd {
	s.loop++
	return s.read(s.loop)
}

type counted struct {
	tables   []*dynamo.Table
	alone    bool
	counters []dynamo.Counter
	looked   bool // at the ids in use, too
	whole    bool
	errs     []error
	spent    float64
	at       time.Time
}

func (s *Screen) read(loop int) tea.Cmd {
	conn, tables, open := s.Connection().Connection, s.tables, s.Table
	late := s.Tasks.After(silent, func() tea.Cmd { return nil }) // draws what has become old
	return tea.Batch(late, task.Start(s.Tasks, task.Polling, func(ctx context.Context) (counted, error) {
		c := counted{tables: tables}
		if tables == nil {
			all, err := conn.OpenAll(ctx, nil)
			switch {
			case err != nil && client.KindOf(err) == client.Denied && open != nil && len(open.Layout.Counters) > 0:
				c.alone, all = true, []dynamo.Opened{{Name: open.Name, Table: open}}
			case err != nil:
				return c, err
			}
			c.tables = []*dynamo.Table{}
			for _, o := range all {
				if o.Err != nil {
					c.errs = append(c.errs, o.Err)
				} else if len(o.Table.Layout.Counters) > 0 {
					c.tables = append(c.tables, o.Table)
				}
			}
		}
		before := conn.Units()
		var errs []error
		c.counters, c.whole, errs = dynamo.Counters(ctx, c.tables)
		c.spent, c.at = conn.Units()-before, time.Now()
		if c.looked = tables == nil; c.looked {
			dynamo.LookUpIDs(ctx, c.counters, mostLookedUp)
		}
		c.counters = dynamo.SumShards(c.counters)
		c.errs = append(c.errs, errs...)
		if err := ctx.Err(); err != nil {
			return c, err
		}
		for _, err := range errs {
			// A table that may not be read leaves the others; an endpoint that
			// does not answer makes what came incomplete.
			if len(c.counters) == 0 || session.Passing(err) {
				return c, err
			}
		}
		return c, nil
	}, func(c counted, err error) tea.Cmd { return s.landed(loop, c, err) }))
}

// silent is how long a reading may take before the numbers on the screen are said to
// be old.
const silent = 5 * time.Second

// Silence is how long an answer has been waited for, where that is long.
func (s *Screen) Silence() (time.Duration, bool) {
	since, busy := s.Tasks.Since(task.Polling)
	d := s.Now().Sub(since)
	return d, busy && d >= silent
}

func (s *Screen) landed(loop int, c counted, err error) tea.Cmd {
	if loop != s.loop {
		return nil // of another connection, maybe
	}
	s.err = err
	if err != nil {
		if errors.Is(err, context.Canceled) || client.KindOf(err) == client.Cancelled {
			return nil
		}
		return s.Unreached(task.Polling, err, s.Poll)
	}
	others := s.Reached(task.Polling)
	if s.tables == nil {
		s.denied, s.alone = len(c.errs), c.alone
	}
	s.tables, s.whole, s.readAt = c.tables, c.whole, c.at
	if c.looked {
		s.ids = idsOf(c.counters, c.at)
	}
	s.pace = c.spent / s.Options.Refresh.Seconds()
	s.take(c.counters)
	if s.paused {
		return others
	}
	return tea.Batch(others, s.Tasks.After(s.Options.Refresh, func() tea.Cmd {
		if loop != s.loop || s.paused || s.Tab != session.CountersTab {
			return nil
		}
		return s.read(loop)
	}))
}

// take puts readings beside those of before.
func (s *Screen) take(counters []dynamo.Counter) {
	first := s.Empty()
	s.all = nil
	tables := map[string]bool{}
	for _, c := range counters {
		id := idOf(c)
		c, at := s.found.checked(c, s.ids[id])
		if s.past[id] == nil {
			s.past[id] = &history{}
		}
		s.past[id].add(c.ReadAt, c.Value)
		s.Counted(c.Open().Connection(), c)
		s.all = append(s.all, row{c, s.past[id], at})
		tables[c.Table] = true
	}
	s.where = len(tables)
	s.order.sort(s.all)
	s.narrow()
	if t := s.Table; first && t != nil { // the open table's own come first to mind
		s.cursor.Put(max(0, slices.IndexFunc(s.rows, func(row row) bool { return row.Table == t.Name })))
	}
}

// seenIDs is what one read told of the ids of a counter.
type seenIDs struct {
	highest string
	all     bool
	at      time.Time
}

// idsOf is what was looked up of ids, for the readings to come.
func idsOf(counters []dynamo.Counter, at time.Time) map[string]seenIDs {
	ids := map[string]seenIDs{}
	for _, c := range counters {
		if c.HighestID != "" || c.IDsChecked {
			ids[idOf(c)] = seenIDs{c.HighestID, c.IDsChecked, at}
		}
	}
	return ids
}

// checked adds the highest id in use, which was read before the counter: as the last check
// of its table knows it, or as it was looked up when the tables were. The time is when
// that was, zero where nobody looked.
func (f Found) checked(c dynamo.Counter, seen seenIDs) (dynamo.Counter, time.Time) {
	if !seen.at.IsZero() {
		c.TakeIDs(seen.highest, seen.all)
	}
	sum, ended := f(c.Table)
	if sum == nil || len(sum.Counters) == 0 {
		return c, seen.at
	}
	for _, known := range sum.Counters {
		if known.Counter != c.Name {
			continue
		}
		highest := ""
		if known.HighestID != nil {
			highest = *known.HighestID
		}
		c.TakeIDs(highest, sum.Complete && len(c.Layout.IDs) > 0)
	}
	return c, ended
}

// idOf tells counters apart. The key of a table whose key is the number
// moves; its table and its name do not.
func idOf(c dynamo.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }

// Visit reads the counters where they may be read unasked; else a key begins it.
func (s *Screen) Visit() tea.Cmd {
	if c := s.Connection(); c.Connection != nil && !c.ReadsUnasked() {
		s.paused = s.paused || s.tables == nil
		if s.paused {
			return nil
		}
	}
	return s.Poll()
}
