package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/keymap"
)

// connOf is the connection that a change of the journal was made on: the open one
// where it fits; nil where none does.
func (a *app) connOf(r *journal.Record) *Connection {
	fits := func(c Connection) bool {
		return c.Connection != nil && c.Region() == r.Region && c.Endpoint() == r.Endpoint
	}
	if c := a.connection(); fits(c) {
		return &c
	}
	for _, c := range a.conns {
		if fits(c) {
			return &c
		}
	}
	return nil
}

// elsewhere says that no connection here reaches where a change was made.
func (a *app) elsewhere(r *journal.Record) string {
	for _, c := range a.conns {
		if c.Connection == nil && c.Called == r.Connection {
			return "it was made on " + c.Called + ": choose it among the connections first, " + a.keys.Key(keymap.Tables)
		}
	}
	return "it was made on " + r.Connection + ", " + r.Region + ", which no connection here reaches"
}

// whyUndo says why a change of the journal is not taken back; empty where that may
// be tried.
func (s *journalScreen) whyUndo(r *journal.Record) string {
	c := s.app.connOf(r)
	switch {
	case r.Open:
		return "it is not known what became of it: settle it first"
	case r.Outcome != change.Applied:
		return change.Undoable(r)
	case r.Undone != "":
		return "it was taken back already, by " + r.Undone
	case c == nil:
		return s.app.elsewhere(r)
	case s.loaded[r.Receipt] == nil:
		return "its plan has not been read"
	}
	if why := change.Undoable(r); why != "" {
		return why
	}
	return s.app.whyWriteOn(*c, r.Table)
}

// askUndo plans to take a change back, and asks.
func (a *app) askUndo(c Connection, r *journal.Record) tea.Cmd {
	return a.askOn(c, way{title: "Undo a change", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanUndo(ctx, c.Connection, r)
	}}).replan()
}

// lastChange is the last change that was made from this screen.
type lastChange struct {
	conn    Connection
	receipt string // empty for several that were made together
	kind    change.Kind
}

// whyUndoLast says why the last change is not taken back.
func (a *app) whyUndoLast() string {
	switch {
	case a.last.kind == "":
		return "nothing was changed here yet"
	case a.last.receipt == "":
		return "several locks were released: each is taken back by itself, in the journal"
	case a.last.kind == change.KindReserve:
		return "numbers that were handed out are never taken back"
	}
	return a.whyWriteOn(a.last.conn, "")
}

// askUndoLast plans to take the last change back, and asks.
func (a *app) askUndoLast() tea.Cmd {
	m := a.last
	return a.askOn(m.conn, way{title: "Undo the last change", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		r, err := m.conn.Changer.Journal.Record(m.receipt)
		if err == nil && r == nil {
			err = &client.Error{Kind: client.Failed, Op: "undoing " + m.receipt, Why: "it is no longer in the journal", Do: "nothing was sent"}
		}
		if err != nil {
			return nil, err
		}
		return change.PlanUndo(ctx, m.conn.Connection, r)
	}}).replan()
}
