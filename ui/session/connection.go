package session

import (
	"context"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// Embedded is the Region of the demo, which lives and ends with the program.
const Embedded = "embedded"

// Connection is a connection as the inspector shows it.
type Connection struct {
	*dynamo.Connection
	// Changer makes changes; nil makes the connection read-only here. NoJournal is
	// why, where it is that no journal can be kept.
	Changer   *change.Changer
	NoJournal error
	// Production colours the whole header, and Colour the connection's name; empty
	// colours it by what it allows.
	Production bool
	Colour     client.Colour
	// Called is the connection's name before Dial has made it, which is when it is
	// first looked at. The first connection is made already.
	Called string
	Table  string // the one that the config names; empty for none
	Dial   func(context.Context) (*dynamo.Connection, error)
	// Replaced is set if another connection took its place: tables that were opened on it are
	// not changed.
	Replaced bool
}

// Name is what the connection is called.
func (c Connection) Name() string {
	if c.Connection == nil {
		return c.Called
	}
	return c.Connection.Name()
}

// Where is the place for people; empty while nobody has connected.
func (c Connection) Where() string {
	if c.Connection == nil {
		return ""
	}
	return c.Connection.Where()
}

// writes reports whether changes can be made here.
func (c Connection) writes() bool {
	return c.Connection != nil && c.Write() && c.Changer != nil && c.NoJournal == nil
}

// WhyReadOnly says why nothing is written here; empty where changes can be made.
func (c Connection) WhyReadOnly() string {
	switch {
	case c.Replaced:
		return "the table was opened on a connection that was replaced; open it again"
	case c.NoJournal != nil:
		_, _, why, _ := words.Explain(c.NoJournal)
		return "the journal cannot be kept: " + why
	case !c.writes():
		return "this connection is read-only; start with --write"
	}
	return ""
}

// WritesTo reports whether changes of a table can be made here.
func (c Connection) WritesTo(table string) bool {
	return c.writes() && c.GuardOf(table) != client.GuardDeny
}

// dialOnce returns a Dial that makes one connection, whoever calls it, and however often. After
// a failure it dials again.
func dialOnce(
	dial func(context.Context) (*dynamo.Connection, error),
) func(context.Context) (*dynamo.Connection, error) {
	var made *dynamo.Connection
	turn := make(chan struct{}, 1)
	return func(ctx context.Context) (_ *dynamo.Connection, err error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if made == nil {
			made, err = dial(ctx)
		}
		return made, err
	}
}

// Connected is the connection, made if it was not yet.
func (c Connection) Connected(ctx context.Context) (*dynamo.Connection, error) {
	if c.Connection != nil {
		return c.Connection, nil
	}
	return c.Dial(ctx)
}

// Style is that of the connection's name.
func (c Connection) Style() kit.Style {
	switch c.Colour {
	case "green":
		return kit.Good
	case "yellow":
		return kit.Warn
	case "red":
		return kit.Bad
	case "violet":
		return kit.Other
	case "blue":
		return kit.Accent
	}
	switch {
	case c.Production:
		return kit.Bad
	case c.writes() && c.Region() != Embedded:
		return kit.Warn
	}
	return kit.Good
}

// Label is the three lines that say what a connection is.
func (c Connection) Label(n int) (string, kit.Style) {
	switch n {
	case 0:
		return c.Name(), kit.Heading
	case 1:
		return c.Where(), kit.Muted
	case 2:
		switch {
		case c.Production:
			return "PRODUCTION", kit.Bad | kit.Bold
		case c.Connection == nil:
			return "", kit.Muted
		case c.WritesTo(""):
			return "write", kit.Muted
		}
		return "read-only", kit.Muted
	}
	return "", kit.Muted
}
