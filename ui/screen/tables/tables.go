// Package tables is the screen on which a person chooses a table of any connection, or types a
// command. It sends messages to the program. Start reading at Screen.
package tables

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen is the list of tables and commands. Its field always has the cursor; typed text filters
// the list.
type Screen struct {
	*session.Session
	cursor kit.List
	table  kit.Table[shown]
	field  kit.Field
	of     catalogues // one for each connection
	kept   line       // the line that the person moved to; empty before that

	offers   func() []screen.Typed
	commands []command      // as of the last change of the field's text
	offered  []screen.Offer // the texts that may follow the typed command
	opened   line           // the table that was opened last; empty before that
	began    time.Time      // when the listing of tables began
	again    bool           // the list may be out of date: this session has listed tables before
}

// catalogue holds the tables of one connection.
type catalogue struct {
	names  []string
	opened map[string]dynamo.Opened
	err    error
	done   bool
}

// New returns the screen. Look lists the tables. offered returns the commands that can be typed
// now. again reports whether the session has listed tables before.
func New(s *session.Session, offered func() []screen.Typed, again bool) *Screen {
	return &Screen{
		Session: s,
		field:   kit.NewField(""),
		table:   kit.Table[shown]{Columns: columns},
		of:      make(catalogues, len(s.Connections)),
		offers:  offered,
		again:   again,
	}
}

// sighted is a result for one connection: its table names, one opened table, or an error.
type sighted struct {
	conn    int
	reached *dynamo.Connection
	names   []string
	table   *dynamo.Opened
	err     error
}

// Look lists the tables of all connections: first their names, then the layout of each.
func (s *Screen) Look() tea.Cmd {
	s.began = s.Now()
	s.look()
	conns := slices.Clone(s.Connections) // take sets the session's own connections meanwhile
	return task.Stream(s.Tasks, task.Listing, func(ctx context.Context, report func(sighted)) (struct{}, error) {
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
		for n := range s.of {
			s.of[n].done = err == nil
		}
		return nil
	})
}

// lookAgain lists the tables again, and reads new samples.
func (s *Screen) lookAgain() tea.Cmd {
	for _, c := range s.Connections {
		if c.Connection != nil {
			c.Resample()
		}
	}
	s.of, s.again = make(catalogues, len(s.Connections)), false
	return s.Look()
}

func (s *Screen) take(n sighted) {
	c := &s.of[n.conn]
	if n.table != nil {
		if c.opened == nil {
			c.opened = map[string]dynamo.Opened{}
		}
		c.opened[n.table.Name] = *n.table
		return
	}
	c.names, c.err = n.names, n.err
	s.stay()
	if s.Connections[n.conn].Connection == nil {
		s.Connections[n.conn].Connection = n.reached
	}
}

// stay keeps the cursor on the line that the person moved to, or else on the first one, while
// connections are still being listed.
func (s *Screen) stay() {
	s.cursor = kit.List{Height: s.cursor.Height}
	for n, l := range s.lines().lines {
		if s.kept.choosable() && l.same(s.kept) {
			s.cursor.Cursor = n
		}
	}
	if !s.kept.choosable() {
		s.cursor.Cursor = s.lines().preferred(s.Connections, s.cursor.Cursor)
	}
}

func (s *Screen) selected() (line, bool) {
	rows := s.lines()
	lines := rows.lines
	s.cursor.Cursor = kit.Nearest(rows, s.cursor.Cursor, 1)
	if s.cursor.Cursor < len(lines) && lines[s.cursor.Cursor].choosable() {
		return lines[s.cursor.Cursor], true
	}
	return line{}, false
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.lines()
	tables := 0
	for _, c := range s.of {
		tables += len(c.names)
	}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, s.Keys.Key(keymap.Tables))
	l.Put(kit.Text, " ")
	right := phrase.Count(tables, "table")
	if len(s.Connections) > 1 {
		right = phrase.Count(len(s.Connections), "connection") + ", " + right
	}
	placeholder := "type a table, or a command"
	if s.of.unlisted() {
		placeholder = "type a table's name"
	}
	s.field.Draw(l, kit.Strong, s.Size.Width-l.At-2-len(right), placeholder, true)
	l.Ends(kit.Muted, right, s.Size.Width-1)
	c := screen.Content{List: &s.cursor, Rows: rows, Depth: 2, Hints: s.hints()}
	end := 4 + max(kit.Width(safe.Text(s.field.Value())), 1)
	c.Top = &screen.Heading{Line: l.Done(), From: 1, To: end}
	c.Heads = func(l *kit.Line) {
		if rows.tables {
			s.table.Heads(l)
		}
	}
	c.Beneath = func(d *kit.Block) {
		if _, ok := s.selected(); !ok && s.of.failed() {
			d.Para(1, kit.Muted, "Run tallylock doctor in a shell: it says what works here and what does not.")
		}
		s.detail(d)
	}
	if row, ok := s.selected(); ok && !s.Size.Wide() && row.command != nil && row.command.Why == "" &&
		row.command.About != nil {
		c.Below = func(d *kit.Block) { d.Gap(); row.command.About(d) }
	}
	c.Cover, c.More = &kit.Coverage{Part: 1, Working: -1}, screen.More
	c.Beside = func(d *kit.Block) {
		c.Beneath(d)
		s.beside(d)
	}
	if rows.Len() == 0 {
		c.Instead = func(d *kit.Block) {
			d.Gap()
			d.Para(2, kit.Text, noneCalled(s))
		}
	}
	return c
}

