// Package find is the screen that says who holds a value, with the evidence. It sends messages to
// the program. Start reading at Screen.
package find

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen asks who holds a value, and shows the answer with its evidence.
type Screen struct {
	*session.Session
	field  kit.Field
	typing bool
	asked  string
	list   kit.List
	table  kit.Table[row]
	answer *find.Answer // nil until there is one
	took   time.Duration
	err    error
	past   screen.History // the journal's records of the locks
}

// New returns the screen with an empty question.
func New(s *session.Session) *Screen {
	s.Asked.Rest()
	return &Screen{Session: s, field: kit.NewField(""), typing: true, table: kit.Table[row]{Columns: columns}}
}

// Ask opens the question, with the last query as its text.
func (s *Screen) Ask() {
	s.Asked.Rest()
	s.typing, s.field = true, kit.NewField(s.asked)
}

// For finds who holds a value.
func (s *Screen) For(value string) tea.Cmd { return s.look(value, false) }

// look finds the answer to a query. scan allows reading the whole table.
func (s *Screen) look(query string, scan bool) tea.Cmd {
	units := 0.0
	if scan {
		units = s.answer.Whole.Units
	}
	return s.Reading(units, func() tea.Cmd { return s.find(query, scan) })
}

func (s *Screen) find(query string, scan bool) tea.Cmd {
	s.asked, s.typing = query, false
	s.Asked.Add(query)
	t, began, before := s.Table, s.Now(), s.answer
	if !scan {
		before = nil // a repeated query starts from the beginning
	}
	return task.Start(s.Tasks, task.Finding, func(ctx context.Context) (*find.Answer, error) {
		return find.Find(ctx, t, query, find.Options{Near: true, Scan: scan, After: before})
	}, func(found *find.Answer, err error) tea.Cmd {
		s.err, s.took = err, s.Now().Sub(began)
		if client.KindOf(err) == client.Cancelled && err != nil {
			s.err = nil
			s.typing, s.field = true, kit.NewField(query)
			return s.Say("Stopped.")
		}
		var stay row
		if was := s.rows().rows; s.list.Cursor < len(was) && s.answer.Typed == query {
			stay = was[s.list.Cursor]
		}
		s.answer, s.list, s.past = found, kit.List{}, screen.History{}
		s.list.Cursor = s.rows().begin(stay, mainOf(found))
		return s.Follow()
	})
}

func (s *Screen) rows() list {
	if s.answer == nil {
		return list{}
	}
	return list{rowsOf(s.answer, s.Size.Wide()), &s.table}
}

func (s *Screen) selected() *verdict.Relation {
	rows := s.rows().rows
	if s.list.Cursor < len(rows) {
		return rows[s.list.Cursor].rel
	}
	return nil
}

// Typed handles a key in the question's field.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			if s.field.Value() == "" {
				return nil
			}
			return s.look(s.field.Value(), false)
		case "esc":
			if s.answer != nil {
				s.typing = false
				return nil
			}
			return s.Send(message.Leave{})
		case "up", "ctrl+p":
			s.Asked.Older(&s.field)
			return nil
		case "down", "ctrl+n":
			s.Asked.Newer(&s.field)
			return nil
		}
	}
	s.field.Update(msg)
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.typing }

// Asks reports whether the screen shows the answer for this value of the constraint.
func (s *Screen) Asks(c *layout.Constraint, value string) bool {
	return !s.typing && (s.asked == value || c.Normalised(s.asked) == value)
}

// Refresh asks the same question again.
func (s *Screen) Refresh() tea.Cmd { return s.look(s.asked, false) }

