package dynamo

import (
	"fmt"
	"slices"

	"tallylock/dynamo/layout"
)

// Question is a question that only a person can answer: whether items of a place hold the values
// of a constraint. The answer goes for all such items from then on.
type Question struct {
	layout.Place
	Constraint *layout.Constraint
	// Text asks, with an example.
	Text string
	// Covers are the words that * covers now, in a question that has * for one word.
	Covers []string
	table  *Table
}

// Answer stores the answer.
func (q *Question) Answer(a layout.Answer) error {
	place := q.Place
	place.Exact = len(q.Covers) == 0
	return q.table.answer(q.Constraint, place, a)
}

// Wider returns the same question with * for one word of the shape, for each word in turn; first
// the one that covers most words of the sample or the last check.
func (q *Question) Wider() (all []*Question) {
	places := q.table.Fit.Places()
	for _, wide := range q.Place.Wider() {
		own, _ := wide.Word(q.Place)
		one := &Question{Place: wide.Place, Constraint: q.Constraint, Covers: []string{own}, table: q.table}
		for _, p := range places {
			word, covered := wide.Word(p.Place)
			if covered && p.Constraint == q.Constraint && !slices.Contains(one.Covers, word) {
				one.Covers = append(one.Covers, word)
			}
		}
		one.Text = one.Ask()
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b *Question) int { return len(b.Covers) - len(a.Covers) })
	return all
}

// Ask asks, without an example.
func (q *Question) Ask() string {
	return fmt.Sprintf("Do %s items hold the values of %s in %s?", q.Items, q.Constraint.Name, q.Attribute)
}

// AskOf returns the question that keeps a relation's verdict unknown; nil if there is none.
func (t *Table) AskOf(r *Relation) *Question {
	if r.Asks == nil {
		return nil
	}
	return t.Ask(r.Constraint, r.Asks)
}

// Ask returns the question about items that hold a value of a constraint.
func (t *Table) Ask(c *layout.Constraint, h *Holding) *Question {
	q := &Question{Place: h.Place, Constraint: c, table: t}
	q.Text = fmt.Sprintf("%s. %s", h, q.Ask())
	return q
}

// Offer returns the commands that answer the question, and records that it was asked. A question with *
// for a word is about places that have questions of their own.
func (q *Question) Offer() string {
	if len(q.Covers) == 0 {
		q.table.RecordAsked(q.Constraint, q.Place)
	}
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
