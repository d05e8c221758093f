package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/layout"
)

// unjudged are the words by which SQL names what it has left for the check to judge of an item: the
// numbers of constraints, "u" or "d" with the numbers of constraints without locks and of derived
// keys, and the words below. nil means all of it.
type unjudged []string

const (
	unjudgedMark = "mark" // the mark of a release
	unjudgedIDs  = "ids"
	// idsBeside says that the item's ids are not judged, and that SQL has judged other ids of the
	// same counter.
	idsBeside = "ids-beside"
)

// unjudgedOf reads candidateRow.Unjudged.
func unjudgedOf(said string) unjudged {
	words := unjudged(strings.Fields(said))
	if slices.Contains(words, "*") {
		return nil
	}
	return words
}

func (p unjudged) hasRule(of *rule) bool {
	return p == nil || slices.Contains(p, strconv.Itoa(of.index))
}

// hasValues reports whether SQL has left the values of a compared constraint to the check.
func (p unjudged) hasValues(r *run, con *layout.Constraint) bool {
	if p == nil {
		return true
	}
	if of := r.rules.byConstraint[con]; of != nil {
		return p.hasRule(of)
	}
	n := 0
	for _, one := range r.t.Layout.Unlocked() {
		if one == con {
			return slices.Contains(p, fmt.Sprint("u", n))
		}
		n++
	}
	return false
}

func (p unjudged) hasDerived(c *driftCheck, d *layout.Derived) bool {
	return p == nil || slices.Contains(p, fmt.Sprint("d", slices.Index(c.derived(), d)))
}

func (p unjudged) hasIDs() bool {
	return p == nil || slices.Contains(p, unjudgedIDs) || slices.Contains(p, idsBeside)
}
