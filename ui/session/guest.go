package session

import (
	"context"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/client"
)

// Guest is a person who uses the inspector over SSH. The program runs on a server, with the server's credentials and
// files. A nil Guest is a person at a terminal of their own, who may do everything.
type Guest struct {
	// Name is the person's name in the server's config. The journal has this name.
	Name string
	Role Role
	// Sees reports whether the person may see a table of a connection, and Opens whether the person may open it. If they
	// are nil, the person may use all tables.
	Sees, Opens func(connection, table string) bool
	// Queue has the plans that wait for an operator; nil if the server has none.
	Queue *queue.Queue
	// ApproveOwn lets an operator apply a plan that the same operator put into the queue.
	ApproveOwn bool
}

// Person returns the person as the queue sees them.
func (g *Guest) Person() queue.Person {
	return queue.Person{
		Name: g.Name, Operator: g.Role == Operator, ApproveOwn: g.ApproveOwn, Sees: g.Sees, Opens: g.Opens,
	}
}

// WhyNotAsked says why the person cannot ask an operator for a change; empty if the person can.
func (g *Guest) WhyNotAsked() string {
	switch {
	case g == nil:
		return "only a person in an SSH session can ask an operator"
	case g.Queue == nil:
		return "the server has no queue for plans"
	}
	return ""
}

// Role says what a guest may do.
type Role string

// The roles. A viewer reads, and asks an operator for changes. An operator also makes changes.
const (
	Viewer   Role = "viewer"
	Operator Role = "operator"
)

// WhyNoFiles says why the session reads and writes no files of the server; empty if it may.
func (g *Guest) WhyNoFiles() string {
	if g == nil {
		return ""
	}
	return "an SSH session has no files of its own"
}

// WhyViewer says why a viewer may not change tables, layouts or answers; empty if the person may.
func (g *Guest) WhyViewer() string {
	if g == nil || g.Role == Operator {
		return ""
	}
	return "your role is viewer; an operator can do this"
}

// WhyServer says why the session has only the connections and the config of the server; empty if the person may change
// them.
func (g *Guest) WhyServer() string {
	if g == nil {
		return ""
	}
	return "the config of the server decides this"
}

// MaySee reports whether the person may see a table of a connection.
func (g *Guest) MaySee(connection, table string) bool {
	return g == nil || g.Sees == nil || g.Sees(connection, table)
}

// Shows returns a function that reports whether the person may see a record of the journal. The function may be called
// in the background.
func (s *Session) Shows() func(*journal.Record) bool {
	guest, all := s.Options.Guest, s.Connections
	opens := func(r *journal.Record, table string) bool {
		return slices.ContainsFunc(all, func(c Connection) bool {
			return c.Connection != nil && c.Name() == r.Connection && c.Opens(table)
		})
	}
	return func(r *journal.Record) bool {
		switch {
		case guest == nil:
			return true
		case !guest.MaySee(r.Connection, r.Table):
			return false
		}
		return plan.InTables(r, func(table string) bool { return opens(r, table) })
	}
}

// check returns an error if a viewer could write on a connection, or could store answers there.
func (g *Guest) check(on *dynamo.Connection) error {
	if g.WhyViewer() == "" || on == nil {
		return nil
	}
	if on.Write() || on.Answers.WhyReadOnly() == "" {
		return &client.Error{
			Kind: client.Usage, Op: "opening the inspector for " + g.Name,
			Why: "the connection " + on.Name() + " can write, but a viewer must not write",
			Do:  "connect for a viewer without Write, and with AnswersReadOnly",
		}
	}
	return nil
}

// use prepares a connection for the person: an operator's answers are recorded in the journal.
func (g *Guest) use(on *dynamo.Connection, c *change.Changer) {
	if g == nil || on == nil || c == nil || g.WhyViewer() != "" {
		return
	}
	on.Answers.SetNote(func(e answers.Entry, removed bool) error {
		return c.RecordSaid(context.Background(), on, e, removed)
	})
}

// changer returns the person's own changer. A viewer's changer cannot write the journal, so it cannot make changes.
func (g *Guest) changer(c *change.Changer) *change.Changer {
	switch {
	case g == nil || c == nil:
		return c
	case g.WhyViewer() != "":
		return c.For(g.Name, journal.OpenReadOnly(c.Journal.Path()))
	}
	return c.For(g.Name, c.Journal)
}
