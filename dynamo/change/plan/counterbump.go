package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// Bump plans to hand out as many numbers as by: the counter rises by by × step. It returns a *Refusal if the
// counter does not exist or holds no number.
func Bump(ctx context.Context, c counter.Counter, by *big.Int) (*Plan, error) {
	if by.Sign() <= 0 {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   "bumping " + c.Name,
			Why:  "a counter only rises",
			Do:   "give a whole number of at least 1",
		}
	}
	now, err := rereadCounter(ctx, c)
	if err != nil {
		return nil, absentBelow(ctx, now, err)
	}
	after, fits := now.Layout.Add(now.Value, by)
	if !fits {
		if now.Layout.Max != nil || now.Layout.Modulo != nil {
			return nil, Refuse(TooLarge, "%s + %s × %s is more than the counter %s may hand out: %s", now.Value, by, now.Step,
				now.Name, now.Layout.Limit())
		}
		return nil, Refuse(TooLarge, "%s + %s × %s has more than 38 digits, which is all that DynamoDB keeps", now.Value, by,
			now.Step)
	}
	p := planCounterValue(now, KindBump, after)
	p.Live.Request.By, p.Live.Request.To = by.String(), ""
	p.Title, p.Button = "Bump a counter", "Bump to "+phrase.Group(after)
	sayRises(p)
	p.Live.Counter.Replan = func(ctx context.Context) (*Plan, error) { return Bump(ctx, c, by) }
	return bind(p, now.Open())
}

// sayRises sets the sentence about a rising counter, and adds the line about its undo.
func sayRises(p *Plan) {
	p.Sentence = fmt.Sprintf("%s goes from %s up to %s.", p.Counter, phrase.Group(p.Before), phrase.Group(p.After))
	sayNext(p)
	p.AddLine(LabelUndo, "lowers it again, if nobody has counted since")
}

// sayNext adds to the sentence the next number that the counter hands out.
func sayNext(p *Plan) {
	if next, ok := p.Live.Counter.counter.Layout.NextOf(p.After); ok {
		p.Sentence += fmt.Sprintf(" The next number handed out is %s.", phrase.Group(next))
	}
}

// rereadCounter reads a counter again. It returns a *Refusal if the counter does not exist or holds no whole
// number from 0 up.
func rereadCounter(ctx context.Context, c counter.Counter) (counter.Counter, error) {
	now, err := c.Reread(ctx)
	if err != nil {
		return now, err
	}
	if !now.Exists {
		return now, Refuse(Absent, "the counter %s does not exist: %s has no %s", c.Name, now.Key, now.Attribute)
	}
	if n, whole := attr.Integer(now.Value); !whole || n.Sign() < 0 || now.Item.At(now.Attribute).Kind != attr.N {
		return now, Refuse(NotANumber, "the counter %s holds \"%s\", which is not a whole number from 0 up", c.Name, now.Value)
	}
	return now, nil
}

// absentBelow adds the remedy to the refusal of a missing counter: the least number to create the counter with.
func absentBelow(ctx context.Context, now counter.Counter, err error) error {
	refused, ok := errors.AsType[*Refusal](err)
	if !ok || refused.Reasons[0].Code != Absent {
		return err
	}
	h, failed := now.FindHighestID(ctx)
	if failed != nil || h.ID == "" {
		return err
	}
	return RefuseFor(remedy.Of(remedy.CreateWith, fmt.Sprint(h.Least(now.Layout))), Absent, "%s; ids up to %s are in use",
		refused.Reasons[0].Text, phrase.Group(h.ID))
}

// collides is the text of Wording.Collides for changes of an existing counter.
const collides = "An application that counts with UpdateItem at the very moment of the write may be told TransactionConflict. SDKs do not retry that by themselves: where its sign-ups or orders must not fail, choose a quiet moment."

// planCounterValue plans to set a counter to another value, if it still has the value that was read.
func planCounterValue(now counter.Counter, kind Kind, after string) *Plan {
	p := &Plan{
		At: time.Now(), Kind: kind, Table: now.Table, Counter: now.Name, Wording: Wording{Collides: collides},
		Effect: Effect{Before: attr.CanonicalNumber(now.Value), After: after},
		Live:   Live{Counter: &CounterChange{counter: now}, Request: counterRequest(now, after)},
	}
	p.Done = fmt.Sprintf("%s went from %s up to %s", now.Name, phrase.Group(p.Before), phrase.Group(after))
	addImage(p, now.Table, now.Key, now.Item)
	set := ""
	if now.Layout.KeyIsValue(now.Open().Schema) {
		set = setKey(p)
	} else {
		set = setValue(p)
	}
	p.AddLine(LabelSet, set)
	p.AddLine(LabelOnlyIf, "it still says "+phrase.Group(p.Before))
	p.AddLine(LabelPrice, p.Price.String())
	warnBounds(p)
	noteRegions(p, now.Open(), now.Semantics)
	return p
}

// setValue plans one conditional update. It never uses ADD: an ADD that is sent twice counts twice.
func setValue(p *Plan) string {
	c := p.Live.Counter.counter
	e := newExpression(c.Open().Schema, c.Item).unchanged(c.Attribute)
	e.set(c.Attribute, attr.Number(p.After))
	w := e.write(client.Update, c.Table, c.Key)
	p.Steps = []Step{{Name: journal.StepName(p.Kind), Token: newToken(), Writes: []client.Write{w}}}
	p.Price = Price{WriteUnits: units(c.Item.Size())}
	return fmt.Sprintf("%s › %s = %s", c.Key, c.Attribute, p.After)
}

// setKey plans to replace the one item of a NextIdTable, whose key is the number: an update
// cannot change a key.
func setKey(p *Plan) string {
	c := p.Live.Counter.counter
	schema := c.Open().Schema
	fresh := attr.Item{}
	maps.Copy(fresh, c.Item)
	fresh[schema.HashName] = attr.Number(p.After)
	key, _ := schema.KeyOf(fresh)
	addImage(p, c.Table, key, nil)
	p.Steps = []Step{{Name: journal.StepName(p.Kind), Token: newToken(), Writes: []client.Write{
		newExpression(schema, c.Item).allUnchanged().write(client.Delete, c.Table, c.Key),
		ifAbsent(c.Table, key, fresh),
	}}}
	p.Price = Price{WriteUnits: 2 * units(c.Item.Size())}
	return fmt.Sprintf("the one item's key %s = %s", schema.HashName, p.After)
}
