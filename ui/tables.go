package ui

import (
	"context"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/safe"
)

// tablesScreen is where a table is chosen. Its field has the cursor: what is
// typed filters.
type tablesScreen struct {
	app   *app
	list  list
	field input
	found []catalogue // one for each connection
	kept  tableLine   // the table that somebody went to; none before
}

// catalogue is the tables of one connection.
type catalogue struct {
	names  []string
	opened map[string]dynamo.Opened
	err    error
	done   bool
}

func newTablesScreen(a *app) *tablesScreen {
	return &tablesScreen{app: a, field: newInput(""), found: make([]catalogue, len(a.conns))}
}

// sighted is news of one connection's tables.
type sighted struct {
	conn    int
	reached *dynamo.Connection
	names   []string
	table   *dynamo.Opened
	err     error
}

// look lists the tables of all connections: their names at once, then what each
// holds.
func (s *tablesScreen) look() tea.Cmd {
	conns := s.app.conns
	return stream(s.app.flights, listing, func(ctx context.Context, report func(sighted)) (struct{}, error) {
		var wg sync.WaitGroup
		for n, c := range conns {
			wg.Go(func() {
				conn, err := c.dialled(ctx)
				if err != nil {
					report(sighted{conn: n, err: err})
					return
				}
				names, err := conn.TableNames(ctx)
				report(sighted{conn: n, reached: conn, names: names, err: err})
				if err == nil {
					_, _ = conn.OpenAll(ctx, func(o dynamo.Opened) { report(sighted{conn: n, table: &o}) })
				}
			})
		}
		wg.Wait()
		return struct{}{}, ctx.Err()
	}, s.take, func(_ struct{}, err error) tea.Cmd {
		for n := range s.found {
			s.found[n].done = err == nil
		}
		return nil
	})
}

func (s *tablesScreen) take(n sighted) {
	c := &s.found[n.conn]
	if n.table != nil {
		if c.opened == nil {
			c.opened = map[string]dynamo.Opened{}
		}
		c.opened[n.table.Name] = *n.table
		return
	}
	c.names, c.err = n.names, n.err
	s.stay()
	if n.reached != nil {
		s.app.conns[n.conn].Connection = n.reached
	}
}

// stay keeps the cursor on the table that somebody went to, or on the first, while
// the lists of connections come in.
func (s *tablesScreen) stay() {
	s.list = list{height: s.list.height}
	for n, l := range s.lines().lines {
		if s.kept.table != "" && l.conn == s.kept.conn && l.table == s.kept.table {
			s.list.cursor = n
		}
	}
}

func (s *tablesScreen) selected() (tableLine, bool) {
	rows := s.lines()
	lines := rows.lines
	s.list.cursor = nearest(rows, s.list.cursor, 1)
	if s.list.cursor < len(lines) && lines[s.list.cursor].table != "" {
		return lines[s.list.cursor], true
	}
	return tableLine{}, false
}

func (s *tablesScreen) content() content {
	a := s.app
	rows := s.lines()
	tables := 0
	for _, c := range s.found {
		tables += len(c.names)
	}
	l := newLine(a.st, a.size.w, a.behind())
	l.put(asText, " ")
	l.put(asKey, a.keys.Key(keymap.Tables))
	l.put(asText, " ")
	right := phrase.Count(tables, "table")
	if len(a.conns) > 1 {
		right = phrase.Count(len(a.conns), "connection") + ", " + right
	}
	ghost := "type to filter"
	if s.unlisted() {
		ghost = "type a table's name"
	}
	s.field.draw(l, asStrong, a.size.w-l.at-2-len(right), ghost, true)
	l.ends(asMuted, right, a.size.w-1)
	c := content{list: &s.list, rows: rows, depth: 2, hints: s.hints()}
	end := 4 + max(cells(safe.Text(s.field.Value())), 1)
	c.top = []string{l.done(), a.topRule(1, end)}
	c.heads = func(l *line) {
		cols := tableColumnsOf(l.width)
		l.to(2)
		l.put(asMuted, "CONNECTION")
		l.to(cols.table)
		l.put(asMuted, "TABLE")
		l.ends(asMuted, "ITEMS, ABOUT", cols.items)
		if cols.size > 0 {
			l.ends(asMuted, "SIZE", cols.size)
		}
		l.to(cols.keeps)
		l.put(asMuted, "KEEPS")
	}
	c.beneath = func(d *doc) { s.detail(d) }
	if rows.Len() == 0 {
		c.instead = func(d *doc) {
			d.gap()
			d.para(2, asText, fmt.Sprintf("No table's name contains \"%s\".", s.field.Value()))
		}
	}
	return c
}

