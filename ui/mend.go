package ui

import (
	"context"
	"fmt"
	"math/big"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// whyMend says why a relation is not mended from here; empty where it is.
func (a *app) whyMend(r *dynamo.Relation) string {
	if a.table != nil && a.table.Fit.AskOf(r) != nil {
		return "" // it asks, and writes nothing
	}
	verbs, err := change.Repairs(r)
	switch {
	case err != nil:
		return err.Error()
	case r.Spelt == nil && (r.Verdict == dynamo.Orphaned || r.Verdict == dynamo.Stale):
		return a.whyRelease(r)
	}
	return a.whyWrite(r.Lock.Table, verbs...)
}

// mendWord is what the key that mends does about a relation.
func (a *app) mendWord(r *dynamo.Relation) string {
	if a.table != nil && r != nil && a.table.Fit.AskOf(r) != nil {
		return "answer"
	}
	return "mend"
}

// askMend plans what mends a relation, and asks.
func (a *app) askMend(t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	if q := t.Fit.AskOf(r); q != nil {
		return a.askQuestion(q)
	}
	return a.askChange(way{title: "Mend", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanRepair(ctx, t, r)
	}}).replan()
}

// nobody says that no account of a relation is shown: none holds the value, or none is
// known to.
func nobody(r *dynamo.Relation) string {
	if r.Verdict == dynamo.Unknown {
		return "who holds \"" + r.Value + "\" is not known"
	}
	return "no account holds \"" + r.Value + "\""
}

// whyAccount says why the account of a relation is not changed from here.
func (a *app) whyAccount(r *dynamo.Relation, verbs ...client.Verb) string {
	if r.Account == nil {
		return nobody(r)
	}
	return a.whyWrite(a.table.Name, verbs...)
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

// whyMendCounter says why a counter is not mended from here.
func (a *app) whyMendCounter(c dynamo.Counter) string {
	if _, err := change.CounterRepair(c); err != nil {
		return err.Error()
	}
	return a.whyWrite(c.Table, client.Update)
}

// askMendCounter plans what mends a counter, and asks.
func (a *app) askMendCounter(row counterRow) tea.Cmd {
	plan := func(ctx context.Context, to *big.Int) (*change.Plan, error) {
		return change.PlanCounterRepair(ctx, row.Counter, to)
	}
	switch kind, _ := change.CounterRepair(row.Counter); kind {
	case change.KindCreate:
		return a.askBump(row)
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
