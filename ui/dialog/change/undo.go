package change

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
)

// AskUndo asks whether to undo a change.
func AskUndo(s *session.Session, c session.Connection, r *journal.Record) tea.Cmd {
	plan := func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanUndo(ctx, c.Connection, r)
	}
	return newAsk(s, c, r.Receipt, option{title: "Undo a change", plan: plan}).plan()
}

// AskUndoLast asks whether to undo the last change.
func AskUndoLast(s *session.Session) tea.Cmd {
	c, id := s.Last.Connection, s.Last.Made.ID
	plan := func(ctx context.Context, _ string) (*change.Plan, error) {
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
		return change.PlanUndo(ctx, c.Connection, r)
	}
	return newAsk(s, c, id, option{title: "Undo the last change", plan: plan}).plan()
}
