package dynamo

import (
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo/layout"
)

// Question is what only a person can say of a table's layout: what the items of a shape
// are, or that a constraint is right although something speaks against it. The answer is
// kept beside the config, and goes for all such items from then on.
type Question struct {
	// Text asks, with what was seen.
	Text string
	// Items and Attribute are the shape that is asked about; empty where it is a constraint.
	Items, Attribute string
	// Lock: what is asked about is itself where a lock would be.
	Lock       bool
	Constraint *layout.Constraint
	table      *Table
}

// openQuestion is the cause of an error that an answer would take away.
type openQuestion struct{ *Question }

func (q openQuestion) Error() string { return q.Text }

// QuestionOf is what a person can answer so that the error goes away; nil where there is
// nothing.
func QuestionOf(err error) *Question {
	if q, ok := errors.AsType[openQuestion](err); ok {
		return q.Question
	}
	return nil
}

// Tell answers what the items of the shape are: HoldsCopy or HoldsAccount.
func (q *Question) Tell(are Holding) error {
	said := layout.HoldNot
	if are == HoldsAccount {
		said = layout.Hold
	}
	place := layout.Place{Table: q.table.Name, Items: q.Items, Attribute: q.Attribute}
	for _, c := range q.table.Layout.Constraints() {
		if err := q.table.Answer(c, place, said); err != nil {
			return err
		}
	}
	return nil
}

// Ask is the question that would tell whether the layout is right about a constraint;
// nil where it is supported.
func (f *Fitting) Ask(c *layout.Constraint) *Question {
	fit := f.Of(c)
	switch {
	case fit.Standing() == layout.Supported:
		return nil
	case fit.Why() == fit.Kinds.Text:
		return &Question{Text: fit.Why(), Items: fit.Shape, Attribute: fit.Attribute, table: f.t}
	}
	return &Question{
		Text:       fmt.Sprintf("whether the layout fits the %s is not sure: %s", c.Name, fit.Why()),
		Constraint: c,
		table:      f.t,
	}
}

// AskOf is the question that keeps a relation's verdict unknown; nil where none does.
func (f *Fitting) AskOf(r *Relation) *Question {
	switch {
	case r.Verdict != Unknown, !slices.Contains(f.t.Layout.Constraints(), r.Constraint):
	case r.Misfit:
		return f.Ask(r.Constraint)
	case r.Asks != nil:
		return r.Asks.Ask(f.t)
	}
	return nil
}

// Ask is the question what the items are; nil where somebody has said it.
func (h Sighting) Ask(t *Table) *Question {
	if h.As != HoldsUndecided {
		return nil
	}
	return &Question{Text: h.String(), Items: h.Items, Attribute: h.Attribute, Lock: h.lock, table: t}
}

// SayRival is how a person says what the items are that may be the accounts of a
// constraint; empty where nobody has to.
func (f *Fitting) SayRival(c *layout.Constraint) string {
	fit := f.Of(c)
	r := fit.Rival()
	if r == nil || fit.Standing() != layout.Thin {
		return ""
	}
	return "If they only repeat values of accounts: " + f.t.Command([]string{"layout", "--copy", r.Items + " " + r.Attribute}) + ". If they are the accounts: " + f.t.Correct() + "."
}
