package session

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// Place is where one is: the connections to choose from, and the table that is open.
type Place struct {
	Connections []Connection
	On          int           // which of them is looked at
	Table       *dynamo.Table // the open one; nil while there is none
	Tab         Tab           // the one that is looked at, or lies beneath
	Wanted      string        // the name of the table that was asked for last
}

// Connection is the one that is looked at.
func (p *Place) Connection() Connection { return p.Connections[p.On] }

// ConnectionTo returns the connection that a table was opened on. If that connection is not one
// of the session's, it may be read only: nothing is written through another.
func (p *Place) ConnectionTo(on *dynamo.Connection) Connection {
	for _, c := range p.Connections {
		if c.Connection == on {
			return c
		}
	}
	return Connection{Connection: on, Replaced: true}
}

// ConnectionOf is the connection that a change of the journal was made on: the one of its
// name, since accounts of AWS share the endpoint of a Region. Where none has that name it is
// the open one, if that fits, or another that does; nil where none does, or that one has yet to
// be chosen.
func (p *Place) ConnectionOf(r *journal.Record) *Connection {
	there := func(c Connection) bool {
		return c.Connection != nil && c.Region() == r.Region && c.Endpoint() == r.Endpoint
	}
	named := slices.ContainsFunc(p.Connections, func(c Connection) bool {
		return c.Name() == r.Connection && (c.Connection == nil || there(c))
	})
	fits := func(c Connection) bool { return there(c) && (!named || c.Name() == r.Connection) }
	if c := p.Connection(); fits(c) {
		return &c
	}
	for _, c := range p.Connections {
		if fits(c) {
			return &c
		}
	}
	return nil
}

// Journal is where the changes of this connection are written down, or those of
// another where this one makes none; nil where no connection makes any.
func (p *Place) Journal() *journal.Journal {
	if c := p.Connection().Changer; c != nil {
		return c.Journal
	}
	for _, c := range p.Connections {
		if c.Changer != nil {
			return c.Changer.Journal
		}
	}
	return nil
}

// WhyNoJournal says why nothing is written down.
func (p *Place) WhyNoJournal() error {
	if err := p.Connection().NoJournal; err != nil {
		return err
	}
	return &client.Error{
		Kind: client.ReadOnly,
		Op:   "reading the journal",
		Why:  "no connection was opened that makes changes",
		Do:   "start with --write",
	}
}
