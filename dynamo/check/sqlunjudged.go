package check

import (
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/layout"
)

// unjudged is what SQL has left for the check to judge of an item. nil means all of it.
type unjudged struct {
	constraints []int // by their index in the layout
	ids         bool
	mark        bool // the item's release mark
	// unlocked are constraints without locks, by their index in the layout.
	unlocked []int
	// derived are derived keys, by their index in the layout.
	derived []int
}

// idsBeside says that the item's ids are not judged, and that SQL has judged other ids of the
// same counter.
const idsBeside = "ids-beside"

// unjudgedOf reads candidateRow.Unjudged; nil means all.
func unjudgedOf(said string) *unjudged {
	p := &unjudged{}
	for _, word := range strings.Fields(said) {
		switch n, err := strconv.Atoi(word); {
		case word == "*":
			return nil
		case word == "ids", word == idsBeside:
			p.ids = true
		case word == "mark":
			p.mark = true
		case word[0] == 'u':
			p.unlocked = appendNumber(p.unlocked, word[1:])
		case word[0] == 'd':
			p.derived = appendNumber(p.derived, word[1:])
		case err == nil:
			p.constraints = append(p.constraints, n)
		}
	}
	return p
}

func (p *unjudged) hasRule(of *rule) bool {
	return p == nil || slices.Contains(p.constraints, of.index)
}

// hasValues reports whether SQL has left the values of a compared constraint to the check.
func (p *unjudged) hasValues(r *run, con *layout.Constraint) bool {
	if p == nil {
		return true
	}
	if of := r.rules.byConstraint[con]; of != nil {
		return p.hasRule(of)
	}
	n := 0
	for _, a := range r.t.Layout.Accounts {
		for _, one := range a.Unlocked {
			if one == con {
				return slices.Contains(p.unlocked, n)
			}
			n++
		}
	}
	return false
}

func appendNumber(all []int, word string) []int {
	if n, err := strconv.Atoi(word); err == nil {
		all = append(all, n)
	}
	return all
}

func (p *unjudged) hasDerived(c *driftCheck, d *layout.Derived) bool {
	return p == nil || slices.Contains(p.derived, slices.Index(c.derived(), d))
}

func (p *unjudged) hasIDs() bool { return p == nil || p.ids }
