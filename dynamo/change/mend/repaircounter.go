package mend

import (
	"context"
	"math/big"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
)

// CounterKind returns the kind of change that repairs the first fault of a counter. It returns a *plan.Refusal if
// no change repairs the counter.
func CounterKind(c counter.Counter) (plan.Kind, error) {
	switch firstFault(c) {
	case finding.CounterMissing:
		return plan.KindCreate, nil
	case finding.CounterBehind, finding.CounterOffStep:
		return plan.KindRaise, nil
	case finding.CounterNotNumber:
		return plan.KindConvert, nil
	case finding.CounterUnsafe:
		return "", plan.Refuse(plan.ByHand, "the counter's number is right: repair the programs that read it as a double")
	}
	if c.Unjudged() {
		return "", plan.Refuse(plan.InOrder, "the counter has no known problem")
	}
	return "", plan.Refuse(plan.InOrder, "the counter is in order")
}

// firstFault returns the fault of a counter to mend first, as a kind of finding. A number too large for doubles
// comes last, since no change mends it.
func firstFault(c counter.Counter) finding.Kind {
	for _, f := range c.Faults {
		if kind := finding.Kind(f); kind != finding.CounterUnsafe || len(c.Faults) == 1 {
			return kind
		}
	}
	return ""
}

// RepairCounter plans to repair an existing counter. The parameter to is the new number for a counter whose value is
// not a whole number; if to is nil, RepairCounter derives the number from the counter's value.
func RepairCounter(ctx context.Context, c counter.Counter, to *big.Int) (*plan.Plan, error) {
	if _, err := CounterKind(c); err != nil {
		return nil, err
	}
	switch firstFault(c) {
	case finding.CounterOffStep:
		return planner.RoundUp(ctx, c)
	case finding.CounterBehind:
		return planner.Raise(ctx, c, leastAbove(c, c.HighestID))
	}
	return planner.Convert(ctx, c, to)
}

// leastAbove returns the least number that a counter may hold while the given id is in use.
func leastAbove(c counter.Counter, id string) *big.Int {
	n, _ := attr.Integer(id)
	if c.Semantics == layout.Next {
		n = new(big.Int).Add(n, c.Layout.Step)
	}
	return n
}
