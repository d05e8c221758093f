package session

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/task"
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

// Passing reports whether an error is of what ends without the program: an endpoint that is
// out of reach, or a log-in that is over. What failed is tried again by itself.
func Passing(err error) bool {
	k := client.KindOf(err)
	return k == client.Unreachable || k == client.Expired
}

// Outages are endpoints that do not answer, and log-ins that are over.
type Outages struct {
	Offline *outage // nil while the endpoint answers
	work    *Work
}

// Unreached takes an error of a task in: what is Passing is tried again, longer apart each
// time, and as soon as another task has an answer.
func (o *Outages) Unreached(k task.Kind, err error, retry func() tea.Cmd) tea.Cmd {
	if !Passing(err) {
		return nil
	}
	if o.Offline == nil {
		o.Offline = &outage{retries: map[task.Kind]func() tea.Cmd{}}
	}
	now, at := o.Offline, o.work.Now()
	now.Err, now.retries[k] = err, retry
	if at.Before(now.Next) {
		return nil // another task waits for that moment already
	}
	now.Tries++
	now.Began, now.Next = at, at.Add(now.pause())
	return o.await(now)
}

// await tries again after a pause, and goes on doing so: a try may end without an answer,
// since nobody wants it any more.
func (o *Outages) await(now *outage) tea.Cmd {
	next := now.Next
	return o.work.Tasks.After(now.pause(), func() tea.Cmd {
		if o.Offline != now || now.Next != next {
			return nil // over, or awaited anew
		}
		return tea.Batch(o.try(now), o.await(now))
	})
}

// try does again what failed, unless it is at it.
func (o *Outages) try(of *outage) tea.Cmd {
	var cmds []tea.Cmd
	for k, retry := range of.retries {
		if _, busy := o.work.Tasks.Since(k); !busy {
			cmds = append(cmds, retry())
		}
	}
	return tea.Batch(cmds...)
}

// Reached notes that the endpoint has answered a task: the others that failed go on.
func (o *Outages) Reached(k task.Kind) tea.Cmd {
	over := o.Offline
	if over == nil {
		return nil
	}
	o.Offline = nil
	delete(over.retries, k)
	return o.try(over)
}

// TryNow does not wait for the next try.
func (o *Outages) TryNow() tea.Cmd {
	if o.Offline == nil {
		return nil
	}
	now := o.Offline
	now.Next = o.work.Now()
	return tea.Batch(o.try(now), o.await(now))
}

// LoggedOut reports whether it is the log-in that is over.
func (o *outage) LoggedOut() bool { return client.KindOf(o.Err) == client.Expired }

// outage is an endpoint that does not answer, or not without another log-in: what is shown
// stays, and is tried again.
type outage struct {
	Err     error
	Tries   int
	Next    time.Time
	Began   time.Time
	retries map[task.Kind]func() tea.Cmd // what failed, and is done again
}

// pause is how long the next try is waited for.
func (o *outage) pause() time.Duration {
	return min(time.Duration(1)<<min(o.Tries, 5)*time.Second, 30*time.Second)
}

// ReadMore asks whether a session that has reached its limit of read units may read on.
type ReadMore struct {
	Over  []Connection // those at their limit, or soon to be
	Units float64      // what Then reads, about; 0: unknown
	Then  func() tea.Cmd
}

// Reading does what a person asks for, which reads about so many units; 0: unknown. If that passes
// the limit of the session on one of the connections, a question comes first. Without connections
// it is about the open one.
func (s *Session) Reading(units float64, then func() tea.Cmd, on ...Connection) tea.Cmd {
	if len(on) == 0 {
		on = []Connection{s.Connection()}
	}
	over := slices.DeleteFunc(slices.Clone(on), func(c Connection) bool {
		return c.Connection == nil || !c.SessionSpent() && units <= c.SessionLeft()
	})
	if len(over) == 0 {
		return then()
	}
	return s.Send(ReadMore{over, units, then})
}
