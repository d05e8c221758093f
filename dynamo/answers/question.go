package answers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/verdict"
)

// HeldPlace is a place outside the layout whose items hold values of a constraint. The program found these
// items in the sample or in the last check.
type HeldPlace struct {
	Constraint *layout.Constraint
	layout.Place
	N       int      // number of items
	Example attr.Key // key of one of the items
	// Checked is set if the last check read the items: they hold values of locks that no account claims.
	// Otherwise the items are from the sample.
	Checked bool
}

// Places lists the places outside the layout that hold values, sorted by constraint and place.
func (a *Answers) Places() []HeldPlace {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Collect(maps.Values(a.places))
	slices.SortFunc(all, func(p, q HeldPlace) int {
		return cmp.Or(strings.Compare(p.Constraint.Name, q.Constraint.Name), strings.Compare(p.Table, q.Table),
			strings.Compare(p.Items, q.Items), strings.Compare(p.Attribute, q.Attribute))
	})
	return all
}

// ID identifies the question whether items of this place hold the values.
func (p HeldPlace) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Constraint.Name, p.Table, p.Items, p.Attribute}, "\x00")))
	return "Q-" + hex.EncodeToString(sum[:4])
}

// Questions lists the places that hold values and still need a person's answer.
func (a *Answers) Questions() []HeldPlace {
	return slices.DeleteFunc(a.Places(), func(p HeldPlace) bool {
		return p.Constraint.Answers.Of(p.Place) != layout.NoAnswer
	})
}

// placeOf identifies a HeldPlace.
type placeOf struct {
	c *layout.Constraint
	layout.Place
}

