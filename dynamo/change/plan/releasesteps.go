package plan

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// A release takes one of two ways. The first is one transaction that checks the owner. The second sets a mark,
// waits, reads every item, and deletes the lock if it is still marked.

// byOwner plans one transaction. It deletes the lock if that is unchanged since it was read, and if its owner
// is still gone, or still holds the other value.
func byOwner(p *Plan) {
	rel := p.Live.Release.Rel
	d := &draft{Plan: p, t: p.Live.Table, onlyIf: []string{"unchanged since " + phrase.Clock(p.At)}}
	unchanged := d.lockUnchanged(rel.Lock).absent(lacksOf(d.t, rel))
	d.add(unchanged.write(client.Delete, rel.Lock.Table, rel.Lock.Key), rel.Lock.Item)
	d.AddLine(LabelDelete, rel.Lock.Key.String())
	d.checkFormerOwner(rel, p.Live.Table.OwnerKeys(rel.Constraint, rel.Lock))
	d.Steps = []Step{{Name: journal.StepDelete, Token: newToken(), Writes: d.writes}}
	d.AddLine(LabelOnlyIf, joinConditions(d.onlyIf))
	d.AddLine(LabelPrice, d.Price.String())
}

func displayAttribute(owner *schema.Account, attribute string) string {
	if v := owner.Item.At(attribute); v.Exists() {
		return `"` + v.Display() + `"`
	}
	return "no " + attribute
}

// byMark plans to mark the lock and to delete it, with a look in between. A third step removes the mark. The
// transaction that deletes the lock also makes the writes of extra.
func byMark(p *Plan, extra ...client.Write) {
	t, rel := p.Live.Table, p.Live.Release.Rel
	lock, key := rel.Lock.Item, rel.Lock.Key
	addImage(p, rel.Lock.Table, key, lock)
	p.Steps = markSteps(t, rel, extra)
	marked := withAttribute(lock, schema.MarkAttribute, MarkIn(p.Steps[0].Writes[0].Set))
	p.Price = Price{WriteUnits: 2 * units(marked.Size()), ReadUnits: dynamo.LookCost(t).Units, Estimate: true}
	if t.Bytes == 0 {
		p.Price.SizeUnknown = true // AWS updates the size every six hours, so a new table has none
	}
	attributes := "with no other attribute"
	switch n := len(lock) - len(key.Item()); {
	case n == 1:
		attributes = "and its attribute is unchanged"
	case n > 1:
		attributes = fmt.Sprintf("and its %d attributes are unchanged", n)
	}
	p.AddLine(LabelDelete, rel.Lock.Key.String())
	p.AddLine(LabelOnlyIf, fmt.Sprintf("unchanged since %s, %s", phrase.Clock(p.At), attributes))
	p.AddLine(LabelFirst, fmt.Sprintf("marks it, waits %g s, and looks at every item for one that holds \"%s\"",
		t.Connection().Settle().Round(time.Millisecond).Seconds(), rel.Value))
	p.AddLine(LabelPrice, p.Price.String())
}

// markSteps returns the steps of a release that marks its lock, with a new mark.
func markSteps(t *dynamo.Table, rel *verdict.Relation, extra []client.Write) []Step {
	keys, lacks, mark := t.SchemaOf(rel.Lock.Table), lacksOf(t, rel), attr.String(newMark())
	lock, key := rel.Lock.Item, rel.Lock.Key
	// The lock may have a mark that an earlier release left behind. The condition includes that mark, and the
	// new mark replaces it.
	absent := []string{schema.MarkAttribute}
	if owner := rel.Constraint.Owner; owner != "" && rel.Lock.Owner == "" {
		absent = append(absent, owner)
	}
	set := newExpression(keys, lock).allUnchanged(absent...).absent(lacks).set(schema.MarkAttribute, mark).
		write(client.Update, rel.Lock.Table, key)
	marked := withAttribute(lock, schema.MarkAttribute, mark)
	remove := newExpression(keys, marked).allUnchanged().absent(lacks).write(client.Delete, rel.Lock.Table, key)
	off := newExpression(keys, marked).unchanged(schema.MarkAttribute).set(schema.MarkAttribute, attr.Value{}).
		write(client.Update, rel.Lock.Table, key)
	return []Step{
		{Name: journal.StepMark, Token: newToken(), Writes: []client.Write{set}},
		{
			Name:   journal.StepDelete,
			Token:  newToken(),
			Writes: append([]client.Write{remove}, extra...),
			Only:   "every item was read and none holds the value",
		},
		{
			Name:   journal.StepUnmark,
			Token:  newToken(),
			Writes: []client.Write{off},
			Only:   "an account holds the value, or the look was not finished",
		},
	}
}

// WithNewMark returns the plan with another mark. The lock has no mark by now: this plan's mark replaced the
// mark of an earlier release, and was then removed.
func WithNewMark(p *Plan, now time.Time) *Plan {
	again, mark := *p, attr.String(newMark())
	again.ID, again.Steps = newID(now), slices.Clone(p.Steps)
	for n := range again.Steps {
		s := &again.Steps[n]
		s.Token, s.Writes = newToken(), slices.Clone(s.Writes)
		w := &s.Writes[0] // the lock
		w.Set = withMark(w.Set, mark)
		if w.If = withMark(w.If, mark); n == 0 {
			w.If = withMark(w.If, attr.Value{})
		}
	}
	return &again
}

// withMark returns terms in which the given mark replaces another mark.
func withMark(terms []client.Term, mark attr.Value) []client.Term {
	terms = slices.Clone(terms)
	for n, t := range terms {
		if t.Attribute() == schema.MarkAttribute && t.Value.Exists() {
			terms[n].Value = mark
		}
	}
	return terms
}

// newMark returns 128 random bits: no mark is ever written twice.
func newMark() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand never fails
	return hex.EncodeToString(b[:])
}
