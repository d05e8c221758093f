// Package find is the screen that answers who holds a value, with the evidence. It speaks to the
// program in messages; start reading at Screen.
package find

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/relation"
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
	answer *dynamo.Answer // nil while there is none
	took   time.Duration
	err    error
	past   relation.History // what was done to the locks
}

// New is the screen, with its question open.
func New(s *session.Session) *Screen {
	s.Asked.Rest()
	return &Screen{Session: s, field: kit.NewField(""), typing: true, table: kit.Table[row]{Columns: columns}}
}

// Ask opens the question; what was asked last is offered again.
func (s *Screen) Ask() {
	s.Asked.Rest()
	s.typing, s.field = true, kit.NewField(s.asked)
}

// For asks who holds a value.
func (s *Screen) For(value string) tea.Cmd { return s.look(value, false) }

// look asks for the answer. scan allows the whole table to be read.
func (s *Screen) look(query string, scan bool) tea.Cmd {
	s.asked, s.typing = query, false
	s.Asked.Add(query)
	t, began, before := s.Table, s.Now(), s.answer
	if !scan {
		before = nil // asked again: from the start
	}
	return task.Start(s.Tasks, task.Finding, func(ctx context.Context) (*dynamo.Answer, error) {
		return t.Find(ctx, query, dynamo.FindOptions{Near: true, Scan: scan, After: before})
	}, func(found *dynamo.Answer, err error) tea.Cmd {
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
		s.answer, s.list, s.past = found, kit.List{}, relation.History{}
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

func (s *Screen) selected() *dynamo.Relation {
	rows := s.rows().rows
	if s.list.Cursor < len(rows) {
		return rows[s.list.Cursor].rel
	}
	return nil
}

// Typed takes a key of the field in.
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
			if text, ok := s.Asked.Older(s.field.Value()); ok {
				s.field = kit.NewField(text)
			}
			return nil
		case "down", "ctrl+n":
			if text, ok := s.Asked.Newer(); ok {
				s.field = kit.NewField(text)
			}
			return nil
		}
	}
	s.field.Update(msg)
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.typing }

// Asks reports whether the screen shows who holds a value.
func (s *Screen) Asks(c *layout.Constraint, value string) bool {
	return !s.typing && (s.asked == value || c.Normalised(s.asked) == value)
}

// Refresh asks the same again.
func (s *Screen) Refresh() tea.Cmd { return s.look(s.asked, false) }

// Follow implements screen.Follower: it looks up what was ever done to the selected lock.
func (s *Screen) Follow() tea.Cmd { return s.past.Load(s.Session, s.Table, s.selected()) }
