package change

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// UndoLast returns the command that undoes the last change made here.
func UndoLast(s *session.Session) screen.Command {
	return screen.Command{
		Action: keymap.Undo,
		Full:   "undo the last change",
		Why:    s.WhyUndoLast,
		Run:    func() tea.Cmd { return AskUndoLast(s) },
	}
}

// AskUndo asks whether to undo a change.
func AskUndo(s *session.Session, r *journal.Record) tea.Cmd {
	c := *s.ConnectionOf(r)
	return s.Reading(0, func() tea.Cmd {
		return askOne(s, c, r.Receipt, "Undo a change",
			func(ctx context.Context) (*plan.Plan, error) { return planner.Undo(ctx, c.Connection, r) })
	})
}

// AskUndoLast asks whether to undo the last change.
func AskUndoLast(s *session.Session) tea.Cmd {
	c, id := s.Last.Connection, s.Last.Made.ID
	planned := func(ctx context.Context) (*plan.Plan, error) {
		r, err := c.Changer.Journal.Record(id)
		if err == nil && r == nil {
			err = &client.Error{
				Kind: client.Failed,
				Op:   "undoing " + id,
				Why:  "it is no longer in the journal",
				Do:   "nothing was sent",
			}
		}
		if err != nil {
			return nil, err
		}
		return planner.Undo(ctx, c.Connection, r)
	}
	return s.Reading(0, func() tea.Cmd { return askOne(s, c, id, "Undo the last change", planned) })
}
