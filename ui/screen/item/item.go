// Package item is the screen of one item: all its attributes, with their types. It sends messages
// to the program. Start reading at Screen.
package item

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows all attributes of one item, with their types.
type Screen struct {
	*session.Session
	owner *dynamo.Table // the table whose layout led to the item
	table string
	key   attr.Key
	rows  kit.List
	// seen returns the relations that were read with the owner table.
	seen    func() []*verdict.Relation
	lockOf  *verdict.Relation // the relation whose lock the item is, as read with the table; nil if the item is no lock
	in      *browse.Inspection
	lines   []line
	width   int             // the width that the lines fit
	open    map[string]bool // the paths of the rows that show their whole value
	counter *openedCounter  // nil unless the item was opened as a counter
	past    screen.History  // the journal's records of the lock
	err     error
}

// New returns the screen of an item of a table, or of one of its lock tables. Refresh reads the
// item. seen returns the relations that were read with the owner table.
func New(s *session.Session, m screen.Item, seen func() []*verdict.Relation) *Screen {
	on := &Screen{Session: s, owner: m.Owner, table: m.Table, key: m.Key, seen: seen, open: map[string]bool{}}
	if m.Counter != nil {
		on.counter = &openedCounter{*m.Counter}
	}
	return on
}

// TableName implements screen.Placed.
func (s *Screen) TableName() string { return s.table }

func (s *Screen) read() tea.Cmd {
	seen := s.seen()
	s.past = screen.History{}
	for _, r := range seen {
		if r.Lock.Exists && r.Lock.Table == s.table && r.Lock.Key.ID() == s.key.ID() {
			s.lockOf = r
		}
	}
	return task.Start(s.Tasks, task.Fetching, func(ctx context.Context) (*browse.Inspection, error) {
		return browse.Inspect(ctx, s.owner, s.table, s.key, seen...)
	}, func(in *browse.Inspection, err error) tea.Cmd {
		s.err = err
		if err == nil {
			s.in = in
			if s.counter != nil {
				s.counter = s.counter.again(in)
			}
			s.lay()
		}
		return s.Follow()
	})
}

// Follow implements screen.Follower. If the item is a lock, it loads the journal's records of that
// lock.
func (s *Screen) Follow() tea.Cmd { return s.past.Load(s.Session, s.owner, s.lockOf) }

// lay makes the lines for the current width.
func (s *Screen) lay() {
	s.width = s.ListWidth()
	s.lines = linesOf(s.in, s.Now(), s.width, s.open)
}

// fold shows the whole selected value, or one line of it again.
func (s *Screen) fold() tea.Cmd {
	row, ok := s.selected()
	if !ok {
		return nil
	}
	s.open[row.path] = !s.open[row.path]
	s.lay()
	for n, l := range s.lines {
		if l.path == row.path && l.means == "" {
			s.rows.Cursor = n
			return nil
		}
	}
	return nil
}