// Follow implements screen.Follower. It loads the journal's records of the selected lock.
func (s *Screen) Follow() tea.Cmd { return s.past.Load(s.Session, s.Table, s.selected()) }

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.rows(), Hints: s.hints(), Blurred: s.typing}
	top, end := s.question()
	c.Top = &screen.Heading{Line: top, From: 1, To: end}
	c.Cover = &kit.Coverage{Part: 1, Working: -1}
	since, busy := s.Tasks.Since(task.Finding)
	switch {
	case busy:
		c.Cover.Working = s.Phase(since)
		c.Cover.Right = []kit.Span{kit.Muted.Of(say.Lasts(s.Now().Sub(since).Truncate(100 * time.Millisecond)))}
		c.Instead = func(d *kit.Block) {
			d.Row(func(l *kit.Line) {
				l.Put(kit.Muted, " Looking for who holds ")
				l.Value(kit.Strong, s.asked)
				l.Put(kit.Muted, ".")
			})
			screen.Slow(s.Session, d, task.Finding)
		}
	case s.err != nil:
		c.Instead, c.Beside = func(d *kit.Block) { screen.Failed(s.Session, d, s.err) }, screen.Permits(s.Session, s.err)
	case s.answer == nil:
		c.Instead = func(d *kit.Block) { intro(d, s.Table) }
	default:
		s.picture(&c)
	}
	return c
}

// question draws row 1: the field, or the query and how long the answer took.
func (s *Screen) question() (string, int) {
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, s.Keys.Key(keymap.Find))
	l.Put(kit.Text, " ")
	if s.typing {
		s.field.Draw(l, kit.Heading, s.Size.Width-l.At-1, findable(s.Table), true)
		return l.Done(), min(4+max(kit.ValueWidth(s.field.Value()), 1), s.Size.Width)
	}
	_, busy := s.Tasks.Since(task.Finding)
	text := "answered in " + say.Lasts(max(s.took, 10*time.Millisecond)) + " · "
	from := s.Size.Width - 1 - kit.Width(text) - 10
	l.Fit(kit.Heading, s.asked, from-3-l.At)
	end := l.At
	if s.answer != nil && s.err == nil && !busy {
		l.To(from)
		l.Put(kit.Muted, text)
		if s.answer.Complete {
			l.Put(kit.Good, kit.GlyphYes)
			l.Put(kit.Muted, " complete")
		} else {
			l.Put(kit.Warn, "incomplete")
		}
	}
	return l.Done(), end
}

// findable names what a person can type, with the names from the table's layout.
func findable(t *dynamo.Table) string {
	var names []string
	for _, c := range t.Layout.Constraints() {
		names = append(names, c.Name)
	}
	for _, c := range t.Layout.Unlocked() {
		names = append(names, c.Name)
	}
	return say.AList(append(names, "account id"), "or")
}

func intro(d *kit.Block, t *dynamo.Table) {
	d.Gap()
	d.Para(4, kit.Text, "Type "+findable(t)+", then enter.")
	d.Gap()
	d.Para(
		4,
		kit.Muted,
		fmt.Sprintf(
			"Reads a few items to see who holds it, whether its lock is in order, and which look-alikes are in use. Reads the whole table only where nothing else tells, and by itself only where that costs at most %s read units.",
			say.Units(t.Connection().AutoReadUnits()),
		),
	)
}

// picture fills c with the answer: the sentence, the rows, and what was read.
func (s *Screen) picture(c *screen.Content) {
	c.Above = s.above
	c.Heads = s.table.Heads
	price := say.Units(s.answer.ReadUnits)
	c.Cover.Left = []kit.Span{kit.Muted.Of("what was read")}
	c.Cover.Right = []kit.Span{kit.Muted.Of(price + " read units")}
	c.More = func(n int) []kit.Span {
		more := []kit.Span{kit.Text.Of(fmt.Sprintf("%d more", n))}
		if s.Size.Wide() {
			return more
		}
		return append(more, kit.Muted.Of(" · what was read"))
	}
	c.Depth = min(max(len(s.answer.Reads), 3), 5)
	c.Beneath = func(d *kit.Block) { evidence(d, s.answer.Reads) }
	c.Beside = s.besides
	if s.Size.Wide() {
		at, of := kit.Position(s.rows(), s.list.Cursor)
		c.Cover.Left = []kit.Span{kit.Muted.Of(say.Position(at, of, false))}
		complete := "complete"
		if !s.answer.Complete {
			complete = "incomplete"
		}
		c.Cover.Right = []kit.Span{kit.Muted.Of(price + " read units · " + complete)}
		c.Below = func(d *kit.Block) {
			how(d, 2, mainOf(s.answer))
			s.past.Draw(d, 2, s.selected(), s.Now())
		}
	}
}

