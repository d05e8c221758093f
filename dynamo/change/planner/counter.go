package planner

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// Reserve plans to take a block of n numbers. The First and Last of the plan are the first and the last of these
// numbers. Nobody else gets these numbers, unless another Region writes the counter. A reservation is a bump that
// reports the numbers it takes.
func Reserve(ctx context.Context, c counter.Counter, n *big.Int) (*plan.Plan, error) {
	if c.Semantics == layout.Tally {
		return nil, &client.Error{
			Kind:   client.Usage,
			Op:     "reserving numbers of " + c.Name,
			Why:    "this counter is a tally: it counts items and hands out no numbers",
			Remedy: remedy.Of(remedy.CountBy),
		}
	}
	p, err := Bump(ctx, c, n)
	if err != nil {
		return nil, err
	}
	p.Kind, p.Title = plan.KindReserve, "Reserve numbers"
	p.Steps[0].Name = journal.StepName(p.Kind)
	p.First, p.Last = block(p.Live.Counter.Counter, p.Before, p.After)
	p.Button = "Reserve " + phrase.CountDigits(n.String(), "number")
	p.Done = ReservedNumbers(p, p.First, p.Last)
	which, them := blockWords(p.First, p.Last)
	p.Sentence = fmt.Sprintf("Reserves %s of %s: nobody else will get %s.", which, c.Name, them)
	if len(p.Elsewhere) > 0 {
		p.Sentence = fmt.Sprintf("Reserves %s of %s, in this Region only: %s.", which, c.Name, sameNumbers(p))
	}
	p.Lines[len(p.Lines)-1].Text = "impossible: numbers that were handed out cannot be taken back"
	p.Live.Counter.Replan = func(ctx context.Context) (*plan.Plan, error) { return Reserve(ctx, c, n) }
	return p, nil
}

// block returns the first and the last number that a counter hands out while its value changes from before to after.
// With layout.Last semantics, the old value was already handed out. With layout.Next semantics, the old value is the
// first number to hand out.
func block(c counter.Counter, before, after string) (first, last string) {
	step := c.Layout.Step
	from, _ := attr.Integer(before)
	to, _ := attr.Integer(after)
	if c.Semantics == layout.Next {
		return from.String(), new(big.Int).Sub(to, step).String()
	}
	return new(big.Int).Add(from, step).String(), to.String()
}

// Create plans to create a counter that begins with the given number. If the number is nil, the counter begins after
// the highest id in use.
func Create(ctx context.Context, c counter.Counter, to *big.Int) (*plan.Plan, error) {
	if to != nil {
		return Raise(ctx, c, to)
	}
	now, err := c.Reread(ctx)
	if err != nil {
		return nil, err
	}
	if now.Exists {
		return nil, plan.Refuse(plan.NotHigher, "the counter %s exists, with the value %s", now.Name, phrase.Group(now.Value))
	}
	return CreateAbove(ctx, now, nil)
}

// CreateAbove plans to create a counter that is not below the highest id in use. If no number is given (to is nil), the
// counter begins after that id. If no id is in use, the counter begins with the start that its layout names. If
// CreateAbove cannot read every id, a person has to type the counter's name.
func CreateAbove(ctx context.Context, now counter.Counter, to *big.Int) (*plan.Plan, error) {
	if now.Other != "" {
		return nil, plan.Refuse(plan.Held, "the counter %s cannot be created: the item %s is not a counter: %s", now.Name, now.Key,
			now.Other)
	}
	h, err := now.FindHighestID(ctx)
	if err != nil {
		return nil, err
	}
	least, used := attr.Integer(h.Least(now.Layout))
	switch {
	case used && to != nil && to.Cmp(least) < 0:
		return nil, plan.Refuse(plan.NotHigher,
			"%s of %s uses the id %s. With the value %s, the counter %s would hand out this id again: create it with at least %s",
			h.Key, h.Table, phrase.Group(h.ID), phrase.Group(to.String()), now.Name, phrase.Group(least.String()))
	case to == nil && used:
		to = least
	case to == nil:
		to = now.Layout.Start
	}
	p := planCreateWith(now, to)
	switch {
	case now.Semantics == layout.Tally:
	case !h.Sought:
		p.AddLine("ids", "not searched: the layout names no ids")
	case !h.Complete:
		p.Typed = now.Name
		p.AddLine("ids", "not all ids were read: reading all costs more than auto_read_units. A check finds the highest id")
	case used:
		p.AddLine("ids", fmt.Sprintf("the highest id in use is %s, of %s", phrase.Group(h.ID), h.Key))
	default:
		p.AddLine("ids", "no id is in use")
	}
	return bind(p, now.Open())
}

