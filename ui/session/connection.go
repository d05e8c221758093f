package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/task"
)

// Embedded is the Region of the demo's database, which lives only as long as the program.
const Embedded = "embedded"

// Connection is a connection as the inspector uses it: whether it can change tables, and how it
// looks.
type Connection struct {
	*dynamo.Connection
	// ToWrite is the command that opens the same connection with write access, if a person chose it with :profile or
	// :region; else empty.
	ToWrite string
	// Changer makes changes; nil makes the connection read-only here. NoJournal says why no journal
	// can be kept; nil if one can.
	Changer   *change.Changer
	NoJournal error
	// Production colours the whole header. Colour colours the connection's name; if it is empty,
	// the access decides: production, write or read-only.
	Production bool
	Colour     client.Colour
	// Called is the connection's name until Dial has connected it. Dial runs when the connection is
	// first opened. The first connection of a session is connected already.
	Called string
	Table  string // the table that the config names; empty for none
	Dial   func(context.Context) (*dynamo.Connection, error)
	// With connects in the same way with another AWS profile or in another Region. An empty argument stays as it is.
	// It is nil in the demo.
	With func(ctx context.Context, profile, region string) (Connection, error)
	// Replaced is set if another connection took this one's place. Tables that were opened on it
	// become read-only.
	Replaced bool

	guest *Guest // the person of an SSH session; nil for none
}

// Name returns the connection's name, also before it is connected.
func (c Connection) Name() string {
	if c.Connection == nil {
		return c.Called
	}
	return c.Connection.Name()
}

// Where describes the connection's endpoint for people; empty until it is connected.
func (c Connection) Where() string {
	if c.Connection == nil {
		return ""
	}
	return c.Connection.Where()
}

// writes reports whether changes can be made here.
func (c Connection) writes() bool {
	return c.Connection != nil && c.Write() && c.Changer != nil && c.NoJournal == nil && c.guest.WhyViewer() == ""
}

// WhyReadOnly says why nothing can be written on this connection; empty if changes can be made.
func (c Connection) WhyReadOnly() string {
	switch {
	case c.Replaced:
		return "the table belongs to an earlier connection; open it again"
	case c.NoJournal != nil:
		return "the journal cannot be written: " + say.Explain(c.NoJournal).Why
	case c.guest.WhyViewer() != "":
		return c.guest.WhyViewer()
	case !c.writes() && c.guest != nil:
		return "this connection is read-only on the server"
	case !c.writes():
		return "this connection is read-only; start with " + cmp.Or(c.ToWrite, "--write")
	}
	return ""
}

// WritesTo reports whether changes of a table can be made here.
func (c Connection) WritesTo(table string) bool {
	return c.writes() && c.GuardOf(table) != client.GuardDeny
}

// dialOnce returns a Dial that makes one connection and returns it to all callers. After a failure,
// the next call dials again. A connection that a guest must not have is an error.
func dialOnce(c Connection) func(context.Context) (*dynamo.Connection, error) {
	var made *dynamo.Connection
	turn := make(chan struct{}, 1)
	return func(ctx context.Context) (_ *dynamo.Connection, err error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if made != nil {
			return made, nil
		}
		on, err := c.Dial(ctx)
		if err == nil {
			err = c.guest.check(on)
		}
		if err != nil {
			return nil, err
		}
		c.guest.use(on, c.Changer)
		made = on
		return made, nil
	}
}

// Connected returns the connection, and connects first if needed.
func (c Connection) Connected(ctx context.Context) (*dynamo.Connection, error) {
	if c.Connection != nil {
		return c.Connection, nil
	}
	return c.Dial(ctx)
}

// Style returns the style of the connection's name.
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

// Label returns one of the three lines that describe a connection: its name, its endpoint, its
// access.
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

// Place is the user's place: the connections, the open table and the tab.
type Place struct {
	Connections []Connection
	On          int           // the index of the open connection
	Table       *dynamo.Table // the open table; nil if none is open
	Tab         *Tab          // the tab that is shown, or that lies below another screen
	Wanted      string        // the name of the table that was requested last
}

// Connection returns the open connection.
func (p *Place) Connection() Connection { return p.Connections[p.On] }

// ConnectionTo returns the connection that a table was opened on. If the session no longer has that
// connection, the result is read-only: nothing is written through another one.
func (p *Place) ConnectionTo(on *dynamo.Connection) Connection {
	for _, c := range p.Connections {
		if c.Connection == on {
			return c
		}
	}
	return Connection{Connection: on, Replaced: true}
}

// ConnectionOf returns the connection that a change of the journal was made on. It has the change's
// Region, endpoint and name. The name counts, since AWS accounts share the endpoint of a Region. If
// no connection has that name, the Region and the endpoint suffice; the open connection comes
// first. The result is nil if no connection matches, or if the connection with that name is not
// connected yet.
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

