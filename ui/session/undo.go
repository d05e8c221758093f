package session

import (
	"cmp"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/keymap"
)

// WhyUndoLast says why the last change is not taken back.
func (p *Permissions) WhyUndoLast() string {
	switch {
	case p.changes.Last.Kind == "":
		return "nothing was changed here yet"
	case p.changes.Last.Connection.Connection != p.place.Connection().Connection:
		return "the last change was made on " + p.changes.Last.Connection.Name() + ": go there first, or take it back in the journal, " + p.window.Keys.Key(
			keymap.Journal,
		)
	case p.changes.Last.Made.ID == "":
		return "several changes were made together: each is undone by itself, in the journal"
	}
	r := p.changes.Last.Made
	if why := r.WhyNotUndone(); why != "" {
		return why
	}
	if why := p.changes.whyCounted(p.changes.Last.Connection.Connection, r.Plan, cmp.Or(r.After, r.Plan.After),
		r.Done); why != "" {
		return why
	}
	return p.WhyWriteOn(p.changes.Last.Connection, "")
}

// WhyUndo says why a change of the journal is not taken back, as far as is known without
// reading the table. Its plan is nil while it has not been read.
func (p *Permissions) WhyUndo(r *journal.Record, plan *change.Plan) string {
	c := p.place.ConnectionOf(r)
	if why := change.WhyNotUndone(r); why != "" {
		return why
	}
	switch {
	case c == nil:
		return p.Elsewhere(r)
	case plan == nil:
		return "its plan has not been read"
	}
	if why := change.WhyNotUndoable(r); why != "" {
		return why
	}
	if why := p.changes.whyCounted(c.Connection, plan, plan.After, r.LastWritten()); why != "" {
		return why
	}
	return p.WhyWriteOn(*c, r.Table)
}

// WhyResolve says why a change of the journal is not resolved.
func (p *Permissions) WhyResolve(r *journal.Record) string {
	c := p.place.ConnectionOf(r)
	switch {
	case !r.Open:
		return "its outcome is known"
	case c == nil:
		return p.Elsewhere(r)
	case c.Changer == nil:
		return "no changes are made on " + c.Name()
	}
	return ""
}

// Elsewhere says that no connection here reaches where a change was made.
func (p *Permissions) Elsewhere(r *journal.Record) string {
	for _, c := range p.place.Connections {
		if c.Connection == nil && c.Called == r.Connection {
			return "it was made on " + c.Called + ": choose it among the connections first, " + p.window.Keys.Key(keymap.Tables)
		}
	}
	return "it was made on " + r.Connection + ", " + r.Region + ", which no connection here reaches"
}