// Raise plans to raise a counter to a number. If the counter does not exist, Raise plans to create it with a number
// that is not below the highest id in use. It returns a *plan.Refusal if the counter is already at the number or
// above it, or if the number is above the limit of the counter's layout.
func Raise(ctx context.Context, c counter.Counter, to *big.Int) (*plan.Plan, error) {
	if err := CheckInSeries(c, to, "raising"); err != nil {
		return nil, err
	}
	if !c.Layout.CanHold(to) {
		return nil, plan.Refuse(plan.TooLarge, "%s is above the limit of the counter %s: %s", phrase.Group(to.String()), c.Name,
			c.Layout.Limit())
	}
	now, err := c.Reread(ctx)
	if err != nil {
		return nil, err
	}
	if !now.Exists && !now.Layout.KeyIsValue(now.Open().Schema) {
		return CreateAbove(ctx, now, to)
	}
	if now, err = rereadCounter(ctx, c); err != nil {
		return nil, err
	}
	return planRaiseFrom(now, to, func(ctx context.Context) (*plan.Plan, error) { return Raise(ctx, c, to) })
}

// planRaiseFrom plans to raise a counter that was just read. replan plans the change again after another writer has
// changed the counter; it is nil if the change must not be planned again.
func planRaiseFrom(
	now counter.Counter, to *big.Int, replan func(context.Context) (*plan.Plan, error),
) (*plan.Plan, error) {
	if have, _ := attr.Integer(now.Value); have.Cmp(to) >= 0 {
		return nil, plan.Refuse(plan.NotHigher, "the counter %s is already at %s, and a counter only rises", now.Name,
			phrase.Group(have.String()))
	}
	p := planCounterValue(now, plan.KindRaise, to.String())
	p.Title, p.Button = "Raise a counter", "Raise to "+phrase.Group(p.After)
	sayRises(p)
	p.Live.Counter.Replan = replan
	return bind(p, now.Open())
}

// Lower plans to set a counter to a lower number. The application then hands out the numbers above the new one
// again, and nothing proves that these are unused. So a person has to type the counter's name, and the plan is
// never replanned.
func Lower(ctx context.Context, c counter.Counter, to *big.Int) (*plan.Plan, error) {
	if err := CheckInSeries(c, to, "lowering"); err != nil {
		return nil, err
	}
	now, err := rereadCounter(ctx, c)
	if err != nil {
		return nil, err
	}
	return planLowerFrom(now, to)
}

// planLowerFrom plans to lower a counter that was just read.
func planLowerFrom(now counter.Counter, to *big.Int) (*plan.Plan, error) {
	if have, _ := attr.Integer(now.Value); have.Cmp(to) <= 0 {
		return nil, plan.Refuse(plan.NotLower, "the counter %s is at %s, which is not above %s", now.Name, phrase.Group(have.String()),
			phrase.Group(to.String()))
	}
	p := planCounterValue(now, plan.KindLower, to.String())
	p.Title, p.Button, p.Typed = "Lower a counter", "Lower to "+phrase.Group(p.After), now.Name
	p.Done = fmt.Sprintf("%s went from %s down to %s", now.Name, phrase.Group(p.Before), phrase.Group(p.After))
	p.Sentence = fmt.Sprintf(
		"%s goes from %s down to %s. Numbers in between will be handed out again. Some of these numbers may be in use.",
		now.Name, phrase.Group(p.Before), phrase.Group(p.After),
	)
	return bind(p, now.Open())
}

// CheckInSeries returns an error if a number is not in the counter's series. doing is the verb for the error text,
// such as "raising".
func CheckInSeries(c counter.Counter, to *big.Int, doing string) error {
	bad := func(why string) error {
		return &client.Error{
			Kind: client.Usage,
			Op:   doing + " " + c.Name,
			Why:  why,
			Do:   "give a number of the counter's series",
		}
	}
	if _, fits := attr.Integer(to.String()); !fits || to.Sign() < 0 {
		return bad(to.String() + " is negative, or has more than 38 digits")
	}
	rest := new(big.Int).Sub(to, c.Layout.Offset)
	if rest.Mod(rest, c.Layout.Step).Sign() != 0 {
		return bad(
			fmt.Sprintf("%s is not in the series %s, %s + %s, and so on", to, c.Layout.Offset, c.Layout.Offset, c.Layout.Step),
		)
	}
	return nil
}

