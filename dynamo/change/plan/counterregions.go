package plan

import (
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// noteRegions notes which other Regions may write a plan's counter. The plan's conditions
// hold in this Region only, and the last writer wins (docs/truth.md §11).
func (p *Plan) noteRegions(t *dynamo.Table, s layout.Semantics) {
	r := t.Regions()
	if len(r.Others) == 0 || r.WrittenIn == r.Here {
		return
	}
	if s == layout.Tally {
		p.Lines = append(p.Lines, Line{"note", "this holds in this Region only: " + phrase.List(r.Others) + " may count at the same time, and the last writer wins"})
		return
	}
	p.Elsewhere = r.Others
	p.Lines = append(p.Lines, Line{"note", "this holds in this Region only: " + p.sameNumbers()})
	p.Done += ", in this Region only: " + p.sameNumbers()
}

// sameNumbers warns that other Regions may hand out the same numbers.
func (p *Plan) sameNumbers() string {
	return phrase.List(p.Elsewhere) + " may hand out the same numbers"
}

// Reserved says whose the numbers of a reservation are. They are arguments, not the plan's,
// because a reservation may be planned again before it is applied: see Receipt.
func (p *Plan) Reserved(first, last string) string {
	which, _ := blockWords(first, last)
	are := "are"
	if first == last {
		are = "is"
	}
	if len(p.Elsewhere) > 0 {
		return fmt.Sprintf("%s of %s %s yours in this Region only: %s", which, p.Counter, are, p.sameNumbers())
	}
	return fmt.Sprintf("%s of %s %s yours alone", which, p.Counter, are)
}

// blockWords names a block of numbers, and returns the pronoun for it.
func blockWords(first, last string) (which, them string) {
	if first == last {
		return phrase.Group(first), "it"
	}
	return phrase.Group(first) + " to " + phrase.Group(last), "them"
}
