package change

import (
	"cmp"
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
		Why:    func() string { return whyUndoLast(s) },
		Run:    func() tea.Cmd { return AskUndoLast(s) },
	}
}

// AskUndo asks whether to undo a change.
func AskUndo(s *session.Session, r *journal.Record) tea.Cmd {
	c := *s.ConnectionOf(r)
	return s.Reading(0, func() tea.Cmd {
		return askOne(s, c, r.Receipt, "Undo a change", usualRoom,
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
	return s.Reading(0, func() tea.Cmd { return askOne(s, c, id, "Undo the last change", usualRoom, planned) })
}

// whyUndoLast says why the last change cannot be undone.
func whyUndoLast(s *session.Session) string {
	switch {
	case s.Last.Kind == "":
		return "nothing was changed here yet"
	case s.Last.Connection.Connection != s.Connection().Connection:
		return "the last change was made on " + s.Last.Connection.Name() + ": go there first, or take it back in the journal, " + s.Keys.Key(
			keymap.Journal,
		)
	case s.Last.Made.ID == "":
		return "several changes were made together: each is undone by itself, in the journal"
	}
	r := s.Last.Made
	if why := r.WhyNotUndone(); why != "" {
		return why
	}
	if why := s.WhyCounted(s.Last.Connection.Connection, r.Plan, cmp.Or(r.After, r.Plan.After),
		r.Done); why != "" {
		return why
	}
	return s.WhyWriteOn(s.Last.Connection, r.Plan.Table)
}

// WhyUndo says why a change of the journal cannot be undone, as far as this is known without
// reading the table. planned is nil until the plan has been read from the journal.
func WhyUndo(s *session.Session, r *journal.Record, planned *plan.Plan) string {
	c := s.ConnectionOf(r)
	if why := plan.WhyNotUndone(r); why != "" {
		return why
	}
	switch {
	case c == nil:
		return s.WhyElsewhere(r)
	case planned == nil:
		return "its plan has not been read"
	}
	if why := plan.WhyNotUndoable(r, planned); why != "" {
		return why
	}
	if why := s.WhyCounted(c.Connection, planned, planned.After, r.LastWritten()); why != "" {
		return why
	}
	return s.WhyWriteOn(*c, r.Table)
}
