package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/remedy"
)

// Accept stores that a person has accepted a constraint, and opens the table again with the accepted constraint
// in its layout. alsoIn lists the other tables whose applications put locks into the constraint's lock table.
// It is nil if nobody has named these tables.
func Accept(ctx context.Context, t *Table, c *layout.Constraint, alsoIn *[]string) (*Table, error) {
	l, err := t.Answers.Accept(c, alsoIn)
	if err != nil {
		return nil, err
	}
	return openAs(ctx, t, l)
}

// AcceptCounter stores that a person has accepted the counter c, and opens the table again with the accepted
// counter in its layout.
func AcceptCounter(ctx context.Context, t *Table, c *layout.Counter) (*Table, error) {
	l, err := t.Answers.AcceptCounter(c)
	if err != nil {
		return nil, err
	}
	return openAs(ctx, t, l)
}

// AlsoIn parses a person's list of the other tables whose applications put locks into the lock table of c. The
// text is "none", or table names separated by commas. AlsoIn returns an error if a named table does not
// exist.
func (t *Table) AlsoIn(ctx context.Context, c *layout.Constraint, text string) (*[]string, error) {
	refuse := func(why string) *client.Error {
		return &client.Error{
			Kind: client.Usage, Op: "reading the names of the other tables", Why: why,
			Do: "write none, or table names separated by commas",
		}
	}
	names := []string{}
	switch text = strings.TrimSpace(text); {
	case c.Lockless() || t.LockTable(c) == t.Name:
		e := refuse("the locks of " + c.Name + " are in the table of their accounts")
		e.Do, e.Remedy = "", remedy.Of(remedy.LeaveAlsoIn)
		return nil, e
	case text == "":
		return nil, refuse("no table is named")
	case text == "none":
		return &names, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !client.MayBeCalled(name) {
			return nil, refuse(fmt.Sprintf("%q cannot be the name of a table", name))
		}
		_, err := t.conn.Describe(ctx, name)
		switch {
		case client.KindOf(err) == client.NoTable:
			names, _ := t.conn.TableNames(ctx) // names is nil without permission to list tables
			return nil, refuse(fmt.Sprintf("this connection has no table %q%s", name, mistake.Meant(name, names...)))
		case err != nil:
			return nil, err
		case name != t.Name && !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return &names, nil
}

// Reaccepted looks for an acceptance of u's constraint or counter that was stored after the table was opened,
// perhaps by another process. If it finds one, it opens the table again, with the accepted constraint or
// counter. Otherwise it returns nil. The result is also nil if changes are still not allowed, or if the layout
// is in the config.
func Reaccepted(ctx context.Context, u *Unaccepted) (*Table, error) {
	t := u.Table
	table := t.conn.identity(t.Description)
	if t.Layout.Configured || !slices.ContainsFunc(t.conn.Answers.About(table), func(e answers.Entry) bool {
		return e.Accepts() && (u.Constraint != nil && e.Constraint == u.Constraint.Name && (!u.Tables || e.AlsoIn != nil) ||
			u.Counter != nil && e.Counter == answers.CounterKey(u.Counter))
	}) {
		return nil, nil
	}
	l := t.Layout.Clone()
	t.conn.Answers.PutAccepted(table, l)
	as, err := openAs(ctx, t, l)
	if err != nil || !u.sureBy(as) {
		return nil, err
	}
	return as, nil
}

// sureBy reports whether t, the reopened table of u, now allows changes by the constraint or counter of u.
func (u *Unaccepted) sureBy(t *Table) bool {
	if u.Constraint != nil {
		_, c := t.Layout.Constraint(u.Constraint.Name)
		return c != nil && t.CheckSure("", c) == nil
	}
	return slices.ContainsFunc(t.Layout.Counters, func(c *layout.Counter) bool {
		return answers.CounterKey(c) == answers.CounterKey(u.Counter) && c.State.Sure()
	})
}

// Unaccepted is the cause of an error: a change needs a statement that no person has made yet. A change by a
// guessed constraint or counter needs a person's acceptance. If a constraint has its own lock table, a change
// also needs the names of the other tables whose applications put locks into that lock table.
type Unaccepted struct {
	Table      *Table
	Constraint *layout.Constraint
	Counter    *layout.Counter
	// Hash identifies the constraint or counter in the command that accepts it.
	Hash string
	// Tables is set if nobody has named the other tables whose applications put locks into the constraint's lock
	// table.
	Tables bool
}

func (u *Unaccepted) Error() string { return "the layout is only guessed" }

// UnacceptedOf returns the Unaccepted that caused err. It returns nil if err has another cause.
func UnacceptedOf(err error) *Unaccepted {
	u, _ := errors.AsType[*Unaccepted](err)
	return u
}

// CheckSure returns an error of the kind Usage if no change by the constraint is allowed. There are three
// reasons: the constraint is only guessed, its acceptance was changed or taken back, or nobody has named the
// other tables that put locks into its lock table.
func (t *Table) CheckSure(op string, c *layout.Constraint) error {
	u := &Unaccepted{Table: t, Constraint: c, Hash: t.Answers.HashOf(c), Tables: !t.TablesNamed(c)}
	why := ""
	switch {
	case c.State == layout.Accepted && !t.Answers.StillAccepted(u.Hash, c.AlsoIn):
		why = fmt.Sprintf("the accepted constraint %s of %s was changed, or is no longer accepted", c.Name, t.Name)
	case !c.State.Sure():
		why = fmt.Sprintf("the layout of the constraint %s of %s is only guessed", c.Name, t.Name)
	case u.Tables:
		why = fmt.Sprintf("other account tables with locks in the table %s are unknown", t.LockTable(c))
	default:
		return nil
	}
	return &client.Error{Kind: client.Usage, Op: op, Why: why, Remedy: u.Remedy(), Err: u}
}

// CheckSureCounter returns an error of the kind Usage if a counter is only guessed, or if its acceptance was
// taken back.
func (t *Table) CheckSureCounter(op string, c *layout.Counter) error {
	u := &Unaccepted{Table: t, Counter: c, Hash: t.Answers.CounterHash(c)}
	if c.State == layout.Described || c.State == layout.Accepted && t.Answers.StillAccepted(u.Hash, nil) {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: op, Err: u, Remedy: u.Remedy(),
		Why: fmt.Sprintf("the counter %s of %s is only a guess, and so is its meaning (%s)", c.NameOr(t.Name), t.Name,
			c.Semantics.Holds()),
	}
}

// Remedy returns the remedy for the missing statement: a person accepts the constraint or counter, or names the
// other tables.
func (u *Unaccepted) Remedy() remedy.Remedy {
	switch {
	case u.Constraint != nil && u.Constraint.State == layout.Described:
		at := u.Constraint.Origin.Of("also_in")
		if at == "" {
			at = "the config"
		}
		return remedy.Of(remedy.Text, fmt.Sprintf(
			"write the names of these tables as also_in of the constraint %s (%s), or also_in = [] if there are none", u.Constraint.Name, at))
	case u.Tables && u.Constraint.State.Sure():
		return u.Table.Remedy(remedy.SayTables, u.Hash)
	case u.Tables:
		return u.Table.Remedy(remedy.AcceptAndSayTables, u.Hash, u.Table.LockTable(u.Constraint))
	}
	return u.Table.Remedy(remedy.Accept, u.Hash)
}