func (s *Screen) hints() []kit.Hint {
	h := []kit.Hint{{Key: "↑↓", Words: "choose"}, {Key: "enter", Words: "open"}}
	if row, ok := s.selected(); ok && row.command != nil {
		h[1].Words = "run"
	}
	if s.field.Value() != "" {
		h = append(h, kit.Hint{Key: "tab", Words: "complete"}, kit.Hint{Key: "esc", Words: "clear"})
	} else if s.Table != nil || s.Wanted != "" || !s.Tab.Lists {
		h = append(h, kit.Hint{Key: "esc", Words: "back"})
	}
	switch {
	case s.of.failed():
		h = append(h, kit.Hint{Key: again, Words: "try again"})
	case s.again:
		h = append(h, kit.Hint{Key: again, Words: "read again"})
	}
	if s.field.Value() == "" && s.of.unlisted() {
		return append(h[1:], s.Hint(keymap.Quit, "quit"))
	}
	return append(h, kit.Hint{Key: keymap.Interrupt, Words: "quit"})
}

// About implements screen.Screen.
func (s *Screen) About() string { return "tables" }

// Typed handles a key in the field. Keys that move act on the list.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	if isKey {
		rows := s.lines()
		if action, _ := s.Keys.Action(keymap.Screen, key.String()); action == keymap.Quit && s.field.Value() == "" &&
			s.of.unlisted() {
			return tea.Quit
		}
		by := map[string]int{
			"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1, "pgup": -s.cursor.Height,
			"pgdown": s.cursor.Height,
		}[key.String()]
		if by != 0 {
			s.cursor.Jump(rows, by)
			s.kept, _ = s.selected()
			return nil
		}
		switch key.String() {
		case "enter":
			return s.open()
		case "tab":
			s.complete()
			return nil
		case again:
			return s.Reading(0, s.lookAgain, s.Connections...)
		case "esc":
			if s.field.Value() != "" {
				s.field = kit.NewField("")
				return nil
			}
			return s.Send(message.Leave{})
		}
	}
	if s.field.Update(msg) {
		s.cursor, s.kept = kit.List{}, line{}
		s.look()
		s.cursor.Cursor = s.lines().preferred(s.Connections, 0)
	}
	return nil
}

// open opens the selected table, or runs the selected command.
func (s *Screen) open() tea.Cmd {
	row, ok := s.selected()
	if !ok {
		return nil
	}
	if row.command != nil {
		if row.command.with.More {
			s.complete()
			return nil
		}
		if row.command.Why != "" {
			return s.Say(say.Sentence(row.command.Why))
		}
		return row.command.Run(cmp.Or(row.command.with.Text, s.parse().follows))
	}
	s.opened = row
	if o, known := s.of[row.conn].opened[row.table]; known && !s.again {
		if o.Err != nil {
			return s.Complain(say.Explain(o.Err).String())
		}
		return s.Send(message.Place{On: row.conn, Table: o.Table})
	}
	return s.Send(message.Place{On: row.conn, Name: row.table})
}

// Typing implements screen.TextInput: its field always has the cursor.
func (s *Screen) Typing() bool { return true }

// lists is how long Reopen may show an earlier list of tables.
const lists = 5 * time.Minute

// Reopen shows the earlier list again, and reads nothing. It reports false if the list is too old
// or incomplete.
func (s *Screen) Reopen(offered func() []screen.Typed) bool {
	_, busy := s.Tasks.Since(task.Listing)
	unfinished := slices.ContainsFunc(s.of, func(c catalogue) bool { return !c.done || c.err != nil })
	if s.Now().Sub(s.began) > lists || unfinished && !busy {
		return false
	}
	s.field, s.kept, s.offers, s.again = kit.NewField(""), line{}, offered, true
	s.look()
	s.stay()
	return true
}

// again is the key that lists the tables again, for example after a person has logged in. It is
// fixed, because the key for Reload may be a letter, which this screen would type.
const again = "ctrl+r"

// catalogues holds the tables of all connections.
type catalogues []catalogue

// failed reports whether listing the tables failed for some connection.
func (all catalogues) failed() bool {
	return slices.ContainsFunc(all, func(c catalogue) bool { return c.err != nil })
}

// unlisted reports whether listing the tables failed for every connection.
func (all catalogues) unlisted() bool {
	return !slices.ContainsFunc(all, func(c catalogue) bool { return c.err == nil })
}

// instead says what to do about a connection without tables; empty if there is nothing to do.
func (c catalogue) instead() string {
	switch {
	case c.err != nil:
		return say.Sentence(say.Explain(c.err).Do)
	case c.names != nil && len(c.names) == 0:
		return "Is the Region right? Start with another --region or --profile."
	}
	return ""
}