// mainOf returns the main relation of an answer: the first broken one, else the first unknown one
// with a lock, else the first one with a lock, else the first. It is nil if there is none.
func mainOf(a *find.Answer) *verdict.Relation {
	if a == nil {
		return nil
	}
	of := a.Locks
	if h := byID(a); h != nil {
		of = h.Values
	}
	if len(of) == 0 {
		return nil
	}
	best := of[0]
	rank := func(r *verdict.Relation) int {
		switch {
		case r.Verdict.Broken():
			return 3
		case r.Verdict == verdict.Unknown && r.Lock.Exists:
			return 2
		case r.Lock.Exists:
			return 1
		}
		return 0
	}
	for _, r := range of {
		if rank(r) > rank(best) {
			best = r
		}
	}
	return best
}

// byID returns the account that has the query as its id, if no lock keeps the query as a value;
// else nil.
func byID(a *find.Answer) *find.Holder {
	for _, r := range a.Locks {
		if r.Verdict != verdict.Free {
			return nil
		}
	}
	for n := range a.Accounts {
		if h := &a.Accounts[n]; h.ByID && len(h.Values) > 0 {
			return h
		}
	}
	return nil
}

// sentence returns the answer as a sentence about its main relation. If the value is free for
// several constraints, the sentence names them all.
func sentence(a *find.Answer) string {
	main := mainOf(a)
	if h := byID(a); h != nil {
		if main.Verdict != verdict.Held {
			return main.Sentence()
		}
		return fmt.Sprintf("%s is an account, and its locks keep what it holds.", h.Key.Hash.Value.Display())
	}
	var free []string
	for _, r := range a.Locks {
		if r.Verdict != verdict.Free || r.Value != main.Value {
			return main.Sentence()
		}
		free = append(free, r.Constraint.Name)
	}
	if len(free) < 2 {
		return main.Sentence()
	}
	return fmt.Sprintf("\"%s\" is free, as %s.", main.Value, say.AList(free, "and as"))
}

// inWords returns the answer as text for a ticket.
func inWords(a *find.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q in %s, looked up %s:\n", a.Query, a.Table, a.At.Format("2006-01-02 15:04:05 MST"))
	for _, r := range a.Locks {
		fmt.Fprintf(&b, "- %s: %s. %s", r.Constraint.Name, r.Verdict, r.Sentence())
		if so := say.Consequence(r); so != "" {
			fmt.Fprintf(&b, " %s", say.Sentence(so))
		}
		b.WriteByte('\n')
	}
	for _, u := range a.Unlocked {
		fmt.Fprintf(&b, "- %s: %s. %s\n", u.Constraint.Name, u.Verdict, u.Sentence())
	}
	for _, h := range a.Accounts {
		if !h.ByID {
			continue
		}
		fmt.Fprintf(&b, "- account id: %s is an account.\n", h.Key.Hash.Value.Display())
		for _, r := range h.Values {
			fmt.Fprintf(&b, "  - %s: %s. %s\n", r.Constraint.Name, r.Verdict.OfValue(), r.Sentence())
		}
	}
	if note := a.Note(); note != "" {
		fmt.Fprintf(&b, "%s\n", say.Sentence(note))
	}
	if !a.Complete {
		b.WriteString("Not everything could be told.\n")
	}
	return b.String()
}
