package dynamo

import (
	"errors"
	"fmt"

	"tallylock/dynamo/layout"
)

// Question is a question that only a person can answer: whether items of a place hold the values
// of a constraint. The answer goes for all such items from then on.
type Question struct {
	layout.Place
	Constraint *layout.Constraint
	// Text asks, with an example.
	Text  string
	table *Table
}

// openQuestion is the cause of an error that an answer would take away.
type openQuestion struct{ *Question }

func (q openQuestion) Error() string { return q.Text }

// QuestionOf returns the question whose answer takes an error away; nil if there is none.
func QuestionOf(err error) *Question {
	if q, ok := errors.AsType[openQuestion](err); ok {
		return q.Question
	}
	return nil
}

// Answer stores the answer.
func (q *Question) Answer(a layout.Answer) error { return q.table.Answer(q.Constraint, q.Place, a) }

// AskOf returns the question that keeps a relation's verdict unknown; nil if there is none.
func (t *Table) AskOf(r *Relation) *Question {
	if r.Asks == nil {
		return nil
	}
	return t.Ask(r.Constraint, r.Asks)
}

// Ask returns the question about items that hold a value of a constraint.
func (t *Table) Ask(c *layout.Constraint, h *Holding) *Question {
	return &Question{
		Place: h.Place, Constraint: c, table: t,
		Text: fmt.Sprintf("%s. Do %s items hold the values of %s in %s?", h, h.Items, c.Name, h.Attribute),
	}
}

// Offer returns the commands that answer the question, and records that it was asked.
func (q *Question) Offer() string {
	q.table.RecordAsked(q.Constraint, q.Place)
	place := fmt.Sprintf("%s %s %s", q.Constraint.Name, q.Items, q.Attribute)
	return "If such items hold the values: " + q.table.Command(q.answering("--holder", place)) +
		". If they do not: " + q.table.Command(q.answering("--no-holder", place))
}

// answering is the command that answers, for the table of the items.
func (q *Question) answering(flag, place string) []string {
	words := []string{"layout", flag, place}
	if q.Table != q.table.Name {
		words = append(words, "--items-table", q.Table)
	}
	return words
}
