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

// Accept stores that a person has accepted a constraint, and opens the table again under the layout with the
// accepted constraint. alsoIn are the other tables that put locks into the constraint's table, or nil if nobody
// has named them.
func Accept(ctx context.Context, t *Table, c *layout.Constraint, alsoIn *[]string) (*Table, error) {
	l, err := t.Answers.Accept(c, alsoIn)
	if err != nil {
		return nil, err
	}
	return openAs(ctx, t, l)
}

// AcceptCounter stores that a person has accepted the counter c, and opens the table again under the layout
// with the accepted counter.
func AcceptCounter(ctx context.Context, t *Table, c *layout.Counter) (*Table, error) {
	l, err := t.Answers.AcceptCounter(c)
	if err != nil {
		return nil, err
	}
	return openAs(ctx, t, l)
}

// AlsoIn parses a person's list of the other tables that put locks into a constraint's table: "none", or names
// with commas between them. It refuses tables that do not exist.
func (t *Table) AlsoIn(ctx context.Context, c *layout.Constraint, text string) (*[]string, error) {
	refuse := func(why string) *client.Error {
		return &client.Error{
			Kind: client.Usage, Op: "reading the tables that also put locks there", Why: why,
			Do: "write none, or names with commas between them",
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
			return nil, refuse(fmt.Sprintf("no table can be called %q", name))
		}
		_, err := t.conn.Describe(ctx, name)
		switch {
		case client.KindOf(err) == client.NoTable:
			names, _ := t.conn.TableNames(ctx) // nil without permission to list tables
			return nil, refuse(fmt.Sprintf("this connection has no table %q%s", name, mistake.Meant(name, names...)))
		case err != nil:
			return nil, err
		case name != t.Name && !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return &names, nil
}

// Reaccepted opens u's table again if somebody has accepted u's constraint or counter after the table was
// opened. It returns nil if nobody has accepted it, if the layout is configured, or if the constraint or
// counter is still unsure.
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

// sureBy reports whether the constraint or counter of u is sure in t, another opening of the table.
func (u *Unaccepted) sureBy(t *Table) bool {
	if u.Constraint != nil {
		_, c := t.Layout.Constraint(u.Constraint.Name)
		return c != nil && t.CheckSure("", c) == nil
	}
	return slices.ContainsFunc(t.Layout.Counters, func(c *layout.Counter) bool {
		return answers.CounterKey(c) == answers.CounterKey(u.Counter) && c.State.Sure()
	})
}

// Unaccepted is the cause of an error that a person can prevent. If a change relies on a guessed constraint or
// counter, the person can accept it. If nobody has named the other tables that put locks into the constraint's
// table, the person can name them.
type Unaccepted struct {
	Table      *Table
	Constraint *layout.Constraint
	Counter    *layout.Counter
	// Hash identifies the constraint or counter in the command that accepts it.
	Hash string
	// Tables is set if nobody has named the other tables that put locks into the constraint's table.
	Tables bool
}

func (u *Unaccepted) Error() string { return "it is only guessed" }

// UnacceptedOf returns the constraint or counter that a person can accept to prevent the error. It returns nil
// if no acceptance helps.
func UnacceptedOf(err error) *Unaccepted {
	u, _ := errors.AsType[*Unaccepted](err)
	return u
}

// CheckSure returns an error of the kind Usage if no change by the constraint is allowed: the constraint is
// only guessed, or nobody has named the other tables that put locks into its table.
func (t *Table) CheckSure(op string, c *layout.Constraint) error {
	u := &Unaccepted{Table: t, Constraint: c, Hash: t.Answers.HashOf(c), Tables: !t.TablesSaid(c)}
	why := ""
	switch {
	case c.State == layout.Accepted && !t.Answers.StillAccepted(u.Hash, c.AlsoIn):
		why = fmt.Sprintf("the acceptance of the constraint %s of %s was changed or taken back", c.Name, t.Name)
	case !c.State.Sure():
		why = fmt.Sprintf("the layout of the constraint %s of %s is only guessed", c.Name, t.Name)
	case u.Tables:
		why = fmt.Sprintf("nobody has said which other tables put locks into %s", t.LockTable(c))
	default:
		return nil
	}
	return &client.Error{Kind: client.Usage, Op: op, Why: why, Remedy: u.Remedy(), Err: u}
}

// CheckSureCounter returns an error of the kind Usage if a counter is only guessed.
func (t *Table) CheckSureCounter(op string, c *layout.Counter) error {
	u := &Unaccepted{Table: t, Counter: c, Hash: t.Answers.CounterHash(c)}
	if c.State == layout.Described || c.State == layout.Accepted && t.Answers.StillAccepted(u.Hash, nil) {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: op, Err: u, Remedy: u.Remedy(),
		Why: fmt.Sprintf("the counter %s of %s is only guessed, as one that holds %s", c.NameOr(t.Name), t.Name,
			c.Semantics.Holds()),
	}
}

// Remedy says how to accept the constraint or counter, or how to name the other tables.
func (u *Unaccepted) Remedy() remedy.Remedy {
	switch {
	case u.Constraint != nil && u.Constraint.State == layout.Described:
		at := u.Constraint.Origin.Of("also_in")
		if at == "" {
			at = "the config"
		}
		return remedy.Of(remedy.Text, fmt.Sprintf(
			"write also_in = [] into the constraint %s (%s), or the names of these tables", u.Constraint.Name, at))
	case u.Tables && u.Constraint.State.Sure():
		return u.Table.Remedy(remedy.SayTables, u.Hash)
	case u.Tables:
		return u.Table.Remedy(remedy.AcceptAndSayTables, u.Hash, u.Table.LockTable(u.Constraint))
	}
	return u.Table.Remedy(remedy.Accept, u.Hash)
}
