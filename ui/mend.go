package ui

import (
	"context"
	"fmt"
	"math/big"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// askMend plans what mends a relation, and asks.
func (a *app) askMend(t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	if q := t.Fit.AskOf(r); q != nil {
		return a.askQuestion(q)
	}
	return a.askChange(way{title: "Mend", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanRepair(ctx, t, r)
	}}).replan()
}

// askValue asks for another value of an account, with the lock that goes with it.
// Where there are several values it asks which.
func (a *app) askValue(t *dynamo.Table, values ...*dynamo.Relation) tea.Cmd {
	var ways []way
	for _, r := range values {
		ways = append(ways, way{
			word: r.Constraint.Name, title: "Change a value",
			entry: &entry{label: "to", ghost: "the new " + r.Constraint.Name, input: kit.NewField(""), whole: true, lacks: func(text string) string {
				switch text {
				case "":
					return fmt.Sprintf("%s has the %s \"%s\". Type another.", r.Account.Key.Hash.Value.Display(), r.Constraint.Name, r.Value)
				case r.Value:
					return fmt.Sprintf("\"%s\" is the %s that it has.", text, r.Constraint.Name)
				}
				return ""
			}},
			plan: func(ctx context.Context, to string) (*change.Plan, error) { return change.PlanValue(ctx, t, r, to) },
		})
	}
	a.askChange(ways...)
	return nil
}

// askDelete plans to delete an account with all its locks, and asks.
func (a *app) askDelete(t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	key := r.Account.Key
	return a.askChange(way{title: "Delete an account", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanDeleteAccount(ctx, t, key)
	}}).replan()
}

// askMendCounter plans what mends a counter, and asks.
func (a *app) askMendCounter(c dynamo.Counter, moving bool) tea.Cmd {
	plan := func(ctx context.Context, to *big.Int) (*change.Plan, error) {
		return change.PlanCounterRepair(ctx, c, to)
	}
	switch kind, _ := change.CounterRepair(c); kind {
	case change.KindCreate:
		return a.askBump(c, moving)
	case change.KindRaise:
		return a.askChange(way{title: "Raise a counter", plan: func(ctx context.Context, _ string) (*change.Plan, error) { return plan(ctx, nil) }}).replan()
	}
	return a.askChange(convert(plan)).replan()
}

// convert is the way to make a number of what a counter holds: the one that its
// digits tell, or one that is typed.
func convert(plan func(ctx context.Context, to *big.Int) (*change.Plan, error)) way {
	return way{
		title: "Make a number of a counter",
		entry: &entry{label: "to", ghost: "what its digits say, or another number", input: kit.NewField(""), whole: true, lacks: orNone(atLeast(0))},
		plan: func(ctx context.Context, typed string) (*change.Plan, error) {
			var to *big.Int
			if typed != "" {
				to, _ = words.WholeNumber(typed)
			}
			return plan(ctx, to)
		},
	}
}
