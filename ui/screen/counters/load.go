package counters

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// pollNow reads the counters now, because a person asked for it. While the screen is shown, polling then
// continues for connections that may be read without a key. If anew is true, pollNow also looks for the
// tables with counters again, and takes new samples of them.
func (s *Screen) pollNow(anew bool) tea.Cmd {
	var on []session.Connection
	for _, k := range s.listed() {
		on = append(on, s.Connections[k.on])
	}
	return s.Reading(0, func() tea.Cmd {
		for _, k := range s.listed() {
			if anew && k.conn != nil {
				k.conn.Resample()
				k.tables = nil
			}
		}
		return s.poll(func(*known) bool { return true })
	}, on...)
}

// Enter implements screen.Tab. It continues the polling of connections that may be read without a key. It reads
// at once if the counters have not been read yet, or if the last reading failed. Otherwise it shows the last
// values until the next poll.
func (s *Screen) Enter() tea.Cmd {
	s.grow()
	s.toOpened(false)
	var cmds []tea.Cmd
	for _, k := range s.listed() {
		if _, busy := s.Tasks.Since(s.kind(k)); busy || !s.unasked(k) {
			continue
		}
		k.loop++
		if k.readAt.IsZero() || k.err != nil {
			cmds = append(cmds, s.read(k))
		} else {
			cmds = append(cmds, s.again(k, k.every))
		}
	}
	return tea.Batch(cmds...)
}

// Refresh implements screen.Refresher. It reads the counters again after a change. If the open connection was
// read before, Refresh reads it even if it reads only on request, because the change was made there.
func (s *Screen) Refresh() tea.Cmd {
	return s.poll(func(k *known) bool { return k.on == s.On && k.tables != nil || s.unasked(k) })
}

func (s *Screen) poll(may func(*known) bool) tea.Cmd {
	var cmds []tea.Cmd
	for _, k := range s.listed() {
		if may(k) {
			k.loop++
			cmds = append(cmds, s.read(k))
		}
	}
	return tea.Batch(cmds...)
}

// stopped reports whether polling waits for a key.
func (s *Screen) stopped() bool { return s.paused || !s.every && !s.unasked(s.open()) }

// pause pauses the polling, or continues it.
func (s *Screen) pause() tea.Cmd {
	if !s.stopped() {
		s.paused = true
		return nil
	}
	return s.Reading(0, func() tea.Cmd {
		s.paused = false
		if !s.every {
			s.open().asked = true
		}
		return s.poll(s.unasked)
	})
}

// Leave implements screen.Tab. It stops all polling.
func (s *Screen) Leave() {
	for _, k := range s.of {
		k.loop++
		s.Tasks.Drop(s.kind(k))
	}
}

type counted struct {
	conn     *dynamo.Connection // nil if it could not be reached
	tables   []*dynamo.Table
	alone    bool
	counters []counter.Counter
	looked   bool // the tables and the ids in use were read, too
	whole    bool
	errs     []error
	spent    float64
	at       time.Time
}

// read reads the counters of a connection.
func (s *Screen) read(k *known) tea.Cmd {
	c := s.Connections[k.on]
	before := *k
	var open *dynamo.Table
	if k.on == s.On {
		open = s.Table
	}
	late := s.Tasks.After(silent, func() tea.Cmd { return nil }) // redraws the screen, which then calls the values old
	return tea.Batch(late, task.Start(s.Tasks, s.kind(k), func(ctx context.Context) (counted, error) {
		conn, err := c.Connected(ctx)
		if err != nil {
			return counted{}, err
		}
		if conn != before.conn {
			before.tables = nil
		}
		return count(ctx, conn, before.tables, open)
	}, func(c counted, err error) tea.Cmd { return s.done(k, before.loop, c, err) }))
}

