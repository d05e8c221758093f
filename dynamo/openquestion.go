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

// Questions lists the questions about items that were seen to hold values, in the sample or in
// the last check, and that nobody has answered.
func (t *Table) Questions() []OpenQuestion {
	var all []OpenQuestion
	for _, p := range t.Fit.Places() {
		if p.Constraint.Answers.Of(p.Place) == layout.NoAnswer {
			all = append(all, OpenQuestion{p.Constraint, p.Place, p.N})
		}
	}
	return all
}
