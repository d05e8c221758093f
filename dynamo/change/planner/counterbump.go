package planner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// Bump plans to advance a counter: it hands out the given count of numbers, and rises by this count times its step.
// Bump returns a *plan.Refusal if the counter does not exist or holds no number.
func Bump(ctx context.Context, c counter.Counter, by *big.Int) (*plan.Plan, error) {
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
			return nil, plan.Refuse(plan.TooLarge, "%s + %s × %s is above the limit of the counter %s: %s", now.Value, by, now.Step,
				now.Name, now.Layout.Limit())
		}
		return nil, plan.Refuse(plan.TooLarge, "%s + %s × %s has more than 38 digits, the limit of DynamoDB", now.Value, by,
			now.Step)
	}
	p := planCounterValue(now, plan.KindBump, after)
	p.Live.Request.By, p.Live.Request.To = by.String(), ""
	p.Title, p.Button = "Bump a counter", "Bump to "+phrase.Group(after)
	sayRises(p)
	p.Live.Counter.Replan = func(ctx context.Context) (*plan.Plan, error) { return Bump(ctx, c, by) }
	return bind(p, now.Open())
}

// sayRises sets the sentence about a rising counter, and adds the line about its undo.
func sayRises(p *plan.Plan) {
	p.Sentence = fmt.Sprintf("%s goes from %s up to %s.", p.Counter, phrase.Group(p.Before), phrase.Group(p.After))
	sayNext(p)
	p.AddLine(plan.LabelUndo, "lowers the counter again, if nobody has used it since")
}

// sayNext adds to the sentence the next number that the counter hands out.
func sayNext(p *plan.Plan) {
	if next, ok := p.Live.Counter.Counter.Layout.NextOf(p.After); ok {
		p.Sentence += fmt.Sprintf(" The next number handed out is %s.", phrase.Group(next))
	}
}

// rereadCounter reads a counter again. It returns a *plan.Refusal if the counter does not exist or holds no whole
// number from 0 up.
func rereadCounter(ctx context.Context, c counter.Counter) (counter.Counter, error) {
	now, err := c.Reread(ctx)
	if err != nil {
		return now, err
	}
	if !now.Exists {
		return now, absent(now)
	}
	if n, whole := attr.Integer(now.Value); !whole || n.Sign() < 0 || now.Item.At(now.Attribute).Kind != attr.N {
		return now, plan.Refuse(plan.NotANumber, "the counter %s holds \"%s\", which is not a whole number of 0 or more", c.Name, now.Value)
	}
	return now, nil
}

// absent returns the refusal of a counter that does not exist.
func absent(now counter.Counter) *plan.Refusal {
	if now.Other != "" {
		return plan.Refuse(plan.Absent, "the counter %s does not exist: the item %s is not a counter: %s", now.Name, now.Key, now.Other)
	}
	return plan.Refuse(plan.Absent, "the counter %s does not exist: %s has no %s", now.Name, now.Key, now.Attribute)
}

// absentBelow adds a remedy to the refusal of a missing counter: the lowest number with which it is safe to create
// the counter.
func absentBelow(ctx context.Context, now counter.Counter, err error) error {
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok || refused.Reasons[0].Code != plan.Absent || now.Other != "" {
		return err
	}
	h, failed := now.FindHighestID(ctx)
	if failed != nil || h.ID == "" {
		return err
	}
	return plan.RefuseFor(remedy.Of(remedy.CreateWith, fmt.Sprint(h.Least(now.Layout))), plan.Absent, "%s; ids up to %s are in use",
		refused.Reasons[0].Text, phrase.Group(h.ID))
}

// collides is the warning in Wording.Collides, for changes of an existing counter.
const collides = "At the moment of this write, your application's own UpdateItem may fail with TransactionConflict. SDKs do not retry this error. If sign-ups or orders must not fail, choose a quiet moment."

// planCounterValue plans to set a counter to another value, if it still has the value that was read.
func planCounterValue(now counter.Counter, kind plan.Kind, after string) *plan.Plan {
	p := &plan.Plan{
		At: time.Now(), Kind: kind, Table: now.Table, Counter: now.Name, Wording: plan.Wording{Collides: collides},
		Effect: plan.Effect{Before: attr.CanonicalNumber(now.Value), After: after},
		Live:   plan.Live{Counter: &plan.CounterChange{Counter: now}, Request: counterRequest(now, after)},
	}
	p.Done = fmt.Sprintf("%s went from %s up to %s", now.Name, phrase.Group(p.Before), phrase.Group(after))
	addImage(p, now.Table, now.Key, now.Item)
	set := ""
	if now.Layout.KeyIsValue(now.Open().Schema) {
		set = setKey(p)
	} else {
		set = setValue(p)
	}
	p.AddLine(plan.LabelSet, set)
	p.AddLine(plan.LabelOnlyIf, "the counter still has the value "+phrase.Group(p.Before))
	p.AddLine(plan.LabelPrice, p.Price.String())
	warnBounds(p)
	noteRegions(p, now.Open(), now.Semantics)
	return p
}