// planCreateWith plans to create a counter: a new item, or a new attribute of an existing item.
func planCreateWith(now counter.Counter, to *big.Int) *plan.Plan {
	number := phrase.Group(to.String())
	p := &plan.Plan{
		At: time.Now(), Kind: plan.KindCreate, Table: now.Table, Counter: now.Name,
		Wording: plan.Wording{
			Title: "Create a counter", Button: "Create it with " + number,
			Sentence: fmt.Sprintf("Creates the counter %s with the value %s.", now.Name, number),
			Done:     fmt.Sprintf("%s exists, with the value %s", now.Name, number),
		},
		Effect: plan.Effect{After: to.String()},
		Live:   plan.Live{Counter: &plan.CounterChange{Counter: now}, Request: counterRequest(now, to.String())},
	}
	addImage(p, now.Table, now.Key, now.Item)
	only := "no item has this key"
	w := ifAbsent(now.Table, now.Key, plan.WithAttribute(now.Key.Item(), now.Attribute, attr.Number(p.After)))
	if now.Item != nil {
		e := newExpression(now.Open().Schema, now.Item).unchanged(now.Attribute).set(now.Attribute, attr.Number(p.After))
		w, only = e.write(client.Update, now.Table, now.Key), "the item still has no "+now.Attribute
	}
	p.Steps = []plan.Step{{Name: journal.StepName(plan.KindCreate), Token: newToken(), Writes: []client.Write{w}}}
	p.Price = plan.Price{WriteUnits: 2}
	p.AddLine(plan.LabelSet, fmt.Sprintf("%s › %s = %s", now.Key, now.Attribute, p.After))
	p.AddLine(plan.LabelOnlyIf, only)
	p.AddLine(plan.LabelPrice, p.Price.String())
	warnBounds(p)
	noteRegions(p, now.Open(), now.Semantics)
	return p
}

// Convert plans to replace the value of a counter by a whole number, if the counter still holds exactly that value.
// If no number is given (to is nil), Convert takes the old value, a fraction or a number in a string, and rounds it
// up to the next number of the series. A person has to type the counter's name. Convert returns a *plan.Refusal if
// the counter already holds a whole number, or if no number can be derived.
func Convert(ctx context.Context, c counter.Counter, to *big.Int) (*plan.Plan, error) {
	now, err := c.Reread(ctx)
	if err != nil {
		return nil, err
	}
	v := now.Item.At(now.Attribute)
	switch n, whole := attr.Integer(v.Text); {
	case !now.Exists:
		return nil, absent(now)
	case v.Kind == attr.N && whole && n.Sign() >= 0:
		return nil, plan.Refuse(plan.InOrder, "the counter %s holds the whole number %s", c.Name, phrase.Group(n.String()))
	}
	if to == nil {
		up, ok := attr.Ceiling(v.Text)
		if (v.Kind != attr.N && v.Kind != attr.S) || !ok || up.Sign() < 0 {
			return nil, plan.Refuse(plan.NotANumber,
				"the counter %s holds \"%s\", which is not a number of 0 or more. Type the new number", c.Name, now.Value)
		}
		to = nextInSeries(now.Layout, up)
	}
	if err := CheckInSeries(c, to, "converting"); err != nil {
		return nil, err
	}
	p := planCounterValue(now, plan.KindConvert, to.String())
	p.Before, p.Typed = now.Value, now.Name
	p.Title, p.Button = "Turn it into a number", "Set it to "+phrase.Group(p.After)
	p.Sentence = fmt.Sprintf("%s holds \"%s\" (%s). It gets the number %s.", now.Name, now.Value, v.Kind,
		phrase.Group(p.After))
	if v.Kind == attr.N {
		p.Sentence += " DynamoDB's ADD already works on this value. Make sure that this item is a counter."
	}
	p.Done = fmt.Sprintf("%s holds the number %s", now.Name, phrase.Group(p.After))
	sayNext(p)
	p.AddLine(plan.LabelUndo, "restores the present value, if nobody has used the counter since")
	return bind(p, now.Open())
}

// RoundUp plans to raise a counter whose value is between two numbers of its series to the higher one. It returns a
// *plan.Refusal if the value is a number of the series.
func RoundUp(ctx context.Context, c counter.Counter) (*plan.Plan, error) {
	now, err := rereadCounter(ctx, c)
	if err != nil {
		return nil, err
	}
	have, _ := attr.Integer(now.Value)
	to := nextInSeries(now.Layout, have)
	if to.Cmp(have) == 0 {
		return nil, plan.Refuse(plan.InOrder, "the counter %s is at %s, which is in its series", c.Name,
			phrase.Group(now.Value))
	}
	return Raise(ctx, c, to)
}

// nextInSeries returns the lowest number of a counter's series that is not below n.
func nextInSeries(l *layout.Counter, n *big.Int) *big.Int {
	rest := new(big.Int).Sub(l.Offset, n)
	return rest.Add(rest.Mod(rest, l.Step), n)
}