// WhyElsewhere says why a change of the journal cannot be reached: its connection has not been chosen
// yet, or no connection reaches its Region.
func (s *Session) WhyElsewhere(r *journal.Record) string {
	for _, c := range s.Connections {
		if c.Connection == nil && c.Called == r.Connection {
			return "it was made on " + c.Called + ": first press " + s.Keys.Key(keymap.Tables) + ", and open this connection"
		}
	}
	return "it was made on " + r.Connection + ", " + r.Region + ": no connection here reaches this place"
}

// Journal returns the journal of the open connection. If this connection makes no changes, it returns the journal of
// another connection; nil if no connection makes changes.
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

// WhyNoJournal says why there is no journal.
func (p *Place) WhyNoJournal() error {
	if err := p.Connection().NoJournal; err != nil {
		return err
	}
	return &client.Error{
		Kind: client.ReadOnly,
		Op:   "reading the journal",
		Why:  "no open connection allows changes",
		Do:   "start with --write",
	}
}

// IsTransient reports whether the cause of an error can end by itself: the endpoint is unreachable, or
// the log-in has expired. The failed task is then retried.
func IsTransient(err error) bool {
	k := client.KindOf(err)
	return k == client.Unreachable || k == client.Expired
}

// Outages tracks whether the endpoint is unreachable, or the log-in has expired.
type Outages struct {
	Offline *outage // nil while the endpoint answers
	work    *Work
}

// Unreached handles the error of a task. If IsTransient(err) is true, the task is retried with growing
// pauses, and as soon as another task gets an answer.
func (o *Outages) Unreached(k task.Kind, err error, retry func() tea.Cmd) tea.Cmd {
	if !IsTransient(err) {
		return nil
	}
	if o.Offline == nil {
		o.Offline = &outage{retries: map[task.Kind]func() tea.Cmd{}}
	}
	now, at := o.Offline, o.work.Now()
	now.Err, now.retries[k] = err, retry
	if at.Before(now.Next) {
		return nil // a retry is scheduled already
	}
	now.Tries++
	now.Began, now.Next = at, at.Add(now.pause())
	return o.await(now)
}

// await retries after a pause, and again after each further pause. A retry may end without an
// answer, because its task was dropped.
func (o *Outages) await(now *outage) tea.Cmd {
	next := now.Next
	return o.work.Tasks.After(now.pause(), func() tea.Cmd {
		if o.Offline != now || now.Next != next {
			return nil // the outage is over, or another await has replaced this one
		}
		return tea.Batch(o.try(now), o.await(now))
	})
}

// try retries the failed tasks that are not running.
func (o *Outages) try(of *outage) tea.Cmd {
	var cmds []tea.Cmd
	for k, retry := range of.retries {
		if _, busy := o.work.Tasks.Since(k); !busy {
			cmds = append(cmds, retry())
		}
	}
	return tea.Batch(cmds...)
}

// Reached ends the outage after an answer to task k, and retries the other failed tasks.
func (o *Outages) Reached(k task.Kind) tea.Cmd {
	over := o.Offline
	if over == nil {
		return nil
	}
	o.Offline = nil
	delete(over.retries, k)
	return o.try(over)
}

// TryNow retries at once.
func (o *Outages) TryNow() tea.Cmd {
	if o.Offline == nil {
		return nil
	}
	now := o.Offline
	now.Next = o.work.Now()
	return tea.Batch(o.try(now), o.await(now))
}

// LoggedOut reports whether the log-in has expired.
func (o *outage) LoggedOut() bool { return client.KindOf(o.Err) == client.Expired }

// outage is the time during which the endpoint is unreachable, or the log-in has expired. The
// screen keeps showing earlier data.
type outage struct {
	Err     error
	Tries   int
	Next    time.Time
	Began   time.Time
	retries map[task.Kind]func() tea.Cmd // the failed tasks, with their retries
}

// pause returns the pause before the next retry.
func (o *outage) pause() time.Duration {
	return min(time.Duration(1)<<min(o.Tries, 5)*time.Second, 30*time.Second)
}

// ReadMore asks whether a session that has reached its limit of read units may read on.
type ReadMore struct {
	Over  []Connection // the connections whose limit is reached, or would be exceeded by Then
	Units float64      // about how many read units Then takes; 0: unknown
	Then  func() tea.Cmd
}

// Reading calls the function then, which takes about this many read units; 0 if unknown. If the session has reached its
// limit on one of the connections, or would exceed it, a dialog asks first. The default for on is the open connection.
func (s *Session) Reading(units float64, then func() tea.Cmd, on ...Connection) tea.Cmd {
	if len(on) == 0 {
		on = []Connection{s.Connection()}
	}
	over := slices.DeleteFunc(slices.Clone(on), func(c Connection) bool {
		return c.Connection == nil || !c.UnitsSpent() && units <= c.UnitsLeft()
	})
	if len(over) == 0 {
		return then()
	}
	return s.Send(ReadMore{over, units, then})
}
