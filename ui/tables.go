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
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// tablesScreen is where a table is chosen. Its field has the cursor: what is
// typed filters.
type tablesScreen struct {
	app   *app
	list  kit.List
	field kit.Field
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
	return &tablesScreen{app: a, field: kit.NewField(""), found: make([]catalogue, len(a.Connections))}
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
	conns := s.app.Connections
	return task.Stream(s.app.Tasks, task.Listing, func(ctx context.Context, report func(sighted)) (struct{}, error) {
		var wg sync.WaitGroup
		for n, c := range conns {
			wg.Go(func() {
				conn, err := c.Connected(ctx)
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
		s.app.Connections[n.conn].Connection = n.reached
	}
}

// stay keeps the cursor on the table that somebody went to, or on the first, while
// the lists of connections come in.
func (s *tablesScreen) stay() {
	s.list = kit.List{Height: s.list.Height}
	for n, l := range s.lines().lines {
		if s.kept.table != "" && l.conn == s.kept.conn && l.table == s.kept.table {
			s.list.Cursor = n
		}
	}
}

func (s *tablesScreen) selected() (tableLine, bool) {
	rows := s.lines()
	lines := rows.lines
	s.list.Cursor = kit.Nearest(rows, s.list.Cursor, 1)
	if s.list.Cursor < len(lines) && lines[s.list.Cursor].table != "" {
		return lines[s.list.Cursor], true
	}
	return tableLine{}, false
}

func (s *tablesScreen) Content() screen.Content {
	a := s.app
	rows := s.lines()
	tables := 0
	for _, c := range s.found {
		tables += len(c.names)
	}
	l := kit.NewLine(a.Styles, a.Size.Width, a.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, a.Keys.Key(keymap.Tables))
	l.Put(kit.Text, " ")
	right := phrase.Count(tables, "table")
	if len(a.Connections) > 1 {
		right = phrase.Count(len(a.Connections), "connection") + ", " + right
	}
	ghost := "type to filter"
	if s.unlisted() {
		ghost = "type a table's name"
	}
	s.field.Draw(l, kit.Strong, a.Size.Width-l.At-2-len(right), ghost, true)
	l.Ends(kit.Muted, right, a.Size.Width-1)
	c := screen.Content{List: &s.list, Rows: rows, Depth: 2, Hints: s.hints()}
	end := 4 + max(kit.Width(safe.Text(s.field.Value())), 1)
	c.Top = &screen.Heading{Line: l.Done(), From: 1, To: end}
	c.Heads = func(l *kit.Line) {
		cols := tableColumnsOf(l.Width)
		l.To(2)
		l.Put(kit.Muted, "CONNECTION")
		l.To(cols.table)
		l.Put(kit.Muted, "TABLE")
		l.Ends(kit.Muted, "ITEMS, ABOUT", cols.items)
		if cols.size > 0 {
			l.Ends(kit.Muted, "SIZE", cols.size)
		}
		l.To(cols.keeps)
		l.Put(kit.Muted, "KEEPS")
	}
	c.Beneath = func(d *kit.Block) { s.detail(d) }
	if rows.Len() == 0 {
		c.Instead = func(d *kit.Block) {
			d.Gap()
			d.Para(2, kit.Text, fmt.Sprintf("No table's name contains \"%s\".", s.field.Value()))
		}
	}
	return c
}

// detail is the banner of a production connection, and what opening costs.
func (s *tablesScreen) detail(d *kit.Block) {
	row, ok := s.selected()
	if !ok {
		return
	}
	c := s.app.Connections[row.conn]
	o, known := s.found[row.conn].opened[row.table]
	price := ""
	if known && o.Err == nil {
		price = fmt.Sprintf("Reading it whole is about %s RU.", words.Units(dynamo.LookCost(o.Table).Units))
	}
	if c.Production {
		if d.Ground == kit.Base {
			d.Ground = kit.Production
		}
		mode := " opens read-only."
		switch {
		case !c.WritesTo(row.table):
		case c.GuardOf(row.table) == client.GuardType:
			mode = " opens with writes on: each change asks for the value to be typed."
		default:
			mode = " opens with writes on: each change asks first."
		}
		said := append(kit.Wrap(c.Name()+mode+" "+price, d.Width-14), "")
		for n, row := range said[:2] {
			d.Row(func(l *kit.Line) {
				l.Put(kit.Text, " ")
				if n == 0 {
					l.Put(kit.Heading, "PRODUCTION")
				}
				l.To(13)
				l.Put(kit.Text, row)
			})
		}
		return
	}
	switch {
	case known && o.Err != nil:
		_, _, why, do := words.Explain(o.Err)
		d.Row(func(l *kit.Line) {
			l.Put(kit.Warn|kit.Bold, " ! ")
			l.Words(kit.Text, words.Sentence(why)+" "+words.Sentence(do), l.Width-l.At-1)
		})
	case known:
		layoutName := o.Table.Layout.Name
		if o.Table.Layout.Empty() {
			layoutName = "none that we know"
		}
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " layout ")
			l.Fit(kit.Text, layoutName, 30)
			l.Words(kit.Muted, "   "+price, l.Width-l.At-1)
		})
		said(d, o.Table)
	}
}

// said is what people have said of a table's layout, and when.
func said(d *kit.Block, t *dynamo.Table) {
	for n, one := range t.Fit.Decisions() {
		d.Row(func(l *kit.Line) {
			if n == 0 {
				l.Put(kit.Muted, " said")
			}
			l.To(8)
			text := one.Items + " items, " + one.Attribute + ": " + string(one.Are)
			if one.Constraint != "" {
				text = one.Constraint + ": accepted as it is"
			}
			l.Fit(kit.Text, text, l.Width-l.At-len("   2006-01-02")-1)
			l.Put(kit.Muted, "   "+one.Day())
		})
	}
}

func (s *tablesScreen) hints() []kit.Hint {
	h := []kit.Hint{{Key: "↑↓", Words: "choose"}, {Key: "enter", Words: "open"}}
	if s.field.Value() != "" {
		h = append(h, kit.Hint{Key: "ctrl+u", Words: "clear"})
	}
	if s.app.Table != nil || s.app.Wanted != "" || !s.app.Tab.Browses() {
		h = append(h, kit.Hint{Key: "esc", Words: "back"})
	}
	if s.field.Value() == "" && s.unlisted() {
		return append(h[1:], s.app.Hint(keymap.Quit, "quit"))
	}
	return append(h, kit.Hint{Key: keymap.Interrupt, Words: "quit"})
}

func (s *tablesScreen) About() string { return "tables" }

func (s *tablesScreen) Why(keymap.Action) string { return "" }

func (s *tablesScreen) Act(keymap.Action) tea.Cmd { return nil }

// typed takes a key of the field in. What moves, moves the list.
func (s *tablesScreen) Typed(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	if isKey {
		rows := s.lines()
		if action, _ := s.app.Keys.Action(keymap.Screen, key.String()); action == keymap.Quit && s.field.Value() == "" && s.unlisted() {
			return tea.Quit
		}
		by := map[string]int{"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1, "pgup": -s.list.Height, "pgdown": s.list.Height}[key.String()]
		if by != 0 {
			s.list.Jump(rows, by)
			s.kept, _ = s.selected()
			return nil
		}
		switch key.String() {
		case "enter":
			return s.open()
		case "esc":
			if s.field.Value() != "" {
				s.field = kit.NewField("")
				return nil
			}
			return s.app.leave()
		}
	}
	if s.field.Update(msg) {
		s.list, s.kept = kit.List{}, tableLine{}
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
			_, _, why, do := words.Explain(o.Err)
			return s.app.Complain(words.Sentence(why) + " " + words.Sentence(do))
		}
		return s.app.opened(row.conn, o.Table, s.app.Tab)
	}
	return s.app.open(row.conn, row.table)
}

// Typing implements screen.Typist: its field always has the cursor.
func (s *tablesScreen) Typing() bool { return true }