// count reads the counters of a connection's tables. If the parameter tables is nil, or if the config now describes a
// table differently, count first looks for tables with counters. The parameter open is the open table. If listing
// tables is denied, count reads only the open table, if that has counters. Samples, counters and ids together use at
// most AutoReadUnits, unless opening the tables or reading the counters alone needs more.
func count(ctx context.Context, conn *dynamo.Connection, tables []*dynamo.Table, open *dynamo.Table) (counted, error) {
	start := conn.Units()
	look := tables == nil || slices.ContainsFunc(tables, func(t *dynamo.Table) bool {
		changed, err := t.ConfigChanged()
		return err == nil && changed
	})
	c := counted{conn: conn, tables: tables, looked: look}
	if look {
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
	c.counters, c.whole, errs = counter.ReadAll(ctx, c.tables)
	c.spent, c.at = conn.Units()-before, time.Now()
	if c.looked {
		counter.LookUpIDs(ctx, c.counters, conn.AutoReadUnits()-(conn.Units()-start))
	}
	c.counters = counter.SumShards(c.counters)
	c.errs = append(c.errs, errs...)
	if err := ctx.Err(); err != nil {
		return c, err
	}
	for _, err := range errs {
		// One unreadable table does not affect the others. But if the endpoint does not
		// answer, the counters are incomplete.
		if len(c.counters) == 0 || session.IsTransient(err) {
			return c, err
		}
	}
	return c, nil
}

// silent is a limit. If a poll takes at least this long, the screen says that its
// numbers are old.
const silent = 5 * time.Second

// silence returns how long the running poll of a connection has waited for an answer. It reports whether that is
// at least silent.
func (s *Screen) silence(k *known) (time.Duration, bool) {
	since, busy := s.Tasks.Since(s.kind(k))
	d := s.Now().Sub(since)
	return d, busy && d >= silent
}

func (s *Screen) done(k *known, loop int, c counted, err error) tea.Cmd {
	if !s.wants(k, loop) {
		return nil
	}
	at := &s.Connections[k.on]
	if at.Connection == nil {
		at.Connection = c.conn
	}
	if c.conn != nil && c.conn != at.Connection {
		return s.read(k) // another task connected in between: use its connection, as changes do
	}
	k.err = err
	if err != nil {
		return s.failed(k, err)
	}
	var others tea.Cmd
	if k.on == s.On {
		others = s.Reached(task.Polling)
	}
	if c.looked {
		k.denied, k.alone, k.ids = len(c.errs), c.alone, map[string]inUse{}
		for _, read := range c.counters {
			if ids, ok := idsOf(read, c.at); ok {
				k.ids[idOf(read)] = ids
			}
		}
	}
	k.conn, k.tables, k.whole, k.readAt, k.tries = c.conn, c.tables, c.whole, c.at, 0
	k.every = s.Options.Refresh
	if seconds := c.spent * 60 / s.Options.PollUnits; seconds > k.every.Seconds() {
		k.every = time.Duration(math.Ceil(seconds)) * time.Second
	}
	k.pace = c.spent / k.every.Seconds()
	s.take(k, c.counters)
	if s.paused || !s.unasked(k) { // a person asked for one reading
		return others
	}
	return tea.Batch(others, s.again(k, k.every))
}

// failed handles the error of a reading. If the cause can end by itself, failed retries: for the open
// connection together with all its other failed tasks, for another connection after a growing pause.
func (s *Screen) failed(k *known, err error) tea.Cmd {
	switch {
	case errors.Is(err, context.Canceled) || client.KindOf(err) == client.Cancelled:
		return nil
	case k.on == s.On:
		return s.Unreached(task.Polling, err, func() tea.Cmd { return s.read(s.of[k.on]) })
	case !session.IsTransient(err):
		return nil
	}
	k.tries = min(k.tries+1, 5)
	return s.again(k, time.Second<<k.tries)
}

// wants reports whether a reading is still wanted: no later one has begun, and the tab is still shown.
func (s *Screen) wants(k *known, loop int) bool { return k == s.of[k.on] && k.loop == loop }

// again reads the counters of a connection after a pause, if the tab is still shown then.
func (s *Screen) again(k *known, later time.Duration) tea.Cmd {
	loop := k.loop
	return s.Tasks.After(later, func() tea.Cmd {
		if !s.wants(k, loop) || s.paused || s.Tab != Tab {
			return nil
		}
		return s.read(k)
	})
}

// take replaces the rows of a connection with new readings, and adds their values to the histories.
func (s *Screen) take(k *known, counters []counter.Counter) {
	first, tables := s.empty(), map[string]bool{}
	k.all = nil
	for _, c := range counters {
		s.Counted(k.conn, c)
		id := idOf(c)
		c, at := s.found.checked(k, c)
		if k.past[id] == nil {
			k.past[id] = &history{}
		}
		k.past[id].add(c.ReadAt, c.Value)
		k.all = append(k.all, row{c, k.past[id], at})
		tables[c.Table] = true
	}
	k.where = len(tables)
	s.order.sort(k.all)
	s.narrow()
	s.toOpened(first)
}

// toOpened puts the cursor on the first counter of the open table, which a person probably looks for. It
// does so once for each open table. first is true if the list was empty before.
func (s *Screen) toOpened(first bool) {
	t := s.Table
	if t == nil || s.every || len(s.groups) == 0 || !first && s.own == t.Name {
		return
	}
	s.own = t.Name
	own := slices.IndexFunc(s.groups[0].rows, func(row row) bool { return row.Table == t.Name })
	if first || own >= 0 {
		s.cursor.Put(max(0, own))
	}
}

// known holds the counters of one connection, and the state of their polling.
type known struct {
	on     int  // the connection's number
	loop   int  // counts the polls, so that the result of an earlier poll is ignored
	asked  bool // a person asked for polling, even if the connection reads only on request
	conn   *dynamo.Connection
	all    []row
	past   map[string]*history // by idOf
	ids    map[string]inUse    // by idOf; further polls do not look them up
	tables []*dynamo.Table     // the tables with counters; nil before the first reading
	where  int                 // counts the tables with counters
	denied int                 // counts the tables that could not be opened or read
	alone  bool                // listing tables is denied, so only the open table was read
	readAt time.Time
	every  time.Duration // the time between two polls
	pace   float64       // read units per second
	err    error
	tries  int // counts the failed readings in a row
	whole  bool
}

func newKnown(on int) *known {
	return &known{on: on, past: map[string]*history{}, ids: map[string]inUse{}}
}

// idOf identifies a counter. It does not use the key of the counter's item, because
// in some tables the number is part of the key and changes.
func idOf(c counter.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }
