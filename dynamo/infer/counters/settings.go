package counters

import (
	"math/big"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// What a counter's item says of how it counts, by the names that such attributes have.
var (
	stepNames   = []string{"step", "stepSize", "step_size", "increment", "incrementBy", "increment_by"}
	maxNames    = []string{"max", "maxValue", "max_value", "maximum", "ceiling"}
	moduloNames = []string{"modulo", "modulus", "wrapAt", "wrap_at"}
)

// settings takes over what a group's items say of how they count, where all say the same.
func (g *countGroup) settings(c layout.CounterConfig) layout.CounterConfig {
	if g.entities {
		return c
	}
	if step := g.setting(stepNames); step != nil && step.Cmp(big.NewInt(1)) > 0 {
		rest := new(big.Int)
		if n := g.rows[0].number(g.attribute); n != nil {
			rest.Mod(n, step)
		}
		same := !slices.ContainsFunc(g.rows, func(r *countRow) bool {
			n := r.number(g.attribute)
			return n == nil || new(big.Int).Mod(n, step).Cmp(rest) != 0
		})
		if same {
			c.Step, c.Offset = step.String(), rest.String()
		}
	}
	if modulo := g.setting(moduloNames); modulo != nil {
		c.Modulo, c.Max, c.IDs = modulo.String(), "", nil
	} else if most := g.setting(maxNames); most != nil {
		c.Max = most.String()
	}
	return c
}

// setting is the number that all items of a group have under one of some names; nil where
// they do not, or it is not above 0.
func (g *countGroup) setting(names []string) *big.Int {
	for _, name := range names {
		v := g.rows[0].item[name]
		n, ok := attr.Integer(v.Text)
		if name != g.attribute && v.Kind == attr.N && ok && n.Sign() > 0 &&
			!slices.ContainsFunc(g.rows, func(r *countRow) bool { return !r.item[name].Equal(v) }) {
			return n
		}
	}
	return nil
}
