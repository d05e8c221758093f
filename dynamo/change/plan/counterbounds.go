package plan

import (
	"fmt"
	"math/big"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// bounds are the highest numbers that common software can count to, the highest first, and
// what goes wrong beyond them.
var bounds = []struct {
	power     uint // the bound is 2^power − 1
	otherwise string
}{
	{63, "a program that keeps ids in 64-bit integers cannot read it"},
	{53, "JavaScript, and all that keeps numbers in a double, mixes up the numbers beyond it"},
	{31, "a program that keeps ids in 32-bit integers cannot read it"},
}

// boundWarning warns of the highest bound that a counter passes; empty if it passes none, or
// had passed it before.
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

// warnBounds adds a line about the bound that the plan takes the counter past.
func (p *Plan) warnBounds() {
	if text := boundWarning(p.Before, p.After); text != "" {
		p.Lines = append(p.Lines, Line{LabelMind, text})
	}
}
