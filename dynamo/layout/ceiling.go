package layout

import (
	"errors"
	"math/big"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
)

// ceiling reads where a counter ends: at a highest value, or by beginning again.
func (cc CounterConfig) ceiling(c *Counter) error {
	for _, limit := range []struct {
		name, text string
		to         **big.Int
	}{{"max", cc.Max, &c.Max}, {"modulo", cc.Modulo, &c.Modulo}} {
		if limit.text == "" {
			continue
		}
		n, err := number(limit.text, "")
		if err != nil {
			return within(limit.name, limit.name, err)
		}
		if n.Sign() <= 0 {
			return mistake.Errorf(limit.name, "%s %s: it must be at least 1", limit.name, n)
		}
		*limit.to = n
	}
	if c.Modulo == nil {
		return nil
	}
	switch {
	case c.Max != nil:
		return mistake.Errorf("modulo", "max and modulo are both given: a counter ends, or begins again")
	case len(cc.IDs) > 0:
		return errors.New("ids of a counter with a modulo are handed out again: it cannot be behind them")
	}
	return nil
}

// fits reports whether a number can be handed out: below the highest, if there is one,
// and with 38 digits at most.
func (c *Counter) fits(n *big.Int) bool {
	_, ok := attr.Integer(n.String())
	return ok && (c.Max == nil || n.Cmp(c.Max) <= 0)
}

// Limit says in a few words where the counter ends; empty where it does not.
func (c *Counter) Limit() string {
	switch {
	case c == nil:
		return ""
	case c.Max != nil:
		return "its highest number is " + phrase.Group(c.Max.String())
	case c.Modulo != nil:
		return "it begins again at " + phrase.Group(c.Modulo.String())
	}
	return ""
}

// Room is how many numbers the counter can hand out when it holds v. It reports false
// where it has no highest number, and where v is no whole number.
func (c *Counter) Room(v string) (*big.Int, bool) {
	n, ok := attr.Integer(v)
	if c == nil || c.Max == nil || !ok || c.Semantics == Tally {
		return nil, false
	}
	room := new(big.Int).Sub(c.Max, n)
	if c.Semantics == Next {
		room.Add(room, c.Step)
	}
	if room.Sign() <= 0 {
		return new(big.Int), true
	}
	return room.Quo(room, c.Step), true
}
