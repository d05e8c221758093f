package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// countersScreen shows the counters of all tables of the connection, read again
// every few seconds.
type countersScreen struct {
	app    *app
	list   kit.List
	rows   []counterRow
	past   map[string]*history
	ids    map[string]seenIDs // by the counter's id: looked up when the tables were
	tables []*dynamo.Table    // nil: not looked for yet
	where  int                // tables that have counters
	denied int                // tables that could not be opened or read
	alone  bool               // the tables may not be listed: only the open one was looked at
	loop   int                // numbers the polling, so that there is one
	paused bool
	order  counterOrder
	readAt time.Time
	pace   float64 // read units a second
	err    error
	whole  bool
}

func (s *countersScreen) reset() {
	*s = countersScreen{app: s.app, past: map[string]*history{}, ids: map[string]seenIDs{}, loop: s.loop + 1}
}

// poll reads the counters now and, while the screen is looked at, every few
// seconds.
func (s *countersScreen) poll() tea.Cmd {
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

func (s *countersScreen) read(loop int) tea.Cmd {
	a := s.app
	conn, tables, open := a.Connection().Connection, s.tables, a.Table
	late := a.Tasks.After(silent, func() tea.Cmd { return nil }) // draws what has become old
	return tea.Batch(late, task.Start(a.Tasks, task.Polling, func(ctx context.Context) (counted, error) {
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
			if len(c.counters) == 0 || client.KindOf(err) == client.Unreachable {
				return c, err
			}
		}
		return c, nil
	}, func(c counted, err error) tea.Cmd { return s.landed(loop, c, err) }))
}

// silent is how long a reading may take before the numbers on the screen are said to
// be old.
const silent = 5 * time.Second

// silence is how long an answer has been waited for, where that is long.
func (s *countersScreen) silence() (time.Duration, bool) {
	since, busy := s.app.Tasks.Since(task.Polling)
	d := s.app.Now().Sub(since)
	return d, busy && d >= silent
}

func (s *countersScreen) landed(loop int, c counted, err error) tea.Cmd {
	a := s.app
	s.err = err
	if err != nil {
		if errors.Is(err, context.Canceled) || client.KindOf(err) == client.Cancelled {
			return nil
		}
		return a.Unreached(err, s.poll)
	}
	a.Reached()
	if s.tables == nil {
		s.denied, s.alone = len(c.errs), c.alone
	}
	s.tables, s.whole, s.readAt = c.tables, c.whole, c.at
	if c.looked {
		s.keepIDs(c.counters, c.at)
	}
	s.pace = c.spent / a.Options.Refresh.Seconds()
	s.take(c.counters)
	if loop != s.loop || s.paused {
		return nil
	}
	return a.Tasks.After(a.Options.Refresh, func() tea.Cmd {
		if loop != s.loop || s.paused || a.Tab != session.CountersTab {
			return nil
		}
		return s.read(loop)
	})
}

// take puts readings beside those of before.
func (s *countersScreen) take(counters []dynamo.Counter) {
	first := len(s.rows) == 0
	s.list.Hold(counterList{rows: s.rows})
	s.rows = nil
	tables := map[string]bool{}
	for _, c := range counters {
		c, at := s.checked(c)
		id := counterID(c)
		if s.past[id] == nil {
			s.past[id] = &history{}
		}
		s.past[id].add(c.ReadAt, c.Value)
		s.rows = append(s.rows, counterRow{c, s.past[id], at})
		tables[c.Table] = true
	}
	s.where = len(tables)
	s.order.sort(s.rows)
	s.list.Follow(counterList{rows: s.rows})
	if t := s.app.Table; first && t != nil { // the open table's own come first to mind
		s.list.Put(max(0, slices.IndexFunc(s.rows, func(row counterRow) bool { return row.Table == t.Name })))
	}
}

// mostLookedUp is of how many counters the highest id is looked up, where one read tells.
const mostLookedUp = 50

// seenIDs is what one read told of the ids of a counter.
type seenIDs struct {
	highest string
	all     bool
	at      time.Time
}

// keepIDs keeps what was looked up of ids for the readings to come.
func (s *countersScreen) keepIDs(counters []dynamo.Counter, at time.Time) {
	s.ids = map[string]seenIDs{}
	for _, c := range counters {
		if c.HighestID != "" || c.IDsChecked {
			s.ids[counterID(c)] = seenIDs{c.HighestID, c.IDsChecked, at}
		}
	}
}

