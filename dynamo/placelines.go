package dynamo

import (
	"slices"
	"strings"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// PlaceLine is a line of a list of places: one place, or several whose shapes differ in one word
// only. Then the shape has * for that word, and N counts the items of all of them.
type PlaceLine struct {
	HeldPlace
	Answer layout.Answer
	Words  []string // for which * stands; empty for one place
	table  *Table
}

// PlaceLines lists the places that hold values of constraints, those with an open question first.
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
		return len(a.Answer) - len(b.Answer) // no answer is the empty one
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

// Masked is the key of an item with no more of it than the shape has.
func (p PlaceLine) Masked() string {
	words := strings.FieldsFunc(p.Items, isSeparator)
	key := Masked(p.Example.Hash.Value.Display(), words)
	if p.Example.Range.Name != "" {
		key += " / " + Masked(p.Example.Range.Value.Display(), words)
	}
	return key
}

// AnswerWords is what a person says of the items; empty if nobody has said.
func (p PlaceLine) AnswerWords() string {
	switch p.Answer {
	case layout.Hold:
		return "they hold the values"
	case layout.HoldNot:
		return "they do not hold the values"
	}
	return ""
}

// Said is the stored entry that answers for the line; nil if none does.
func (p PlaceLine) Said() *answers.Entry {
	for _, e := range p.table.Said() {
		if e.Place != nil && e.Constraint == p.Constraint.Name && e.Place.Covers(p.Place) {
			return &e
		}
	}
	return nil
}
