package change

import (
	"context"
	"math/big"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// AskBump asks for a change of a counter: to bump it, reserve numbers, raise it or lower it.
// One that does not exist can only be created.
func AskBump(s *session.Session, c dynamo.Counter, moving bool) tea.Cmd {
	number := func(plan func(context.Context, dynamo.Counter, *big.Int) (*change.Plan,
		error),
	) func(context.Context, string) (*change.Plan, error) {
		return func(ctx context.Context, typed string) (*change.Plan, error) {
			n, ok := words.WholeNumber(typed)
			if !ok {
				n = nil
			}
			return plan(ctx, c, n)
		}
	}
	to := func(placeholder string) *entry {
		return &entry{label: "to", placeholder: placeholder, input: kit.NewField(""), lacks: atLeast(0)}
	}
	by := func() *entry {
		return &entry{label: "by", placeholder: "how many", remark: "numbers", input: kit.NewField("1"), lacks: atLeast(1)}
	}
	if !c.Exists {
		begin := to("after the highest id in use, or a number above it")
		begin.whole, begin.lacks = true, orNone(atLeast(0))
		return newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c),
			option{title: "Create a counter", entry: begin, plan: number(change.PlanCreate)}).plan()
	}
	options := []option{{word: "bump", title: "Bump a counter", entry: by(), plan: number(change.PlanBump)}}
	if c.Semantics != layout.Tally {
		options = append(options,
			option{word: "reserve", title: "Reserve numbers", entry: by(), plan: number(change.PlanReserve)})
	}
	d := newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c), append(
		options,
		option{
			word:  "raise to",
			title: "Raise a counter",
			entry: to("a number above " + phrase.Group(c.Value)),
			plan:  number(change.PlanRaise),
		},
		option{
			word:  "lower to",
			title: "Lower a counter",
			entry: to("a number below " + phrase.Group(c.Value)),
			plan:  number(change.PlanLower),
		},
	)...)
	d.form.moving = moving
	return d.plan()
}

// counterID identifies a counter within a connection.
func counterID(c dynamo.Counter) string { return c.Table + "\x00" + c.Name }

// AskMendCounter plans what mends a counter, and asks.
func AskMendCounter(s *session.Session, c dynamo.Counter, moving bool) tea.Cmd {
	plan := func(ctx context.Context, to *big.Int) (*change.Plan, error) {
		return change.PlanCounterRepair(ctx, c, to)
	}
	switch kind, _ := change.CounterRepair(c); kind {
	case change.KindCreate:
		return AskBump(s, c, moving)
	case change.KindRaise:
		return newAsk(
			s,
			s.ConnectionTo(c.Open().Connection()),
			counterID(c),
			option{
				title: "Raise a counter",
				plan:  func(ctx context.Context, _ string) (*change.Plan, error) { return plan(ctx, nil) },
			},
		).plan()
	}
	return newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c), convertOption(c.Value, plan)).plan()
}

// numberFor says, where the new number of a counter is to be typed, what could stand there.
func numberFor(holds string) string {
	if _, ok := attr.Ceiling(holds); ok { // what is planned where nothing is typed
		return "another number"
	}
	digits := holds[len(strings.TrimRight(holds, "0123456789")):]
	if n := strings.TrimLeft(digits, "0"); n != "" && len(n) <= 38 { // as many as DynamoDB keeps
		return "for example " + n
	}
	return "the new number"
}

// convertOption is the option to turn what a counter holds into a number: the one its digits
// imply, or one that is typed.
func convertOption(holds string, plan func(ctx context.Context, to *big.Int) (*change.Plan, error)) option {
	return option{
		title: "Turn it into a number",
		entry: &entry{
			label:       "to",
			placeholder: numberFor(holds),
			input:       kit.NewField(""),
			whole:       true,
			lacks:       orNone(atLeast(0)),
		},
		plan: func(ctx context.Context, typed string) (*change.Plan, error) {
			var to *big.Int
			if typed != "" {
				to, _ = words.WholeNumber(typed)
			}
			return plan(ctx, to)
		},
	}
}