// checked adds the highest id in use, which was read before the counter: as the last check
// of its table knows it, or as it was looked up when the tables were. The time is when
// that was, zero where nobody looked.
func (s *countersScreen) checked(c dynamo.Counter) (dynamo.Counter, time.Time) {
	seen, ok := s.ids[counterID(c)]
	if ok {
		c.TakeIDs(seen.highest, seen.all)
	}
	r := s.app.findings.runs[runPlace{s.app.On, c.Table}]
	if r == nil || r.running || len(r.summary.Counters) == 0 {
		return c, seen.at
	}
	for _, known := range r.summary.Counters {
		if known.Counter != c.Name {
			continue
		}
		highest := ""
		if known.HighestID != nil {
			highest = *known.HighestID
		}
		c.TakeIDs(highest, r.summary.Complete && len(c.Layout.IDs) > 0)
	}
	return c, r.ended
}

// counterID tells counters apart. The key of a table whose key is the number
// moves; its table and its name do not.
func counterID(c dynamo.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }

func (s *countersScreen) selected() (counterRow, bool) {
	if !s.list.Lost && s.list.Cursor < len(s.rows) {
		return s.rows[s.list.Cursor], true
	}
	return counterRow{}, false
}

func (s *countersScreen) Content() screen.Content {
	a := s.app
	cols := counterColumnsOf(a.Size.Width)
	end := s.readAt
	c := screen.Content{List: &s.list, Rows: counterList{s.rows, cols, end}, Depth: 4, Old: a.Offline != nil, Hints: s.hints()}
	c.Cover = s.cover()
	c.Heads = func(l *kit.Line) { s.heads(l, cols) }
	c.Beneath = func(d *kit.Block) { s.detail(d) }
	if row, ok := s.selected(); ok && a.inDetail() {
		c.Beneath = func(d *kit.Block) { s.facts(d, row) }
	} else if body := a.Size.Body(); a.Size.Wide() && ok && body-2-chartDepth >= min(len(s.rows), 6) {
		c.Depth = max(min(body-2-len(s.rows)-2, body*6/10), chartDepth)
		c.Split = countersSplit
		c.Beneath = func(d *kit.Block) { s.wideDetail(d) }
	}
	if len(s.rows) == 0 {
		c.Instead = s.state
		c.Heads = nil
		if s.err != nil && a.Offline != nil { // it says all there is to say
			c.Beneath = nil
		}
	}
	return c
}

// chartDepth is how many rows the facts of a counter need, with its chart beside
// them: it stands where enough of the list is left.
const chartDepth = 12

// countersSplit is where facts end and the chart begins on a wide screen.
const countersSplit = 54

func (s *countersScreen) heads(l *kit.Line, c counterColumns) {
	l.To(2)
	l.Put(kit.Muted, "COUNTER")
	if c.table > 0 {
		l.To(c.table)
		l.Put(kit.Muted, "TABLE")
	}
	l.To(c.stores)
	l.Put(kit.Muted, "STORES")
	l.Ends(kit.Muted, "VALUE", c.valueEnd)
	if c.nextEnd > 0 {
		l.Ends(kit.Muted, "NEXT", c.nextEnd)
	}
	if c.spark > 0 {
		l.To(c.spark)
		l.Put(kit.Muted, "LAST 60 S")
	}
	if c.rateEnd > 0 {
		l.Ends(kit.Muted, "RATE", c.rateEnd)
	}
	if c.highestEnd > 0 {
		l.Ends(kit.Muted, "HIGHEST ID", c.highestEnd)
	}
	l.To(c.health)
	l.Put(kit.Muted, "HEALTH")
}

func (s *countersScreen) cover() *kit.Coverage {
	a := s.app
	c := &kit.Coverage{Part: 1, Working: -1}
	if len(s.rows) == 0 {
		if since, busy := a.Tasks.Since(task.Polling); busy {
			c.Working = a.Phase(since)
		}
		return c
	}
	c.Left = []kit.Span{kit.Muted.Of(words.Position(s.list.Number(), len(s.rows), false))}
	bad := 0
	for _, r := range s.rows {
		if len(r.Faults) > 0 {
			bad++
		}
	}
	if bad > 0 {
		c.Left = append(c.Left, kit.Muted.Of(" · "), (kit.Bad | kit.Bold).Of(phrase.Count(bad, "problem")))
	}
	if word := s.order.words(); word != "" {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Text.Of(word))
	}
	unit := "RU/s"
	if a.Size.Width >= 100 {
		unit = "read units a second"
		c.Right = []kit.Span{kit.Muted.Of(phrase.Count(len(s.rows), "counter") + " in " + phrase.Count(s.where, "table") + " · ")}
	}
	quiet, silent := s.silence()
	switch {
	case silent && a.Offline == nil:
		c.Right = []kit.Span{kit.Warn.Of(fmt.Sprintf("no answer for %.0f s", quiet.Seconds())), kit.Muted.Of(", as it was at " + words.Clock(s.readAt))}
	case a.Offline != nil:
		c.Right = []kit.Span{kit.Muted.Of("as it was at "), kit.Text.Of(words.Clock(s.readAt)), kit.Muted.Of(", " + words.Ago(a.Now().Sub(s.readAt)))}
	case s.paused:
		c.Right = append(c.Right, kit.Warn.Of("paused"), kit.Muted.Of(", as read at "+words.Clock(s.readAt)))
	default:
		c.Right = append(c.Right, kit.Muted.Of(fmt.Sprintf("read every %g s · %s %s", a.Options.Refresh.Seconds(), words.Units(s.pace), unit)))
	}
	if !s.whole {
		c.Right = append(c.Right, kit.Warn.Of(" · not all"))
	}
	if s.alone {
		c.Right = append(c.Right, kit.Warn.Of(" · this table only"))
	}
	if s.denied > 0 {
		c.Right = append(c.Right, kit.Warn.Of(" · "+phrase.Count(s.denied, "table")+" not readable"))
	}
	return c
}

