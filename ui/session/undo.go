package session

import (
	"cmp"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/keymap"
)

// WhyUndoLast says why the last change is not taken back.
func (s *Session) WhyUndoLast() string {
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
	if why := s.whyCounted(s.Last.Connection.Connection, r.Plan, cmp.Or(r.After, r.Plan.After),
		r.Done); why != "" {
		return why
	}
	return s.WhyWriteOn(s.Last.Connection, "")
}

// WhyUndo says why a change of the journal is not taken back, as far as is known without
// reading the table. Its plan is nil while it has not been read.
func (s *Session) WhyUndo(r *journal.Record, plan *change.Plan) string {
	c := s.ConnectionOf(r)
	if why := change.WhyNotUndone(r); why != "" {
		return why
	}
	switch {
	case c == nil:
		return s.Elsewhere(r)
	case plan == nil:
		return "its plan has not been read"
	}
	if why := change.WhyNotUndoable(r, plan); why != "" {
		return why
	}
	if why := s.whyCounted(c.Connection, plan, plan.After, r.LastWritten()); why != "" {
		return why
	}
	return s.WhyWriteOn(*c, r.Table)
}

// WhyResolve says why a change of the journal is not resolved.
func (s *Session) WhyResolve(r *journal.Record) string {
	c := s.ConnectionOf(r)
	switch {
	case !r.Open:
		return "its outcome is known"
	case c == nil:
		return s.Elsewhere(r)
	case c.Changer == nil:
		return "no changes are made on " + c.Name()
	}
	return ""
}

// Elsewhere says that no connection here reaches where a change was made.
func (s *Session) Elsewhere(r *journal.Record) string {
	for _, c := range s.Connections {
		if c.Connection == nil && c.Called == r.Connection {
			return "it was made on " + c.Called + ": choose it among the connections first, " + s.Keys.Key(keymap.Tables)
		}
	}
	return "it was made on " + r.Connection + ", " + r.Region + ", which no connection here reaches"
}
