package dynamo

import (
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Unaccepted is the cause of an error that accepting would take away: a change rests on a
// constraint or a counter that is only guessed, or whose tables nobody has said.
type Unaccepted struct {
	Table      *Table
	Constraint *layout.Constraint
	Counter    *layout.Counter
	// Hash is what `layout --accept` takes.
	Hash string
	// Tables: nobody has said which other tables put locks into the table of the locks.
	Tables bool
}

func (u *Unaccepted) Error() string { return "it is only guessed" }

// UnacceptedOf returns what has to be accepted so that the error goes away; nil if nothing helps.
func UnacceptedOf(err error) *Unaccepted {
	u, _ := errors.AsType[*Unaccepted](err)
	return u
}

// CheckSure returns an error of the kind Usage if a change by a constraint is not allowed: the
// constraint is only guessed, or nobody has said which other tables put locks into its table.
func (t *Table) CheckSure(op string, c *layout.Constraint) error {
	u := &Unaccepted{Table: t, Constraint: c, Hash: t.HashOf(c)}
	e := &client.Error{Kind: client.Usage, Op: op, Err: u}
	if u.Tables = !t.TablesSaid(c); c.State == layout.Accepted && !t.stillAccepted(u.Hash, c.AlsoIn) {
		e.Why = fmt.Sprintf("the acceptance of the constraint %s of %s was changed or taken back", c.Name, t.Name)
		e.Do = u.Say()
		return e
	}
	if !c.State.Sure() {
		e.Why = fmt.Sprintf("the layout of the constraint %s of %s is only guessed", c.Name, t.Name)
		e.Do = u.Say()
		return e
	}
	if !u.Tables {
		return nil
	}
	e.Why = fmt.Sprintf("nobody has said which other tables put locks into %s", c.LockTable(t.Name))
	e.Do = u.Say()
	return e
}

// stillAccepted reports whether what has a hash is accepted by now as it was when the table was opened.
func (t *Table) stillAccepted(hash string, alsoIn []string) bool {
	if t.conn == nil || t.conn.answers == nil || t.conn.options.ConfigAnswers {
		return true
	}
	t.answered.mu.Lock()
	defer t.answered.mu.Unlock()
	e := t.answered.accepted(hash)
	return e != nil && (e.AlsoIn == nil || slices.Equal(*e.AlsoIn, alsoIn))
}

// TablesSaid reports whether it is known which tables put locks into the table of a
// constraint's locks. Locks in the accounts' own table need no answer.
func (t *Table) TablesSaid(c *layout.Constraint) bool {
	return c.Lockless() || c.LockTable(t.Name) == t.Name || c.AlsoIn != nil
}

// CheckSureCounter returns an error of the kind Usage if a counter is only guessed.
func (t *Table) CheckSureCounter(op string, c *layout.Counter) error {
	u := &Unaccepted{Table: t, Counter: c, Hash: t.CounterHash(c)}
	if c.State == layout.Described || c.State == layout.Accepted && t.stillAccepted(u.Hash, nil) {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: op, Err: u, Do: u.Say(),
		Why: fmt.Sprintf("the counter %s of %s is only guessed, as one that holds %s", c.NameOr(t.Name), t.Name,
			c.Semantics.Holds()),
	}
}

// Say says how to accept it, or how to say the tables.
func (u *Unaccepted) Say() string {
	words := []string{"layout", "--accept", u.Hash}
	switch {
	case u.Constraint != nil && u.Constraint.State == layout.Described:
		at := u.Constraint.Origin.Of("also_in")
		if at == "" {
			at = "the config"
		}
		return fmt.Sprintf("write also_in = [] into the constraint %s (%s), or the names of these tables", u.Constraint.Name, at)
	case u.Tables && u.Constraint.State.Sure():
		return "say it, with their names or with none: " + u.Table.Command(append(words, "--also-in", "none"))
	case u.Tables:
		words = append(words, "--also-in", "none")
		return fmt.Sprintf("see it: %s; if your application does it so, accept it, and say which other tables put locks into %s: %s",
			u.Table.Command([]string{"layout"}), u.Constraint.LockTable(u.Table.Name), u.Table.Command(words))
	}
	return fmt.Sprintf("see it: %s; if your application does it so, accept it: %s", u.Table.Command([]string{"layout"}),
		u.Table.Command(words))
}