func (s *countersScreen) hints() []kit.Hint {
	a := s.app
	if a.Offline != nil {
		return []kit.Hint{a.Hint(keymap.Open, "try now")}
	}
	var h []kit.Hint
	if s.Why(keymap.Bump) == "" {
		h = append(h, a.Hint(keymap.Bump, "bump"))
	}
	if s.Why(keymap.Mend) == "" {
		h = append(h, a.Hint(keymap.Mend, "mend"))
	}
	if len(s.rows) > 0 {
		pause := "pause"
		if s.paused {
			pause = "go on"
		}
		h = append(h, a.Hint(keymap.Open, "item"), a.Hint(keymap.NextProblem, "next problem"), a.Hint(keymap.Pause, pause), a.Hint(keymap.Copy, "copy"), a.Hint(keymap.Sort, "sort"))
	}
	return h
}

func (s *countersScreen) About() string {
	if row, ok := s.selected(); ok {
		return "counters, " + row.Name
	}
	return "counters"
}

func (s *countersScreen) Why(action keymap.Action) string {
	row, ok := s.selected()
	switch action {
	case keymap.Release:
		return "locks are released on their own screen"
	case keymap.Find:
		if s.app.Table == nil {
			return "open a table first: " + s.app.Keys.Key(keymap.Tables)
		}
	case keymap.Mend:
		if !ok {
			return "no counter is selected"
		}
		if why := summed(row.Counter); why != "" {
			return why
		}
		return s.app.WhyMendCounter(row.Counter)
	case keymap.Undo:
		return s.app.WhyUndoLast()
	case keymap.ChangeValue, keymap.DeleteAccount, keymap.Mark:
		return "not on counters"
	case keymap.Fold, keymap.OnlyProblems, keymap.OtherSide, keymap.Stop:
		return "not on counters"
	case keymap.Bump:
		switch {
		case !ok:
			return "no counter is selected"
		case !row.Exists && row.Layout.KeyIsValue(row.Open().Schema):
			return "the counter does not exist, and its table says nothing of how it begins"
		case summed(row.Counter) != "":
			return summed(row.Counter)
		case words.HasFault(row.Counter, layout.CounterNotNumber):
			return "it holds no whole number"
		}
		return s.app.WhyWrite(row.Table, client.Update)
	case keymap.Open, keymap.Copy, keymap.CopyItem:
		if !ok {
			return "no counter is selected"
		}
	}
	return ""
}

// summed is why a counter of several items is not changed here; empty of others.
func summed(c dynamo.Counter) string {
	if c.Shards == 0 {
		return ""
	}
	return "it is the sum of " + phrase.Count(c.Shards, "item") + ", and no item holds it"
}

func (s *countersScreen) Act(action keymap.Action) tea.Cmd {
	a := s.app
	row, ok := s.selected()
	switch action {
	case keymap.Pause:
		s.paused = !s.paused
		if !s.paused {
			return s.poll()
		}
	case keymap.Sort:
		s.order = (s.order + 1) % counterOrders
		s.list.Hold(counterList{rows: s.rows})
		s.order.sort(s.rows)
		s.list.Follow(counterList{rows: s.rows})
	case keymap.Reload:
		s.tables = nil
		return s.poll()
	case keymap.Open:
		if ok {
			return a.openItemOf(row.Open(), row.Table, row.Key)
		}
	case keymap.Copy:
		if ok {
			return a.Copy("the number", row.Value)
		}
	case keymap.CopyItem:
		if ok {
			return a.CopyJSON("the item", row.Item)
		}
	case keymap.Bump:
		if ok {
			return a.askBump(row)
		}
	case keymap.Mend:
		if ok {
			return a.askMendCounter(row)
		}
	case keymap.Undo:
		return a.askUndoLast()
	}
	return nil
}