// setValue plans to set a counter by one conditional update, and returns this assignment in words. It never uses ADD:
// an ADD that arrives twice counts twice.
func setValue(p *plan.Plan) string {
	c := p.Live.Counter.Counter
	e := newExpression(c.Open().Schema, c.Item).unchanged(c.Attribute)
	e.set(c.Attribute, attr.Number(p.After))
	w := e.write(client.Update, c.Table, c.Key)
	p.Steps = []plan.Step{{Name: journal.StepName(p.Kind), Token: newToken(), Writes: []client.Write{w}}}
	p.Price = plan.Price{WriteUnits: client.WriteUnits(c.Item.Size())}
	return fmt.Sprintf("%s › %s = %s", c.Key, c.Attribute, p.After)
}

// setKey plans to set a counter whose number is the key of the table's only item (a NextIdTable), and returns this
// assignment in words. An update cannot change a key. So the plan deletes the item and puts a new one.
func setKey(p *plan.Plan) string {
	c := p.Live.Counter.Counter
	schema := c.Open().Schema
	fresh := attr.Item{}
	maps.Copy(fresh, c.Item)
	fresh[schema.HashName] = attr.Number(p.After)
	key, _ := schema.KeyOf(fresh)
	addImage(p, c.Table, key, nil)
	p.Steps = []plan.Step{{Name: journal.StepName(p.Kind), Token: newToken(), Writes: []client.Write{
		newExpression(schema, c.Item).allUnchanged().write(client.Delete, c.Table, c.Key),
		ifAbsent(c.Table, key, fresh),
	}}}
	p.Price = plan.Price{WriteUnits: 2 * client.WriteUnits(c.Item.Size())}
	return fmt.Sprintf("the key of the table's only item: %s = %s", schema.HashName, p.After)
}

// noteRegions adds a line about the other Regions that may write a plan's counter. The plan's conditions hold
// in this Region only, and the last writer wins (docs/truth.md §7).
func noteRegions(p *plan.Plan, t *dynamo.Table, s layout.Semantics) {
	r := t.Regions()
	if len(r.Others) == 0 || r.WrittenIn == r.Here {
		return
	}
	if s == layout.Tally {
		p.AddLine("note", "the conditions of this change hold in this Region only: "+phrase.List(r.Others)+" may count at the same time, and the last writer wins")
		return
	}
	p.Elsewhere = r.Others
	p.AddLine("note", "the conditions of this change hold in this Region only: "+sameNumbers(p))
	p.Done += ", in this Region only: " + sameNumbers(p)
}

func sameNumbers(p *plan.Plan) string {
	return phrase.List(p.Elsewhere) + " may hand out the same numbers"
}

// ReservedNumbers returns a sentence: the numbers from first to last belong to the person. The sentence names other
// Regions that may hand out the same numbers. The numbers are parameters, because a reservation may be planned again
// before it is applied. The Receipt then has the final numbers.
func ReservedNumbers(p *plan.Plan, first, last string) string {
	which, _ := blockWords(first, last)
	are := "are"
	if first == last {
		are = "is"
	}
	if len(p.Elsewhere) > 0 {
		return fmt.Sprintf("%s of %s %s yours in this Region only: %s", which, p.Counter, are, sameNumbers(p))
	}
	return fmt.Sprintf("%s of %s %s yours alone", which, p.Counter, are)
}

// blockWords returns a block of numbers in words, and its pronoun: "it" or "them".
func blockWords(first, last string) (which, them string) {
	if first == last {
		return phrase.Group(first), "it"
	}
	return phrase.Group(first) + " to " + phrase.Group(last), "them"
}

// bounds lists the highest numbers of common software, and the problem with larger numbers. The highest bound
// comes first.
var bounds = []struct {
	power     uint // the bound is 2^power − 1
	otherwise string
}{
	{63, "programs that keep ids in 64-bit integers cannot read larger numbers"},
	{53, "JavaScript rounds larger numbers: two ids can look the same"},
	{31, "programs that keep ids in 32-bit integers cannot read larger numbers"},
}

// boundWarning returns a warning about the highest bound that a counter passes. It is empty if the counter passes
// no bound, or was already beyond it.
func boundWarning(before, after string) string {
	to, whole := attr.Integer(after)
	from, known := attr.Integer(before)
	if !whole {
		return ""
	}
	for _, b := range bounds {
		most := new(big.Int).Lsh(big.NewInt(1), b.power)
		most.Sub(most, big.NewInt(1))
		if to.Cmp(most) > 0 {
			if known && from.Cmp(most) > 0 {
				return ""
			}
			return fmt.Sprintf("the counter passes 2^%d − 1 (%s): %s", b.power, phrase.Group(most.String()), b.otherwise)
		}
	}
	return ""
}

func warnBounds(p *plan.Plan) {
	if text := boundWarning(p.Before, p.After); text != "" {
		p.AddLine(plan.LabelMind, text)
	}
}
