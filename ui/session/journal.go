package session

import (
	"cmp"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/keymap"
)

// ConnectionOf is the connection that a change of the journal was made on: the open one
// where it fits; nil where none does.
func (s *Session) ConnectionOf(r *journal.Record) *Connection {
	fits := func(c Connection) bool {
		return c.Connection != nil && c.Region() == r.Region && c.Endpoint() == r.Endpoint
	}
	if c := s.Connection(); fits(c) {
		return &c
	}
	for _, c := range s.Connections {
		if fits(c) {
			return &c
		}
	}
	return nil
}

// Journal is where the changes of this connection are written down, or those of
// another where this one makes none; nil where no connection makes any.
func (s *Session) Journal() *journal.Journal {
	if c := s.Connection().Changer; c != nil {
		return c.Journal
	}
	for _, c := range s.Connections {
		if c.Changer != nil {
			return c.Changer.Journal
		}
	}
	return nil
}

// WhyNoJournal says why nothing is written down.
func (s *Session) WhyNoJournal() error {
	if err := s.Connection().NoJournal; err != nil {
		return err
	}
	return &client.Error{Kind: client.ReadOnly, Op: "reading the journal", Why: "no connection was opened that makes changes", Do: "start with --write"}
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

// WhyUndoLast says why the last change is not taken back.
func (s *Session) WhyUndoLast() string {
	switch {
	case s.Last.Kind == "":
		return "nothing was changed here yet"
	case s.Last.Made.ID == "":
		return "several locks were released: each is taken back by itself, in the journal"
	}
	r := s.Last.Made
	if why := r.WhyNotUndone(); why != "" {
		return why
	}
	if why := s.whyCounted(s.Last.Connection.Connection, r.Plan, cmp.Or(r.After, r.Plan.After), r.Done); why != "" {
		return why
	}
	return s.WhyWriteOn(s.Last.Connection, "")
}

// WhyUndo says why an applied change of the journal, made on a connection, is not taken
// back, as far as is known without reading the table.
func (s *Session) WhyUndo(c Connection, r *journal.Record, p *change.Plan) string {
	if why := change.Undoable(r); why != "" {
		return why
	}
	if why := s.whyCounted(c.Connection, p, p.After, r.Written()); why != "" {
		return why
	}
	return s.WhyWriteOn(c, r.Table)
}

// WhySettle says why a change of the journal is not settled.
func (s *Session) WhySettle(r *journal.Record) string {
	c := s.ConnectionOf(r)
	switch {
	case !r.Open:
		return "it is known what became of it"
	case c == nil:
		return s.Elsewhere(r)
	case c.Changer == nil:
		return "no changes are made on " + c.Name()
	}
	return ""
}

// LastChange is the last change that was made from this screen.
type LastChange struct {
	Connection Connection
	Kind       change.Kind
	Made       change.Receipt // none for several that were made together
}
