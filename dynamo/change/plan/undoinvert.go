package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// inverses has the kind of the undoing change, if it differs from the kind of the change. A person has to type
// the subject of an undoing change of the kinds in typedUndos.
var (
	inverses = map[Kind]Kind{
		KindDeleteAccount: KindRestore, KindRestore: KindDeleteAccount, KindCreate: KindRemove, KindRemove: KindCreate,
	}
	typedUndos = []Kind{KindDeleteAccount, KindRemove, KindConvert}
)

// planInverse plans to undo a change: it restores every item that the change wrote. The undo requires that these
// items are unchanged since the change, and that the items that the change only checked are the same as at the
// change.
func planInverse(ctx context.Context, t *dynamo.Table, was *Plan) (*Plan, error) {
	kind := cmp.Or(inverses[was.Kind], was.Kind)
	d := newDraft(t, kind, was.Table)
	d.Constraint, d.Value, d.Counter, d.Account = was.Constraint, was.Value, was.Counter, was.Account
	d.Before, d.After, d.Collides = was.After, was.Before, was.Collides
	d.Title, d.Button = "Take a change back", "Take it back"
	d.Sentence = fmt.Sprintf("Undoes: %s.", was)
	if kind == KindValue {
		d.Sentence = fmt.Sprintf("Changes the %s of %s back from \"%s\" to \"%s\".", d.Constraint, d.Account, d.Before, d.After)
	}
	d.Done = fmt.Sprintf("taken back: %s", was)
	if slices.Contains(typedUndos, kind) {
		d.Typed = was.Subject()
	}
	writes := was.Steps.Effect().Writes
	places := make([]client.Address, len(writes))
	for n, w := range writes {
		places[n] = client.Address{Table: w.Table, Key: w.Key}
	}
	items, _, err := t.Connection().Reader().Together(ctx, places)
	if err != nil {
		return nil, err
	}
	var back []*verdict.Relation // the locks that the undo puts back
	for n, w := range writes {
		before, seen := was.Image(w.Table, w.Key)
		if !seen {
			return nil, Refuse(NotUndone, "%s cannot be undone: the journal does not say what was there before", was.ID)
		}
		if err := d.invert(w, before, items[n]); err != nil {
			return nil, err
		}
		if w.Verb == client.Delete {
			if rel, err := t.LockAt("", w.Table, before); err == nil { // otherwise the item is an account or a counter
				back = append(back, rel)
			}
		}
	}
	if err := d.checkUntaken(ctx, back, places); err != nil {
		return nil, err
	}
	d.onlyIf = []string{fmt.Sprintf("everything is as it is now, %s, which is how the change left it", phrase.Clock(d.At))}
	return d.plan()
}

// checkUntaken returns a *Refusal if an account outside of the plan holds, without a lock, the value of a lock
// that the undo puts back.
func (d *draft) checkUntaken(ctx context.Context, locks []*verdict.Relation, own []client.Address) error {
	if len(locks) == 0 {
		return nil
	}
	fresh, whole, err := find.Reread(ctx, d.t, find.RereadOptions{}, locks...)
	if err != nil {
		return err
	}
	for _, now := range fresh {
		holders := slices.DeleteFunc(now.Claimants, func(a schema.Account) bool {
			return slices.ContainsFunc(own, func(p client.Address) bool { return p.Table == d.t.Name && p.Key.Equal(a.Key) })
		})
		if len(holders) > 0 {
			return Refuse(Held, "%s holds the %s \"%s\" by now", listAccounts(holders), now.Constraint.Name, now.Value)
		}
	}
	d.noteUnread(whole, "whether an account holds by now what comes back")
	return nil
}

// invert adds the inverse of an action. now is the current item.
func (d *draft) invert(w client.Write, before, now attr.Item) error {
	keys, key := d.t.SchemaOf(w.Table), w.Key
	changed := Refuse(Changed, "%s is no longer as the change left it", key)
	if w.Verb == client.Check {
		return d.checkAgain(w, before, now)
	}
	if w.Verb == client.Update {
		return d.restore(w, before, now)
	}
	switch {
	case !sameItem(now, itemAfter(w, before)):
		return changed
	case now == nil:
		d.put(w.Table, key, withoutMark(before))
	default:
		d.add(newExpression(keys, now).allUnchanged(schema.MarkAttribute).write(client.Delete, w.Table, key), now)
		d.AddLine(LabelDelete, key.String())
	}
	return nil
}

// restore adds an update that restores the attributes set by another update, if they still have those values.
// It increases an account's version instead: no version is used twice.
func (d *draft) restore(w client.Write, before, now attr.Item) error {
	if now == nil {
		return Refuse(Changed, "%s is no longer as the change left it", w.Key)
	}
	e := newExpression(d.t.SchemaOf(w.Table), now)
	kind, version := d.versionOf(w.Table, now)
	var said []string
	for _, t := range w.Set {
		place, have, former := t.Attribute(), ValueAt(now, t.Path), ValueAt(before, t.Path)
		if place == version {
			continue
		}
		if !have.Equal(t.Value) {
			return Refuse(Changed, "%s of %s is no longer as the change left it: it is %s", place, w.Key, have.Display())
		}
		e.unchanged(place).set(place, former)
		if former.Exists() {
			said = append(said, place+" = "+former.Display())
		} else {
			said = append(said, "no "+place)
		}
	}
	if version != "" {
		next, err := nextVersion(kind, &schema.Account{Key: w.Key, Item: now})
		if err != nil {
			return err
		}
		e.unchanged(version).set(version, next)
		said = append(said, version+" = "+next.Text)
	}
	d.add(e.write(client.Update, w.Table, w.Key), now)
	d.AddLine(LabelSet, w.Key.String()+" › "+strings.Join(said, ", "))
	return nil
}

// versionOf returns the kind of an account, and the attribute that counts its writes. The kind is nil if the
// item is no account. The attribute is empty if there is none.
func (d *draft) versionOf(table string, item attr.Item) (*layout.Account, string) {
	if table != d.t.Name {
		return nil, ""
	}
	kind := d.t.Layout.KindOf(d.t.Schema, item)
	if kind == nil {
		return nil, ""
	}
	return kind, kind.Version
}

// checkAgain adds the condition that an item that the change only checked is still as it was. For an account,
// it tests only the attributes that the change compared.
func (d *draft) checkAgain(w client.Write, before, now attr.Item) error {
	keys, key := d.t.SchemaOf(w.Table), w.Key
	if before == nil && now == nil {
		d.add(ifAbsent(w.Table, key, nil), nil)
		return nil
	}
	kind, _ := d.versionOf(w.Table, before)
	if kind == nil || now == nil {
		if !sameItem(before, now) {
			return Refuse(Changed, "%s is no longer as it was when the change was made", key)
		}
		d.check(newExpression(keys, now).allUnchanged(schema.MarkAttribute), w.Table, key)
		return nil
	}
	e := newExpression(keys, now)
	for _, term := range w.If {
		name, is := term.Attribute(), ValueAt(now, term.Path)
		switch {
		case name == kind.Version: // each write increases the version
		case !is.Equal(term.Value):
			return Refuse(Changed, "%s of %s is no longer as it was when the change was made: it is %s", name, key,
				is.Display())
		default:
			e.unchanged(name)
		}
	}
	d.check(e, w.Table, key)
	return nil
}
