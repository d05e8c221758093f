package dynamo

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/verdict"
)

// PlaceLine is a line of a list of places. It shows one place, or several places whose shapes differ in
// one word. Then the shape has * for that word, and N counts the items of all these places.
type PlaceLine struct {
	HeldPlace
	Answer layout.Answer
	Words  []string // the words that * covers; empty for one place
	table  *Table
}

// PlaceLines lists the places that hold values of constraints. Places with an open question come first.
func (t *Table) PlaceLines() []PlaceLine {
	places := t.Fit.Places()
	var lines []PlaceLine
	for len(places) > 0 {
		first := places[0]
		line := PlaceLine{HeldPlace: first, Answer: first.Constraint.Answers.Of(first.Place), table: t}
		together := func(p HeldPlace) bool {
			return p.Constraint == first.Constraint && p.Checked == first.Checked &&
				p.Constraint.Answers.Of(p.Place) == line.Answer
		}
		var best layout.Wider
		for _, wide := range first.Place.Wider() {
			var words []string
			for _, p := range places {
				if word, covered := wide.Word(p.Place); covered && together(p) {
					words = append(words, word)
				}
			}
			if len(words) > 1 && len(words) > len(line.Words) {
				best, line.Words = wide, words
			}
		}
		if len(line.Words) == 0 {
			lines, places = append(lines, line), places[1:]
			continue
		}
		line.Place, line.N = best.Place, 0
		places = slices.DeleteFunc(places, func(p HeldPlace) bool {
			_, covered := best.Word(p.Place)
			if covered = covered && together(p); covered {
				line.N += p.N
			}
			return covered
		})
		lines = append(lines, line)
	}
	slices.SortStableFunc(lines, func(a, b PlaceLine) int {
		return len(a.Answer) - len(b.Answer) // open questions first: no answer is the empty string
	})
	return lines
}

// Question asks about the items of the line.
func (p PlaceLine) Question() *Question {
	q := &Question{Place: p.Place, Constraint: p.Constraint, Covers: p.Words, table: p.table}
	q.Text = "Seen: " + p.Seen() + ". " + q.Ask()
	return q
}

// Seen counts the items and says where they were seen, with a masked example.
func (p PlaceLine) Seen() string {
	where := "the sample"
	if p.Checked {
		where = "the last check"
	}
	seen := phrase.Count(p.N, "item") + " of " + where
	if len(p.Words) > 1 {
		seen += " with " + phrase.Count(len(p.Words), "word")
	}
	return seen + ", such as " + p.Masked()
}

// Masked returns the key of an example item. It hides the parts of the key that the shape does not contain.
func (p PlaceLine) Masked() string {
	words := strings.FieldsFunc(p.Items, guess.IsKeyBreak)
	key := guess.Masked(p.Example.Hash.Value.Display(), words)
	if p.Example.Range.Name != "" {
		key += " / " + guess.Masked(p.Example.Range.Value.Display(), words)
	}
	return key
}

// AnswerWords returns a person's answer about the items; empty if nobody has answered.
func (p PlaceLine) AnswerWords() string {
	switch p.Answer {
	case layout.Hold:
		return "they hold the values"
	case layout.HoldNot:
		return "they do not hold the values"
	}
	return ""
}

// Said returns the stored entry that answers for the line; nil if there is none.
func (p PlaceLine) Said() *answers.Entry {
	for _, e := range p.table.Said() {
		if e.Place != nil && e.Constraint == p.Constraint.Name && e.Place.Covers(p.Place) {
			return &e
		}
	}
	return nil
}

// Question is a question that only a person can answer: whether items of a place hold the values
// of a constraint. The answer then applies to all such items.
type Question struct {
	layout.Place
	Constraint *layout.Constraint
	// Text is the question with an example.
	Text string
	// Covers are the words that the * of the place covers now; empty if the place has no *.
	Covers []string
	table  *Table
}

// Answer stores the answer.
func (q *Question) Answer(a layout.Answer) error {
	place := q.Place
	place.Exact = len(q.Covers) == 0
	return q.table.answer(q.Constraint, place, a)
}

// Wider returns the same question with * for one word of the shape, once for each word. The question
// that covers most words of the sample or the last check comes first.
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

// Ask returns the question without an example.
func (q *Question) Ask() string {
	return fmt.Sprintf("Do %s items hold the values of %s in %s?", q.Items, q.Constraint.Name, q.Attribute)
}

// AskOf returns the question that keeps a relation's verdict unknown; nil if there is none.
func (t *Table) AskOf(r *verdict.Relation) *Question {
	if r.Asks == nil {
		return nil
	}
	return t.Ask(r.Constraint, r.Asks)
}

// Ask returns the question about items that hold a value of a constraint.
func (t *Table) Ask(c *layout.Constraint, h *verdict.Holding) *Question {
	q := &Question{Place: h.Place, Constraint: c, table: t}
	q.Text = fmt.Sprintf("%s. %s", h, q.Ask())
	return q
}

// Offer says how to answer the question, and records that it was asked. It does not record a question
// with * for a word: the places that it covers have their own questions.
func (q *Question) Offer() remedy.Remedy {
	if len(q.Covers) == 0 {
		q.table.RecordAsked(q.Constraint, q.Place)
	}
	place := fmt.Sprintf("%s %s %s", q.Constraint.Name, q.Items, q.Attribute)
	if q.Table != q.table.Name {
		return q.table.Remedy(remedy.AnswerElsewhere, place, q.Table)
	}
	return q.table.Remedy(remedy.Answer, place)
}