// detail is the banner of a production connection, and what opening costs.
func (s *tablesScreen) detail(d *doc) {
	row, ok := s.selected()
	if !ok {
		return
	}
	c := s.app.conns[row.conn]
	o, known := s.found[row.conn].opened[row.table]
	price := ""
	if known && o.Err == nil {
		price = fmt.Sprintf("Reading it whole is about %s RU.", units(dynamo.LookCost(o.Table).Units))
	}
	if c.Production {
		if d.ground == base {
			d.ground = production
		}
		mode := " opens read-only."
		switch {
		case !c.writesTo(row.table):
		case c.GuardOf(row.table) == client.GuardType:
			mode = " opens with writes on: each change asks for the value to be typed."
		default:
			mode = " opens with writes on: each change asks first."
		}
		said := append(wrap(c.Name()+mode+" "+price, d.width-14), "")
		for n, row := range said[:2] {
			d.row(func(l *line) {
				l.put(asText, " ")
				if n == 0 {
					l.put(asBold, "PRODUCTION")
				}
				l.to(13)
				l.put(asText, row)
			})
		}
		return
	}
	switch {
	case known && o.Err != nil:
		_, _, why, do := explain(o.Err)
		d.row(func(l *line) {
			l.put(asWarn|bold, " ! ")
			l.words(asText, sentence(why)+" "+sentence(do), l.width-l.at-1)
		})
	case known:
		layoutName := o.Table.Layout.Name
		if o.Table.Layout.Empty() {
			layoutName = "none that we know"
		}
		d.row(func(l *line) {
			l.put(asMuted, " layout ")
			l.fit(asText, layoutName, 30)
			l.words(asMuted, "   "+price, l.width-l.at-1)
		})
		said(d, o.Table)
	}
}

// said is what people have said of a table's layout, and when.
func said(d *doc, t *dynamo.Table) {
	for n, one := range t.Fit.Decisions() {
		d.row(func(l *line) {
			if n == 0 {
				l.put(asMuted, " said")
			}
			l.to(8)
			words := one.Items + " items, " + one.Attribute + ": " + string(one.Are)
			if one.Constraint != "" {
				words = one.Constraint + ": accepted as it is"
			}
			l.fit(asText, words, l.width-l.at-len("   2006-01-02")-1)
			l.put(asMuted, "   "+one.Day())
		})
	}
}

func (s *tablesScreen) hints() []hint {
	h := []hint{{"↑↓", "choose"}, {"enter", "open"}}
	if s.field.Value() != "" {
		h = append(h, hint{"ctrl+u", "clear"})
	}
	if s.app.table != nil || s.app.wanted != "" || !s.app.tab.browses() {
		h = append(h, hint{"esc", "back"})
	}
	if s.field.Value() == "" && s.unlisted() {
		return append(h[1:], s.app.hint(keymap.Quit, "quit"))
	}
	return append(h, hint{keymap.Interrupt, "quit"})
}

func (s *tablesScreen) about() string { return "tables" }

func (s *tablesScreen) why(keymap.Action) string { return "" }

func (s *tablesScreen) act(keymap.Action) tea.Cmd { return nil }

// typed takes a key of the field in. What moves, moves the list.
func (s *tablesScreen) typed(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	if isKey {
		rows := s.lines()
		if action, _ := s.app.keys.Action(keymap.Screen, key.String()); action == keymap.Quit && s.field.Value() == "" && s.unlisted() {
			return tea.Quit
		}
		by := map[string]int{"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1, "pgup": -s.list.height, "pgdown": s.list.height}[key.String()]
		if by != 0 {
			s.list.jump(rows, by)
			s.kept, _ = s.selected()
			return nil
		}
		switch key.String() {
		case "enter":
			return s.open()
		case "esc":
			if s.field.Value() != "" {
				s.field = newInput("")
				return nil
			}
			return s.app.leave()
		}
	}
	if s.field.update(msg) {
		s.list, s.kept = list{}, tableLine{}
	}
	return nil
}

// unlisted reports whether no connection's tables could be listed.
func (s *tablesScreen) unlisted() bool {
	for _, c := range s.found {
		if c.err == nil {
			return false
		}
	}
	return true
}

func (s *tablesScreen) open() tea.Cmd {
	row, ok := s.selected()
	if !ok {
		return nil
	}
	if o, known := s.found[row.conn].opened[row.table]; known {
		if o.Err != nil {
			_, _, why, do := explain(o.Err)
			return s.app.complain(sentence(why) + " " + sentence(do))
		}
		return s.app.opened(row.conn, o.Table, s.app.tab)
	}
	return s.app.open(row.conn, row.table)
}
