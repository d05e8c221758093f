package dynamo

import (
	"fmt"
	"slices"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// NowhereElse reports whether a release by owner needs no look: a person has said that nothing
// outside the layout holds the values of a constraint, and nothing speaks against it.
func (t *Table) NowhereElse(c *layout.Constraint) bool {
	_, _, said := c.Answers.All()
	return said && t.WhyLook(c) == ""
}

// WhyLook returns why a release of a constraint's lock reads all tables, even if a person says that
// nothing outside the layout holds the values. It is empty if that would count.
func (t *Table) WhyLook(c *layout.Constraint) string {
	holders, _, _ := c.Answers.All()
	switch {
	case c.Lockless():
		return c.Name + " has no locks"
	case !c.State.Sure():
		return "the layout of " + c.Name + " is only guessed"
	case c.Owner == "" && !c.OwnedByKey():
		return "its locks name no account"
	case len(holders) > 0:
		return fmt.Sprintf("%s items hold the values in %s, as a person says", holders[0].Items, holders[0].Attribute)
	case c.Moves:
		return "accounts may gain a value without putting its lock (moves)"
	case c.TwoSteps:
		return "a sign-up takes several transactions (two_steps)"
	case c.Reserved.For > 0:
		return "a lock may precede its account (reserved_for)"
	}
	if open, ok := t.openPlace(c); ok {
		return fmt.Sprintf("nobody has said whether %s items hold the values in %s", open.Items, open.Attribute)
	}
	return ""
}

// WhyIgnored returns why an entry that nothing else holds the values of a constraint has no effect;
// empty if it has one, and for any other entry.
func (t *Table) WhyIgnored(e answers.Entry) string {
	if !e.NowhereElse {
		return ""
	}
	for _, c := range t.Layout.Rules() {
		if t.HashOf(c) == e.Hash {
			return t.WhyLook(c)
		}
	}
	return "the layout of " + e.Constraint + " has changed since"
}

// openPlace returns a place whose items hold values of a constraint, or about which somebody was
// asked, if nobody has answered.
func (t *Table) openPlace(c *layout.Constraint) (layout.Place, bool) {
	for _, q := range t.Questions() {
		if q.Constraint == c {
			return q.Place, true
		}
	}
	tables := t.tablesOf(c)
	t.answered.mu.Lock()
	defer t.answered.mu.Unlock()
	for _, e := range t.answered.entries {
		if e.Answer == layout.Asked && e.Constraint == c.Name && slices.Equal(e.Tables, tables) &&
			c.Answers.Of(*e.Place) == layout.NoAnswer {
			return *e.Place, true
		}
	}
	return layout.Place{}, false
}

// SayNowhereElse stores that nothing outside the layout holds the values of a constraint. It counts
// as long as the layout of the constraint and its tables stay the same.
func (t *Table) SayNowhereElse(c *layout.Constraint) error {
	op := "storing that nothing else holds values of " + c.Name
	if why := t.WhyLook(c); why != "" {
		return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: "nothing was stored"}
	}
	e := answers.Entry{Tables: t.tablesOf(c), Constraint: c.Name, Hash: t.HashOf(c), NowhereElse: true}
	lines := fmt.Sprintf("[[layout.account.constraint]] # %s\nnowhere_else = true\n", c.Name)
	if err := t.store(op, e, lines); err != nil {
		return err
	}
	t.RecallAnswers()
	return nil
}
