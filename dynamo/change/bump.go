package change

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// bumpTries is how often a counter's change is planned again when the counter
// moved under it.
const bumpTries = 10

// bump is what applying the plan needs besides the plan itself.
type bump struct {
	counter dynamo.Counter
	// again plans the same change from what the counter says then; nil where
	// that would not be what the person agreed to.
	again func(context.Context) (*Plan, error)
}

// PlanBump plans to hand out by numbers: the counter rises by by × step. It
// answers a *Refusal where the counter does not exist or holds no number.
func PlanBump(ctx context.Context, c dynamo.Counter, by *big.Int) (*Plan, error) {
	if by.Sign() <= 0 {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   "bumping " + c.Name,
			Why:  "a counter only rises",
			Do:   "give a whole number of at least 1",
		}
	}
	now, err := reread(ctx, c)
	if err != nil {
		return nil, absentBelow(ctx, now, err)
	}
	after, fits := now.Layout.Add(now.Value, by)
	if !fits {
		if now.Layout.Max != nil || now.Layout.Modulo != nil {
			return nil, refusal(TooLarge, "%s + %s × %s is more than the counter %s may hand out: %s", now.Value, by, now.Step, now.Name, now.Layout.Limit())
		}
		return nil, refusal(TooLarge, "%s + %s × %s has more than 38 digits, which is all that DynamoDB keeps", now.Value, by, now.Step)
	}
	p := planValue(now, KindBump, after)
	p.asked.By, p.asked.To = by.String(), ""
	p.Title, p.Button = "Bump a counter", "Bump to "+phrase.Group(after)
	p.Sentence = fmt.Sprintf("%s goes from %s up to %s.", now.Name, phrase.Group(p.Before), phrase.Group(after))
	if next, ok := now.Layout.NextOf(after); ok {
		p.Sentence += fmt.Sprintf(" The next number handed out is %s.", phrase.Group(next))
	}
	p.Lines = append(p.Lines, Line{LabelUndo, "lowers it again, if nobody has counted since"})
	p.bump.again = func(ctx context.Context) (*Plan, error) { return PlanBump(ctx, c, by) }
	return p.on(now.Open())
}

// reread reads a counter that must exist and hold a whole number.
func reread(ctx context.Context, c dynamo.Counter) (dynamo.Counter, error) {
	now, err := c.Reread(ctx)
	if err != nil {
		return now, err
	}
	if !now.Exists {
		return now, refusal(Absent, "the counter %s does not exist: %s has no %s", c.Name, now.Key, now.Attribute)
	}
	if n, whole := attr.Integer(now.Value); !whole || n.Sign() < 0 || now.Item.At(now.Attribute).Kind != attr.N {
		return now, refusal(NotANumber, "the counter %s holds \"%s\", which is no whole number from 0 up", c.Name, now.Value)
	}
	return now, nil
}

// absentBelow adds to a refusal, where the counter does not exist, from which number on
// it can be created.
func absentBelow(ctx context.Context, now dynamo.Counter, err error) error {
	refused, ok := errors.AsType[*Refusal](err)
	if !ok || refused.Reasons[0].Code != Absent {
		return err
	}
	h, failed := now.FindHighestID(ctx)
	if failed != nil || h.ID == "" {
		return err
	}
	return refusal(Absent, "%s; ids up to %s are in use: create it with at least %s (--to)", refused.Reasons[0].Text, phrase.Group(h.ID), h.Least(now.Layout))
}

// collides is said of a counter that moves while its change is planned.
const collides = "An application that counts with UpdateItem at the very moment of the write may be told TransactionConflict. SDKs do not retry that by themselves: where its sign-ups or orders must not fail, choose a quiet moment."

// planValue plans to set a counter to another value, if it still has the one
// that was read.
func planValue(now dynamo.Counter, kind Kind, after string) *Plan {
	p := &Plan{
		At: time.Now(), Kind: kind, Table: now.Table, Counter: now.Name, Collides: collides,
		Before: attr.CanonicalNumber(now.Value), After: after, bump: &bump{counter: now}, asked: askedOf(now, after),
	}
	p.Done = fmt.Sprintf("%s went from %s up to %s", now.Name, phrase.Group(p.Before), phrase.Group(after))
	p.saw(now.Table, now.Key, now.Item)
	set := ""
	if now.Layout.KeyIsValue(now.Open().Schema) {
		set = setKey(p)
	} else {
		set = setValue(p)
	}
	p.Lines = []Line{
		{LabelSet, set},
		{LabelOnlyIf, "it still says " + phrase.Group(p.Before)},
		{LabelPrice, p.Price.String()},
	}
	p.mind()
	p.elsewhere(now.Open(), now.Semantics)
	return p
}

// setValue is one conditional update. Never ADD: an ADD that is sent twice
// counts twice.
func setValue(p *Plan) string {
	c := p.bump.counter
	e := given(c.Open().Schema, c.Item).same(c.Attribute)
	e.set(c.Attribute, attr.Number(p.After))
	w := e.write(client.Update, c.Table, c.Key)
	p.Steps = []Step{{Name: journal.StepName(p.Kind), Token: newToken(), Writes: []client.Write{w}}}
	p.Price = Price{WriteUnits: units(c.Item.Size())}
	return fmt.Sprintf("%s › %s = %s", c.Key, c.Attribute, p.After)
}

// setKey replaces the one item of a NextIdTable, whose key is the number: no
// update can change a key.
func setKey(p *Plan) string {
	c := p.bump.counter
	schema := c.Open().Schema
	fresh := attr.Item{}
	for name, v := range c.Item {
		fresh[name] = v
	}
	fresh[schema.HashName] = attr.Number(p.After)
	key, _ := schema.KeyOf(fresh)
	p.saw(c.Table, key, nil)
	p.Steps = []Step{{Name: journal.StepName(p.Kind), Token: newToken(), Writes: []client.Write{
		given(schema, c.Item).all().write(client.Delete, c.Table, c.Key),
		absent(schema, c.Table, key, fresh),
	}}}
	p.Price = Price{WriteUnits: 2 * units(c.Item.Size())}
	return fmt.Sprintf("the one item's key %s = %s", schema.HashName, p.After)
}
