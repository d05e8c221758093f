// Package find is the screen that says who holds a value, with the evidence. It sends messages to
// the program. Start reading at Screen.
package find

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/reading"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen asks who holds a value, and shows the answer with its evidence.
type Screen struct {
	*session.Session
	known  *reading.Known
	field  kit.Field
	typing bool
	asked  string
	list   kit.List
	table  kit.Table[row]
	answer *find.Answer // nil until there is one
	took   time.Duration
	err    error
	past   *screen.History // the journal's records of the locks
	freed  string          // a sentence about the value that a change has just freed
	// answered gets each answer, and nil after a change replaced the value. It is nil unless a list opened the screen.
	answered func(*find.Answer)
	account  *attr.Key // an account that probably holds the first value; nil if none is known
}

// New returns the screen with an empty question.
func New(s *session.Session, known *reading.Known) *Screen {
	s.Asked.Rest()
	return &Screen{
		Session: s, known: known, field: kit.NewField(""), typing: true,
		past: screen.NewHistory(), table: kit.Table[row]{Columns: columns},
	}
}

// Ask opens the question, with the last query as its text.
func (s *Screen) Ask() {
	s.Asked.Rest()
	s.typing, s.field = true, kit.NewField(s.asked)
}

// Typed handles a key or pasted text in the question's field.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if pasted, ok := msg.(tea.PasteMsg); ok {
		return s.paste(pasted)
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			return s.enter(s.field.Value())
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

// enter asks who holds the typed value, or the values of a list. A list within the limit of read units is read at
// once.
func (s *Screen) enter(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	values := severalOf(s.Table, text)
	if len(values) < 2 {
		return s.look(text, false)
	}
	s.Asked.Add(text)
	return s.several(values, true)
}

// paste puts a pasted text into the field. A pasted list is shown with its price.
func (s *Screen) paste(msg tea.PasteMsg) tea.Cmd {
	if values := severalOf(s.Table, msg.Content); len(values) > 1 {
		return s.several(values, false)
	}
	msg.Content = strings.Trim(msg.Content, "\r\n")
	s.field.Update(msg)
	return nil
}

// several shows a list in place of the question.
func (s *Screen) several(values []string, read bool) tea.Cmd {
	return tea.Batch(s.Send(message.Leave{}), s.Send(screen.Values{Texts: values, Read: read}))
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.typing }

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.rows(), Hints: s.hints(), Blurred: s.typing}
	top, end := s.question()
	c.Top = &screen.Heading{Line: top, From: 1, To: end}
	c.Cover = screen.Cover(s.Session, task.Finding)
	since, busy := s.Tasks.Since(task.Finding)
	switch {
	case busy:
		c.Cover.Right = []kit.Span{kit.Muted.Of(say.Lasts(s.Now().Sub(since).Truncate(100 * time.Millisecond)))}
		c.EmptyState = func(d *kit.Block) {
			d.Row(func(l *kit.Line) {
				l.Put(kit.Muted, " Looking for the holder of ")
				l.Fit(kit.Strong, s.asked, l.Width-l.At)
				l.Put(kit.Muted, ".")
			})
			screen.Slow(s.Session, d, task.Finding)
		}
	case s.err != nil:
		c.Fail(s.Session, s.err)
	case s.answer == nil:
		c.EmptyState = func(d *kit.Block) { intro(d, s.Table) }
	default:
		s.picture(&c)
	}
	return c
}

// question draws row 1: the field, or the query and how long the answer took.
func (s *Screen) question() (string, int) {
	if s.typing {
		return s.Question(keymap.Find, &s.field, true, findable(s.Table))
	}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, s.Keys.Key(keymap.Find))
	l.Put(kit.Text, " ")
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
	d.Para(4, kit.Text, "Type "+findable(t)+", then press enter.")
	d.Para(4, kit.Text, "Or paste a list: it shows its price, then a row for each value.")
	d.Gap()
	d.Para(4, kit.Muted, "tallylock reads a few items: the account with the value, its lock, "+
		"and look-alikes. "+
		"If this is not enough, it reads the whole table. If that takes more than "+
		say.ReadUnits(t.Connection().AutoReadUnits())+", it asks you first.")
}

// tallEnough is the least height of a narrow window that lists the reads below the answer.
const tallEnough = 32

// picture fills c with the answer: the sentence, the rows, and what was read.
func (s *Screen) picture(c *screen.Content) {
	c.Intro = s.above
	c.Heads = s.table.Heads
	c.DetailBelow = func(d *kit.Block) { evidence(d, s.answer.Reads) }
	c.DetailSide = s.besides
	c.AfterRows = func(d *kit.Block) { s.after(d, 2) }
	c.Cover.Left = []kit.Span{kit.Muted.Of(say.WhatWasRead(s.answer.Reads))}
	c.Cover.Right = []kit.Span{kit.Muted.Of(say.ReadUnits(s.answer.ReadUnits))}
	c.More = func(n int) []kit.Span {
		more := []kit.Span{kit.Text.Of(phrase.Number(n) + " more")}
		if s.Size.Wide() {
			return more
		}
		return append(more, kit.Muted.Of(" · "+say.WhatWasRead(s.answer.Reads)))
	}
	if s.Size.Height >= tallEnough {
		c.Depth = min(max(len(s.answer.Reads), 3), 5)
	}
	if s.Size.Wide() {
		at, of := kit.Position(s.rows(), s.list.Cursor)
		c.Cover.Left = []kit.Span{kit.Muted.Of(say.Position(at, of, false))}
		complete := "complete"
		if !s.answer.Complete {
			complete = "incomplete"
		}
		c.Cover.Right = append(c.Cover.Right, kit.Muted.Of(" · "+complete))
	}
}
