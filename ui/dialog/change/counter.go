package change

import (
	"context"
	"math/big"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// CounterRepairs returns the commands that change a counter: bump it, or mend it. used is true if an application
// uses the counter now. not is the reason why no counter can be changed; empty if one can.
func CounterRepairs(s *session.Session, c counter.Counter, used bool, not string) screen.Commands {
	why := func(why func(*session.Session, counter.Counter) string) func() string {
		if not != "" {
			return screen.WhyIf(true, not)
		}
		return func() string { return why(s, c) }
	}
	return screen.Commands{
		{
			Action: keymap.Bump, Words: "bump", Full: "bump, reserve, raise", Why: why(whyBump),
			Run: func() tea.Cmd { return AskBump(s, c, used) },
		},
		{
			Action: keymap.Mend, Words: "mend", Full: "mend it", Why: why(whyMendCounter),
			Run: func() tea.Cmd { return AskMendCounter(s, c, used) },
		},
	}
}

// AskBump asks how to change a counter: bump it, reserve numbers, raise it or lower it. A counter
// that does not exist can only be created. moving says that the application is using the counter
// now.
func AskBump(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd { return AskBump(s, c.On(t), moving) }
	return whenSure(s, unsureCounter(c), again, func() tea.Cmd { return askBump(s, c, moving) })
}

func askBump(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	number := func(planned func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error)) planning {
		return func(ctx context.Context, typed string) (*plan.Plan, error) {
			n, _ := say.WholeNumber(typed)
			return planned(ctx, c, n)
		}
	}
	const empty = "Type a number."
	to := func(placeholder string) *entry {
		return &entry{label: "to", placeholder: placeholder, input: kit.NewField(""), lacks: atLeast(0, empty)}
	}
	by := func() *entry {
		return &entry{
			label: "by", placeholder: "how many", remark: "numbers", input: kit.NewField("1"), lacks: atLeast(1, empty),
		}
	}
	if !c.Exists {
		least := "the highest id in use, or a higher number"
		if c.Semantics == layout.Next {
			least = "a number above all ids in use"
		}
		begin := to(least)
		begin.whole, begin.lacks = true, atLeast(0, "")
		return newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c),
			option{title: "Create a counter", room: valueRoom, entry: begin, plan: number(planner.Create)}).replan()
	}
	above, below := to("a number above "+phrase.Group(c.Value)), to("a number below "+phrase.Group(c.Value))
	options := []option{
		{word: "bump", title: "Bump a counter", room: numberRoom, entry: by(), plan: number(planner.Bump)},
		{word: "reserve", title: "Reserve numbers", room: numberRoom, entry: by(), plan: number(planner.Reserve)},
		{word: "raise to", title: "Raise a counter", room: numberRoom, entry: above, plan: number(planner.Raise)},
		{word: "lower to", title: "Lower a counter", room: numberRoom, entry: below, plan: number(planner.Lower)},
	}
	if c.Semantics == layout.Tally {
		options = slices.Delete(options, 1, 2) // a tally hands out no numbers
	}
	d := newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c), options...)
	d.moving = moving
	return d.replan()
}

// counterID identifies a counter within a connection.
func counterID(c counter.Counter) string { return c.Table + "\x00" + c.Name + "\x00" + c.Attribute }

// AskMendCounter asks whether to mend a counter. moving says that the application is using the
// counter now.
func AskMendCounter(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd { return AskMendCounter(s, c.On(t), moving) }
	return whenSure(s, unsureCounter(c), again, func() tea.Cmd { return askMendCounter(s, c, moving) })
}

func askMendCounter(s *session.Session, c counter.Counter, moving bool) tea.Cmd {
	planned := func(ctx context.Context, to *big.Int) (*plan.Plan, error) {
		return mend.RepairCounter(ctx, c, to)
	}
	switch kind, _ := mend.CounterKind(c); kind {
	case plan.KindCreate:
		return askBump(s, c, moving)
	case plan.KindRaise:
		return askOne(s, s.ConnectionTo(c.Open().Connection()), counterID(c), "Raise a counter", usualRoom,
			func(ctx context.Context) (*plan.Plan, error) { return planned(ctx, nil) })
	}
	return newAsk(s, s.ConnectionTo(c.Open().Connection()), counterID(c), convertOption(c.Value, planned)).replan()
}

// numberFor returns the placeholder of the field for a counter's new number, given the text that
// the counter holds.
func numberFor(holds string) string {
	if _, ok := attr.Ceiling(holds); ok { // without typed text, this number is planned
		return "another number"
	}
	digits := holds[len(strings.TrimRight(holds, "0123456789")):]
	if n := strings.TrimLeft(digits, "0"); n != "" && len(n) <= 38 { // DynamoDB keeps 38 digits
		return "for example " + n
	}
	return "the new number"
}

// convertOption turns the text that a counter holds into a number: the number that its digits
// imply, or a typed one.
func convertOption(holds string, planned func(ctx context.Context, to *big.Int) (*plan.Plan, error)) option {
	return option{
		title: "Turn it into a number", room: valueRoom,
		entry: &entry{
			label:       "to",
			placeholder: numberFor(holds),
			input:       kit.NewField(""),
			whole:       true,
			lacks:       atLeast(0, ""),
		},
		plan: func(ctx context.Context, typed string) (*plan.Plan, error) {
			to, _ := say.WholeNumber(typed)
			return planned(ctx, to)
		},
	}
}

// unsureCounter returns the counter if a person has to accept it; nil otherwise.
func unsureCounter(c counter.Counter) *dynamo.Unaccepted {
	return dynamo.UnacceptedOf(c.Open().CheckSureCounter("", c.Layout))
}

// whyBump says why a counter cannot be set from here.
func whyBump(s *session.Session, c counter.Counter) string {
	switch {
	case !c.Exists && c.Layout.KeyIsValue(c.Open().Schema):
		return "the counter does not exist, and its first number is unknown"
	case c.Shards > 0:
		return summed(c)
	case slices.Contains(c.Faults, layout.CounterNotNumber):
		why := "it holds \"" + c.Value + "\", which is not a whole number"
		if whyMendCounter(s, c) == "" {
			why += ": " + s.Keys.Key(keymap.Mend) + " mends it"
		}
		return why
	}
	return s.WhyPlan(c.Table, client.Update)
}

// summed says why a counter that is the sum of several items cannot be changed.
func summed(c counter.Counter) string {
	return "it is the sum of " + phrase.Count(c.Shards, "item") + ", and no single item has this number"
}

// whyMendCounter says why a counter cannot be mended from here.
func whyMendCounter(s *session.Session, c counter.Counter) string {
	if c.Shards > 0 {
		return summed(c)
	}
	if _, err := mend.CounterKind(c); err != nil {
		return say.Error(err)
	}
	return s.WhyPlan(c.Table, client.Update)
}
