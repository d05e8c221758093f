package dynamo

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"tallylock/dynamo/layout"
)

// OpenQuestion is a question about items that hold values of a constraint where the layout does
// not say so.
type OpenQuestion struct {
	Constraint *layout.Constraint
	Place      layout.Place
	Count      int // of such items that were seen
}

// ID names the question.
func (q OpenQuestion) ID() string {
	sum := sha256.Sum256([]byte(strings.Join(
		[]string{q.Constraint.Name, q.Place.Table, q.Place.Items, q.Place.Attribute}, "\x00")))
	return "Q-" + hex.EncodeToString(sum[:4])
}

// Questions lists the questions that the sample asks.
func (t *Table) Questions() []OpenQuestion {
	var all []OpenQuestion
	for _, c := range t.Layout.Constraints() {
		fit := t.Fit.Of(c)
		place := layout.Place{Table: t.Name, Items: fit.Shape, Attribute: fit.Attribute}
		if fit.Held > 0 && c.Answers.Of(place) == layout.NoAnswer {
			all = append(all, OpenQuestion{c, place, fit.Held})
		}
	}
	return all
}
