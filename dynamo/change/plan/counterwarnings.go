package plan

import (
	"fmt"
	"math/big"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// noteRegions adds a line about the other Regions that may write a plan's counter. The plan's conditions hold
// in this Region only, and the last writer wins (docs/truth.md §11).
func noteRegions(p *Plan, t *dynamo.Table, s layout.Semantics) {
	r := t.Regions()
	if len(r.Others) == 0 || r.WrittenIn == r.Here {
		return
	}
	if s == layout.Tally {
		p.AddLine("note", "this holds in this Region only: "+phrase.List(r.Others)+" may count at the same time, and the last writer wins")
		return
	}
	p.Elsewhere = r.Others
	p.AddLine("note", "this holds in this Region only: "+sameNumbers(p))
	p.Done += ", in this Region only: " + sameNumbers(p)
}

// sameNumbers returns the warning that other Regions may hand out the same numbers.
func sameNumbers(p *Plan) string {
	return phrase.List(p.Elsewhere) + " may hand out the same numbers"
}

// Reserved says in words that the numbers first to last belong to the person, perhaps in this Region only. It
// does not use the plan's own numbers, because a reservation may be planned again before it is applied: see
// Receipt.
func ReservedNumbers(p *Plan, first, last string) string {
	which, _ := blockWords(first, last)
	are := "are"
	if first == last {
		are = "is"
	}
	if len(p.Elsewhere) > 0 {
		return fmt.Sprintf("%s of %s %s yours in this Region only: %s", which, p.Counter, are, sameNumbers(p))
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

// bounds lists the highest numbers that common software can count to, from the highest to the lowest, and the
// problems beyond them.
var bounds = []struct {
	power     uint // the bound is 2^power − 1
	otherwise string
}{
	{63, "a program that keeps ids in 64-bit integers cannot read it"},
	{53, "JavaScript, and all that keeps numbers in a double, mixes up the numbers beyond it"},
	{31, "a program that keeps ids in 32-bit integers cannot read it"},
}

// boundWarning returns a warning about the highest bound that a counter passes. It is empty if the counter
// passes none, or had passed it before.
func boundWarning(before, after string) string {
	to, whole := attr.Integer(after)
	from, known := attr.Integer(before)
	if !whole {
		return ""
	}
	for _, b := range bounds {
		most := new(big.Int).Lsh(big.NewInt(1), b.power)
		most.Sub(most, big.NewInt(1))
		if to.Cmp(most) > 0 {
			if known && from.Cmp(most) > 0 {
				return ""
			}
			return fmt.Sprintf("this goes past 2^%d − 1 (%s): %s", b.power, phrase.Group(most.String()), b.otherwise)
		}
	}
	return ""
}

// warnBounds adds the warning about the highest bound that the plan passes, if it passes one.
func warnBounds(p *Plan) {
	if text := boundWarning(p.Before, p.After); text != "" {
		p.AddLine(LabelMind, text)
	}
}
