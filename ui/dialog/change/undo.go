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
	return newAsk(
		s,
		c,
		r.Receipt,
		option{title: "Undo a change", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanUndo(ctx, c.Connection, r)
		}},
	).plan()
}

// AskUndoLast asks whether to undo the last change.
func AskUndoLast(s *session.Session) tea.Cmd {
	m := s.Last
	return newAsk(
		s,
		m.Connection,
		m.Made.ID,
		option{title: "Undo the last change", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			r, err := m.Connection.Changer.Journal.Record(m.Made.ID)
			if err == nil && r == nil {
				err = &client.Error{
					Kind: client.Failed,
					Op:   "undoing " + m.Made.ID,
					Why:  "it is no longer in the journal",
					Do:   "nothing was sent",
				}
			}
			if err != nil {
				return nil, err
			}
			return change.PlanUndo(ctx, m.Connection.Connection, r)
		}},
	).plan()
}