func (s *Screen) selected() (line, bool) {
	if s.rows.Cursor < len(s.lines) {
		return s.lines[s.rows.Cursor], true
	}
	return line{}, false
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	if s.in != nil && s.width != s.ListWidth() {
		s.lay()
	}
	c := screen.Content{List: &s.rows, Rows: list{s.lines, s.ListWidth()}, Hints: s.Commands().Hints(s.Session)}
	read := ""
	if s.in != nil {
		read = "read " + say.Clock(s.in.At) + ", consistent"
	}
	c.Top = screen.Path(s.Session, s.table, s.key.String(), read)
	c.Heads = func(l *kit.Line) {
		kind, value := columnsOf(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "ATTRIBUTE"}, kit.Cell{Column: kind, Text: "TYPE"},
			kit.Cell{Column: value, Text: "VALUE"})
	}
	c.Cover = screen.Cover(s.Session)
	switch {
	case s.err != nil:
		c.Instead, c.Beside = func(d *kit.Block) { screen.Failed(s.Session, d, s.err) }, screen.Permits(s.Session, s.err)
		c.Heads = nil
		return c
	case s.in == nil:
		c.Cover = screen.Cover(s.Session, task.Fetching)
		c.Instead = func(d *kit.Block) {
			d.Row(func(l *kit.Line) {
				l.Put(kit.Muted, " Reading ")
				l.Fit(kit.Text, s.key.String(), l.Width/2)
				l.Put(kit.Muted, " at "+s.Connection().Where()+" (connection ")
				l.Put(kit.Text, s.Connection().Name())
				l.Put(kit.Muted, ").")
			})
			screen.Slow(s.Session, d, task.Fetching)
		}
	case s.in.Item == nil:
		c.Heads = nil
		c.Instead = func(d *kit.Block) {
			d.Gap()
			d.Para(2, kit.Heading, "This item does not exist any more.")
			d.Gap()
			d.Keys(4, s.Hint(keymap.Reload, "read it again"))
		}
	default:
		at, of := place(s)
		c.Cover.Left = []kit.Span{kit.Muted.Of(say.Position(at, of, false) + " attributes")}
		c.Cover.Right = []kit.Span{
			kit.Muted.Of(phrase.Count(s.in.Item.Size(), "byte") + " · " + say.Units(s.in.Units) + " RU"),
		}
	}
	s.details(&c)
	return c
}

// place returns the number of the selected attribute and the number of attributes. It does not
// count the other lines.
func place(s *Screen) (at, of int) {
	for n, l := range s.lines {
		if l.means == "" && l.tree == "" && l.text == "" {
			of++
			if n <= s.rows.Cursor {
				at = of
			}
		}
	}
	return at, of
}

// Refresh reads the item again.
func (s *Screen) Refresh() tea.Cmd { return s.read() }

// openedCounter is the item as a counter, if it was opened as one.
type openedCounter struct{ counter.Counter }

// again returns the counter with the item's current number. It keeps the earlier comparison with
// the ids in use.
func (c openedCounter) again(in *browse.Inspection) *openedCounter {
	now := counter.At(c.Open(), c.Layout, in.Key, in.Item)
	now.TakeIDs(c.HighestID, c.IDsChecked)
	return &openedCounter{now}
}

// commands returns the commands for the counter.
func (c openedCounter) commands(s *session.Session) screen.Commands {
	return screen.Commands{
		{
			Action: keymap.Bump,
			Words:  "bump",
			Full:   "bump, reserve, raise",
			Why:    func() string { return s.WhyBump(c.Counter) },
			Run:    func() tea.Cmd { return change.AskBump(s, c.Counter, false) },
		},
		{
			Action: keymap.Mend,
			Words:  "mend",
			Full:   "mend it",
			Why:    func() string { return s.WhyMendCounter(c.Counter) },
			Run:    func() tea.Cmd { return change.AskMendCounter(s, c.Counter, false) },
		},
	}
}

// beneath draws the counter in four rows.
func (c openedCounter) beneath(d *kit.Block) {
	d.Verdict(say.Counter(c.Counter), say.CounterSentence(c.Counter))
	for _, f := range c.facts() {
		d.Fact(f.Label, f.Said...)
	}
}

// beside draws the counter beside the list, on a wide screen.
func (c openedCounter) beside(d *kit.Block) {
	d.Sign(say.Counter(c.Counter))
	d.Para(1, kit.Strong, say.CounterSentence(c.Counter))
	d.Gap()
	for _, f := range c.facts() {
		d.LongFact(1, f.Label, f.Said[0].Text)
	}
	d.Gap()
}

func (c openedCounter) facts() []kit.Fact {
	facts := []kit.Fact{kit.Text.Says("counter", c.Name), kit.Text.Says("stores", say.Stores(c.Counter)+", step "+c.Step)}
	if c.HighestID != "" {
		facts = append(facts, kit.Text.Says("highest", phrase.Group(c.HighestID)+" in use"))
	}
	return facts
}
