package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// inversion is a plan that takes another back, while it is made.
type inversion struct{ *draft }

// planInverse plans to make of every item what it was before a change, if it is
// still as the change left it. What the change only checked must be now as it was
// then.
func planInverse(ctx context.Context, t *dynamo.Table, was *Plan) (*Plan, error) {
	kind := cmp.Or(operations[was.Kind].inverse, was.Kind)
	d := inversion{newDraft(t, kind, was.Table)}
	d.Constraint, d.Value, d.Counter, d.Account = was.Constraint, was.Value, was.Counter, was.Account
	d.Before, d.After, d.Collides = was.After, was.Before, was.Collides
	d.Title, d.Button = "Take a change back", "Take it back"
	d.Sentence = fmt.Sprintf("Takes back: %s. What it changed is made what it was before.", was)
	d.Done = fmt.Sprintf("taken back: %s", was)
	if operations[kind].typed {
		d.Typed = was.Subject()
	}
	writes := was.Steps.effect().Writes
	places := make([]client.Address, len(writes))
	for n, w := range writes {
		key, ok := t.SchemaOf(w.Table).KeyOf(w.KeyIn(t.SchemaOf(w.Table)))
		if !ok {
			return nil, refusal(NotUndone, "%s cannot be taken back: the keys of %s are others than they were", was.ID, w.Table)
		}
		places[n] = client.Address{Table: w.Table, Key: key}
	}
	items, _, err := t.Connection().Items(ctx, places)
	if err != nil {
		return nil, err
	}
	var back []*dynamo.Relation // the locks that come back
	for n, w := range writes {
		before, seen := was.image(w.Table, places[n].Key.Item())
		if !seen {
			return nil, refusal(NotUndone, "%s cannot be taken back: the journal does not say what was there before", was.ID)
		}
		if err := d.invert(w, places[n].Key, before, items[n]); err != nil {
			return nil, err
		}
		if w.Verb == client.Delete {
			if rel, err := t.LockAt("", w.Table, before); err == nil { // else it is an account, or a counter
				back = append(back, rel)
			}
		}
	}
	if err := d.vacant(ctx, back, places); err != nil {
		return nil, err
	}
	d.onlyIf = []string{fmt.Sprintf("everything is as it is now, %s, which is how the change left it", clock(d.At))}
	return d.plan()
}

// vacant refuses to put locks back whose values others hold by now, without a lock,
// than the accounts that the plan is about.
func (d inversion) vacant(ctx context.Context, locks []*dynamo.Relation, own []client.Address) error {
	if len(locks) == 0 {
		return nil
	}
	fresh, whole, err := d.t.Reread(ctx, dynamo.RereadOptions{}, locks...)
	if err != nil {
		return err
	}
	for _, now := range fresh {
		holders := slices.DeleteFunc(now.Claimants, func(a dynamo.Account) bool {
			return slices.ContainsFunc(own, func(p client.Address) bool { return p.Table == d.t.Name && p.Key.Equal(a.Key) })
		})
		if len(holders) > 0 {
			return refusal(Held, "%s holds the %s \"%s\" by now", who(holders), now.Constraint.Name, now.Value)
		}
	}
	d.unread(whole, "whether an account holds by now what comes back")
	return nil
}

// invert adds the action that takes another back, on an item as it is now.
func (d inversion) invert(w client.Write, key attr.Key, before, now attr.Item) error {
	schema := d.t.SchemaOf(w.Table)
	changed := refusal(Changed, "%s is no longer as the change left it", key)
	if w.Verb == client.Check {
		return d.checkAgain(w, key, before, now)
	}
	if w.Verb == client.Update {
		return d.restore(w, key, before, now)
	}
	switch {
	case !same(now, after(w, before)):
		return changed
	case now == nil:
		d.put(w.Table, key, unmarked(before))
	default:
		d.do(given(schema, now).all(dynamo.MarkAttribute).write(client.Delete, w.Table, key), now)
		d.say(LabelDelete, key.String())
	}
	return nil
}

// restore adds an update that gives places of an item their former values, if they
// still have those that another update gave them. An account's version goes on: it
// never has one twice.
func (d inversion) restore(w client.Write, key attr.Key, before, now attr.Item) error {
	all, ok := assignments(w)
	if !ok || now == nil {
		return refusal(Changed, "%s is no longer as the change left it", key)
	}
	e := given(d.t.SchemaOf(w.Table), now)
	kind, version := d.versioned(w.Table, now)
	var said []string
	for _, a := range all {
		place := strings.Join(a.path, ".")
		if place == version {
			continue
		}
		if !a.at(now).Equal(a.value) {
			return refusal(Changed, "%s of %s is no longer as the change left it: it is %s", place, key, a.at(now).Display())
		}
		e.same(place)
		if former := a.at(before); former.Exists() {
			e.set(place, former)
			said = append(said, place+" = "+former.Display())
		} else {
			e.remove(place)
			said = append(said, "no "+place)
		}
	}
	if version != "" {
		next, err := raised(kind, &dynamo.Account{Key: key, Item: now})
		if err != nil {
			return err
		}
		e.same(version).set(version, next)
		said = append(said, version+" = "+next.Text)
	}
	d.do(e.write(client.Update, w.Table, key), now)
	d.say(LabelSet, key.String()+" › "+strings.Join(said, ", "))
	return nil
}

// versioned is the attribute that counts an account's writes; empty for what is no
// account, and where there is none.
func (d inversion) versioned(table string, item attr.Item) (*layout.Account, string) {
	if table != d.t.Name {
		return nil, ""
	}
	kind := d.t.Layout.KindOf(d.t.Schema, item)
	if kind == nil {
		return nil, ""
	}
	return kind, kind.Version
}

// checkAgain adds the condition that an item which a change only checked is now as
// it was then: of an account, what its locks are made of.
func (d inversion) checkAgain(w client.Write, key attr.Key, before, now attr.Item) error {
	schema := d.t.SchemaOf(w.Table)
	if before == nil && now == nil {
		d.do(absent(schema, w.Table, key, nil), nil)
		return nil
	}
	kind, _ := d.versioned(w.Table, before)
	if kind == nil || now == nil {
		if !same(before, now) {
			return refusal(Changed, "%s is no longer as it was when the change was made", key)
		}
		d.check(given(schema, now).all(dynamo.MarkAttribute), w.Table, key)
		return nil
	}
	a := &dynamo.Account{Key: key, Item: now}
	constraints := slices.DeleteFunc(slices.Clone(kind.Constraints), func(c *layout.Constraint) bool {
		return d.Constraint != "" && c.Name != d.Constraint
	})
	for _, c := range constraints {
		for _, name := range kind.Rests(schema, before, c) {
			if !before.At(name).Equal(now.At(name)) {
				return refusal(Changed, "%s of %s is no longer as it was when the change was made: it is %s", name, key, now.At(name).Display())
			}
		}
	}
	d.check(d.holds(kind, a, constraints...), w.Table, key)
	return nil
}
