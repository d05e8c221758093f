package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
)

// askUndo plans to take a change back, and asks.
func (a *app) askUndo(c session.Connection, r *journal.Record) tea.Cmd {
	return a.askOn(c, way{title: "Undo a change", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanUndo(ctx, c.Connection, r)
	}}).replan()
}

// askUndoLast plans to take the last change back, and asks.
func (a *app) askUndoLast() tea.Cmd {
	m := a.Last
	return a.askOn(m.Connection, way{title: "Undo the last change", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		r, err := m.Connection.Changer.Journal.Record(m.Receipt)
		if err == nil && r == nil {
			err = &client.Error{Kind: client.Failed, Op: "undoing " + m.Receipt, Why: "it is no longer in the journal", Do: "nothing was sent"}
		}
		if err != nil {
			return nil, err
		}
		return change.PlanUndo(ctx, m.Connection.Connection, r)
	}}).replan()
}
