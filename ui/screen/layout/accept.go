package layout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/task"
)

// acceptable is the constraint or the counter of a part, which a person can accept: one at a time.
// Of a part that is about neither it is the first that is not accepted yet; nil if all are.
func (d *draft) acceptable(part layout.Part) *dynamo.Unaccepted {
	t := d.table
	if t.Connection() == nil {
		return nil
	}
	var first *dynamo.Unaccepted
	for _, c := range t.Layout.Rules() {
		of := &dynamo.Unaccepted{Table: t, Constraint: c, Hash: t.HashOf(c), Tables: !t.TablesSaid(c)}
		if part.Kind == "constraint" && c.Name == part.Name {
			return of
		}
		if first == nil && (!c.State.Sure() || of.Tables) {
			first = of
		}
	}
	for n, c := range t.Layout.Counters {
		of := &dynamo.Unaccepted{Table: t, Counter: c, Hash: t.CounterHash(c)}
		if strings.HasPrefix(part.Path+".", fmt.Sprintf("counter[%d].", n)) {
			return of
		}
		if first == nil && !c.State.Sure() {
			first = of
		}
	}
	return first
}

// state is the state of what a part is about; empty if it is about neither a constraint nor a counter.
func state(of *dynamo.Unaccepted) layout.State {
	switch {
	case of == nil:
		return ""
	case of.Constraint != nil:
		return of.Constraint.State
	}
	return of.Counter.State
}

// whyNotAccepted says why the part cannot be accepted; empty if it can.
func (s *Screen) whyNotAccepted(at row) string {
	of := s.acceptable(at.part)
	switch {
	case s.configured() && s.Corrected():
		return ""
	case s.empty():
		return "there is no layout yet"
	case of == nil && s.configured(), state(of) == layout.Described:
		return "the config describes it already"
	case of == nil, state(of) == layout.Accepted && !of.Tables:
		return "it is accepted already"
	}
	return ""
}

// accept asks whether the application does it so. Corrections of what the config describes are only
// tried: the config counts.
func (s *Screen) accept(at row) tea.Cmd {
	if s.configured() && s.Corrected() {
		return tea.Batch(s.Send(message.ReadBy{Table: s.table}), s.Say("Used until you leave, as a guess. The config counts: "+
			s.Keys.Key(keymap.CopyItem)+" on the layout copies what to put there."))
	}
	return s.Send(message.Accept{Of: s.acceptable(at.part), Then: func(*dynamo.Table) tea.Cmd {
		return s.Say("Accepted, and stored for this table.")
	}})
}

// said is the entry that answers for a row: about a place, about nowhere_else, or that accepts what its
// part is about, or else the only acceptance. It is nil if there is none.
func (s *Screen) said(at row) *answers.Entry {
	switch {
	case at.place != nil:
		return at.place.Said()
	case at.setting.Name == "nowhere_else":
		return s.saidNowhereElse(at.part.Name)
	}
	of := s.acceptable(at.part)
	accepted := slices.DeleteFunc(s.table.Said(), func(e answers.Entry) bool { return !e.Accepts() })
	for n, e := range accepted {
		if of != nil && e.Hash == of.Hash || of == nil && len(accepted) == 1 {
			return &accepted[n]
		}
	}
	return nil
}

// saidNowhereElse is the entry that nothing else holds the values of a constraint; nil if there is none.
func (s *Screen) saidNowhereElse(name string) *answers.Entry {
	for _, e := range s.table.Said() {
		if e.NowhereElse && e.Constraint == name {
			return &e
		}
	}
	return nil
}

// forget takes back what answers for a row. If it was an acceptance, it shows what is recognised.
func (s *Screen) forget(at row) tea.Cmd {
	if ask := s.Leaving(true, keymap.OtherSide); ask != nil {
		return ask
	}
	t, e := s.table, s.said(at)
	if !e.Accepts() {
		return s.forgetAnswer(e)
	}
	return task.Start(s.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		if err := t.Connection().Forget(t.Description, e.ID); err != nil {
			return nil, err
		}
		return t.Connection().Open(ctx, t.Name)
	}, func(t *dynamo.Table, err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		return tea.Batch(s.Send(message.ReadBy{Table: t}), s.Send(message.Push{Screen: s}), s.Show(t),
			s.Say("Taken back. This is what a sample shows."))
	})
}

// forgetAnswer takes back an answer about items that hold values.
func (s *Screen) forgetAnswer(e *answers.Entry) tea.Cmd {
	if err := s.table.Connection().Forget(s.table.Description, e.ID); err != nil {
		return s.Fail(err)
	}
	return s.Send(message.Told{Then: func(err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		text := "Taken back. The locks stay until somebody answers again."
		if e.NowhereElse {
			text = "Taken back. A release reads all tables again."
		}
		return tea.Batch(s.Refresh(), s.Say(text))
	}})
}

// Refresh shows the answers as they are now.
func (s *Screen) Refresh() tea.Cmd {
	if s.table.RecallAnswers(); !s.Corrected() {
		s.draft = draftOf(s.table)
	}
	s.lay()
	return nil
}
