package ui

import (
	"context"
	"fmt"
	"math/big"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// askRelease plans the release of a lock and asks.
func (a *app) askRelease(t *dynamo.Table, r *dynamo.Relation) tea.Cmd {
	return a.askChange(way{title: "Release a lock", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
		return change.PlanRelease(ctx, t, r, change.EvenReserved) // it asks for the value then
	}}).replan()
}

// askBump plans a change of a counter and asks: to bump it, to reserve numbers,
// to raise it or to lower it; one that does not exist can only be made.
func (a *app) askBump(c dynamo.Counter, moving bool) tea.Cmd {
	number := func(plan func(context.Context, dynamo.Counter, *big.Int) (*change.Plan, error)) func(context.Context, string) (*change.Plan, error) {
		return func(ctx context.Context, typed string) (*change.Plan, error) {
			n, ok := words.WholeNumber(typed)
			if !ok {
				n = nil
			}
			return plan(ctx, c, n)
		}
	}
	to := func(ghost string) *entry {
		return &entry{label: "to", ghost: ghost, input: kit.NewField(""), lacks: atLeast(0)}
	}
	by := func() *entry {
		return &entry{label: "by", ghost: "how many", remark: "numbers", input: kit.NewField("1"), lacks: atLeast(1)}
	}
	if !c.Exists {
		begin := to("after the highest id in use, or a number above it")
		begin.whole, begin.lacks = true, orNone(atLeast(0))
		return a.askChange(way{title: "Create a counter", entry: begin, plan: number(change.PlanCreate)}).replan()
	}
	ways := []way{{word: "bump", title: "Bump a counter", entry: by(), plan: number(change.PlanBump)}}
	if c.Semantics != layout.Tally {
		ways = append(ways, way{word: "reserve", title: "Reserve numbers", entry: by(), plan: number(change.PlanReserve)})
	}
	d := a.askChange(append(
		ways,
		way{word: "raise to", title: "Raise a counter", entry: to("a number above " + phrase.Group(c.Value)), plan: number(change.PlanRaise)},
		way{word: "lower to", title: "Lower a counter", entry: to("a number below " + phrase.Group(c.Value)), plan: number(change.PlanLower)},
	)...)
	d.hot = moving
	return d.replan()
}

// orNone lets a field be empty.
func orNone(lacks func(string) string) func(string) string {
	return func(text string) string {
		if text == "" {
			return ""
		}
		return lacks(text)
	}
}

// atLeast asks a field for a whole number.
func atLeast(least int64) func(string) string {
	return func(text string) string {
		n, ok := words.WholeNumber(text)
		switch {
		case ok && n.Cmp(big.NewInt(least)) >= 0:
			return ""
		case text == "":
			return "Type a number."
		}
		return fmt.Sprintf("A whole number of at least %d is needed.", least)
	}
}
