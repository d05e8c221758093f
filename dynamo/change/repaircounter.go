package change

import (
	"context"
	"math/big"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// CounterRepair is what kind of change puts a counter right, by the worst of its
// findings. It answers a *Refusal where none does.
func CounterRepair(c dynamo.Counter) (Kind, error) {
	switch worst(c) {
	case check.CounterMissing:
		return KindCreate, nil
	case check.CounterBehind, check.CounterOffStep:
		return KindRaise, nil
	case check.CounterNotNumber:
		return KindConvert, nil
	case check.CounterUnsafe:
		return "", refusal(ByHand, "the number is right; what reads it as a double has to be mended")
	}
	if c.Unjudged() {
		return "", refusal(InOrder, "nothing is known to be wrong with it")
	}
	return "", refusal(InOrder, "it is in order")
}

// worst is the finding of a counter that is mended first: they stand in that order, and
// a number that is too large for doubles comes last, since no change mends that.
func worst(c dynamo.Counter) check.Kind {
	for _, f := range c.Faults {
		if kind := check.Kind(f); kind != check.CounterUnsafe || len(c.Faults) == 1 {
			return kind
		}
	}
	return ""
}

// PlanCounterRepair plans what puts a counter right that exists. One that holds no number
// is to hold to, or, where that is nil, the number that its value tells.
func PlanCounterRepair(ctx context.Context, c dynamo.Counter, to *big.Int) (*Plan, error) {
	if _, err := CounterRepair(c); err != nil {
		return nil, err
	}
	switch worst(c) {
	case check.CounterOffStep:
		return PlanRoundUp(ctx, c)
	case check.CounterBehind:
		return PlanRaise(ctx, c, above(c, c.HighestID))
	}
	return PlanConvert(ctx, c, to)
}

// above is the least number that a counter may hold while an id is in use.
func above(c dynamo.Counter, id string) *big.Int {
	n, _ := attr.Integer(id)
	if c.Semantics == layout.Next {
		n = new(big.Int).Add(n, c.Layout.Step)
	}
	return n
}