// LearnPlaces adds the places where a search has found values. checked is true if a check made the search. All
// readers of the search must be closed.
func (a *Answers) LearnPlaces(s *holders.Search, checked bool) {
	found := map[placeOf]HeldPlace{}
	s.Each(func(c *layout.Constraint, h *verdict.Holding) {
		at := placeOf{c, h.Place}
		one := found[at]
		if len(found) >= holders.MostHoldings && one.N == 0 {
			return // the limit is reached: the questions about further places come later
		}
		found[at] = HeldPlace{c, h.Place, one.N + h.N, h.Key(), checked}
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.Copy(a.places, found)
}

// openPlace returns a place that still needs a person's answer. Either its items hold values of the constraint,
// or a person was asked about this place before.
func (a *Answers) openPlace(c *layout.Constraint) (layout.Place, bool) {
	for _, q := range a.Questions() {
		if q.Constraint == c {
			return q.Place, true
		}
	}
	tables := a.tablesOf(c)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.entries {
		if e.Answer == layout.Asked && e.Constraint == c.Name && slices.Equal(e.Tables, tables) &&
			c.Answers.Of(*e.Place) == layout.NoAnswer {
			return *e.Place, true
		}
	}
	return layout.Place{}, false
}

// WasAsked reports whether the place is an open question of the constraint, or whether a person was asked about
// the place before.
func (a *Answers) WasAsked(c *layout.Constraint, p layout.Place) bool {
	open := func(q HeldPlace) bool { return q.Constraint == c && p.Covers(q.Place) }
	return slices.ContainsFunc(a.Questions(), open) ||
		slices.ContainsFunc(a.store.About(a.table()), func(e Entry) bool {
			return e.Place != nil && e.Constraint == c.Name && p.Covers(*e.Place)
		})
}

// RecordAsked records that a person was asked about a place. If an answer names a place without such a record,
// the place may be misspelt. RecordAsked ignores errors.
func (a *Answers) RecordAsked(c *layout.Constraint, p layout.Place) {
	_ = a.store.AddOnce(Entry{Tables: a.tablesOf(c), Constraint: c.Name, Place: &p, Answer: layout.Asked})
}

// Answer stores a person's answer about a place that holds values of a constraint. If exactly this place is an open
// question, or if a person was asked about it before, the place becomes Exact: a * in it stands for an id, a number, a
// time or a value. Otherwise a * stands for any word.
func (a *Answers) Answer(c *layout.Constraint, place layout.Place, answer layout.Answer) error {
	asked := func(p layout.Place) bool {
		return p.Table == place.Table && p.Items == place.Items && p.Attribute == place.Attribute
	}
	open := func(q HeldPlace) bool { return q.Constraint == c && asked(q.Place) }
	place.Exact = slices.ContainsFunc(a.Questions(), open) ||
		slices.ContainsFunc(a.store.About(a.table()), func(e Entry) bool {
			return e.Place != nil && e.Constraint == c.Name && (e.Answer == layout.Asked || e.Place.Exact) && asked(*e.Place)
		})
	return a.answer(c, place, answer)
}

func (a *Answers) answer(c *layout.Constraint, place layout.Place, answer layout.Answer) error {
	setting, exact := "holders", ""
	if answer == layout.HoldNot {
		setting = "no_holders"
	}
	if place.Exact && strings.Contains(place.Items, "*") {
		exact = ", exact = true"
	}
	return a.add("storing the answer about "+place.Attribute+" of "+place.Items,
		Entry{Tables: a.tablesOf(c), Constraint: c.Name, Place: &place, Answer: answer},
		fmt.Sprintf("[[layout.account.constraint]] # %s\n%s = [{ table = %q, items = %q, attribute = %q%s }]\n",
			c.Name, setting, place.Table, place.Items, place.Attribute, exact))
}

// PlaceLine is a line of a list of places. It shows one place, or several places whose shapes differ in one
// word. A line of several places has * in place of that word, and N counts the items of all its places.
type PlaceLine struct {
	HeldPlace
	Answer layout.Answer
	Words  []string // the words in place of *; empty for one place
	of     *Answers
}

// PlaceLines lists the places that hold values of constraints. Places that still need a person's answer come
// first.
func (a *Answers) PlaceLines() []PlaceLine {
	places := a.Places()
	var lines []PlaceLine
	for len(places) > 0 {
		first := places[0]
		line := PlaceLine{HeldPlace: first, Answer: first.Constraint.Answers.Of(first.Place), of: a}
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
		return len(a.Answer) - len(b.Answer) // open questions first: their answer is the empty string
	})
	return lines
}

// Question returns the question about the items of the line.
func (p PlaceLine) Question() *Question {
	q := &Question{Place: p.Place, Constraint: p.Constraint, Covers: p.Words, of: p.of}
	q.Text = "Seen: " + p.Seen() + ". " + q.Ask()
	return q
}

// Seen describes the items of the line: their number, the sample or check that contained them, and a masked
// example.
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

// AnswerWords puts a person's answer about the items into words. The result is empty if nobody has answered.
func (p PlaceLine) AnswerWords() string {
	switch p.Answer {
	case layout.Hold:
		return "they hold the values"
	case layout.HoldNot:
		return "they do not hold the values"
	}
	return ""
}

// Said returns the stored answer for the line, or nil if there is none.
func (p PlaceLine) Said() *Entry {
	for _, e := range p.of.Said() {
		if e.Place != nil && e.Constraint == p.Constraint.Name && e.Place.Covers(p.Place) {
			return &e
		}
	}
	return nil
}

// Question is a question that only a person can answer: whether the items of a place hold the values of a
// constraint. The answer applies to all items of the place.
type Question struct {
	layout.Place
	Constraint *layout.Constraint
	// Text is the question with an example.
	Text string
	// Covers lists the known words that a * of the place replaces. It is empty if each * replaces only an id, a number, a
	// time or a value.
	Covers []string
	of     *Answers
}

// Answer stores the answer.
func (q *Question) Answer(answer layout.Answer) error {
	place := q.Place
	place.Exact = len(q.Covers) == 0
	return q.of.answer(q.Constraint, place, answer)
}

// Wider returns wider questions. Each has * in place of one word of the shape, and so covers more items. The
// question whose * stands for the most known words comes first.
func (q *Question) Wider() (all []*Question) {
	places := q.of.Places()
	for _, wide := range q.Place.Wider() {
		own, _ := wide.Word(q.Place)
		one := &Question{Place: wide.Place, Constraint: q.Constraint, Covers: []string{own}, of: q.of}
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
	return fmt.Sprintf("Do %s items hold %s values in attribute %s?", q.Items, q.Constraint.Name, q.Attribute)
}

// AskOf returns the open question that keeps a relation's verdict unknown, or nil if there is none.
func (a *Answers) AskOf(r *verdict.Relation) *Question {
	if r.Asks == nil {
		return nil
	}
	return a.Ask(r.Constraint, r.Asks)
}

// Ask returns the question about items that hold a value of a constraint.
func (a *Answers) Ask(c *layout.Constraint, h *verdict.Holding) *Question {
	q := &Question{Place: h.Place, Constraint: c, of: a}
	q.Text = fmt.Sprintf("%s. %s", h, q.Ask())
	return q
}

// Offer returns the commands that answer the question, and records that a person was asked. If the question has * for
// a word, Offer records nothing: the single places have their own questions.
func (q *Question) Offer() remedy.Remedy {
	if len(q.Covers) == 0 {
		q.of.RecordAsked(q.Constraint, q.Place)
	}
	place := fmt.Sprintf("%s %s %s", q.Constraint.Name, q.Items, q.Attribute)
	if q.Table != q.of.v.AccountTable {
		return q.of.remedy(remedy.AnswerElsewhere, place, q.Table)
	}
	return q.of.remedy(remedy.Answer, place)
}
