package change

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// draft is a plan of one transaction while it is made.
type draft struct {
	*Plan
	t      *dynamo.Table
	writes []client.Write
	// onlyIf is what the conditions say, in words.
	onlyIf []string
	// alike are values that have locks, and fold as the plan's own does.
	alike []string
	// undo is what taking it back does.
	undo string
	// others are accounts that a lock is left with, each once: a transaction may
	// name an item once.
	others []*expression
}

// newDraft begins a plan that changes a table: the accounts' own, or one that
// locks live in.
func newDraft(t *dynamo.Table, kind Kind, table string) *draft {
	return &draft{Plan: &Plan{At: time.Now(), Kind: kind, Table: table, table: t}, t: t}
}

// do adds an action on an item as it was seen; nil where there is none.
func (d *draft) do(w client.Write, seen attr.Item) {
	d.writes = append(d.writes, w)
	d.Price.WriteUnits += units(max(seen.Size(), w.Item.Size()))
	key, _ := d.t.SchemaOf(w.Table).KeyOf(w.KeyIn(d.t.SchemaOf(w.Table)))
	d.saw(w.Table, key, seen)
}

// check adds a condition on an item that was read.
func (d *draft) check(e *expression, table string, key attr.Key) {
	d.do(e.write(client.Check, table, key), e.item)
}

// put adds an item that must not be there yet.
func (d *draft) put(table string, key attr.Key, item attr.Item) {
	d.do(absent(d.t.SchemaOf(table), table, key, item), nil)
	d.say(LabelPut, key.String())
	if more := attributes(d.t.SchemaOf(table), item); more != "" {
		d.say("with", more)
	}
}

// delete adds the deletion of a lock, if it is exactly as it was seen.
func (d *draft) delete(lock dynamo.Lock) {
	d.do(d.asSeen(lock).write(client.Delete, lock.Table, lock.Key), lock.Item)
	d.say(LabelDelete, lock.Key.String())
}

// asSeen is the condition that a lock is exactly as it was seen, without a mark
// if it had none.
func (d *draft) asSeen(lock dynamo.Lock) *expression {
	return given(d.t.SchemaOf(lock.Table), lock.Item).all(dynamo.MarkAttribute)
}

// holds is the condition that an account still has what its locks are made of.
func (d *draft) holds(kind *layout.Account, a *dynamo.Account, constraints ...*layout.Constraint) *expression {
	e := given(d.t.Schema, a.Item)
	for _, c := range constraints {
		e.same(kind.Rests(d.t.Schema, a.Item, c)...)
	}
	return e
}

// own is that condition on the account that the plan is about, which must have the
// version that was seen, too.
func (d *draft) own(kind *layout.Account, a *dynamo.Account, constraints ...*layout.Constraint) *expression {
	e := d.holds(kind, a, constraints...)
	if kind.Version != "" {
		e.same(kind.Version)
	}
	return e
}

// leave leaves a lock with another account, which must still claim it: one that
// is gone when the plan is applied would leave the lock to nobody.
func (d *draft) leave(now *dynamo.Relation, a *dynamo.Account) error {
	kind, claim, err := claimOf(d.t, now, a)
	if err != nil {
		return err
	}
	attributes := kind.Rests(d.t.Schema, a.Item, claim.Constraint)
	for _, e := range d.others {
		if key, _ := d.t.Schema.KeyOf(e.item); key.Equal(a.Key) {
			e.same(attributes...)
			return nil
		}
	}
	d.others = append(d.others, given(d.t.Schema, a.Item).same(attributes...))
	d.onlyIf = append(d.onlyIf, a.Key.Hash.Value.Display()+" still holds what it holds")
	return nil
}

func (d *draft) say(label Label, text string) { d.Lines = append(d.Lines, Line{label, text}) }

// plan is the finished plan.
func (d *draft) plan() (*Plan, error) {
	for _, e := range d.others {
		key, _ := d.t.Schema.KeyOf(e.item)
		d.check(e, d.t.Name, key)
	}
	d.Steps = []Step{{Name: journal.StepName(d.Kind), Token: newToken(), Writes: d.writes}}
	if len(d.onlyIf) > 0 {
		d.say(LabelOnlyIf, sentence(d.onlyIf))
	}
	d.say(LabelPrice, d.Price.String())
	if d.undo != "" {
		d.say(LabelUndo, d.undo)
	}
	return d.on(d.t)
}

// sentence joins what has to hold: "a, b and c".
func sentence(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + ", and " + parts[last]
}

// attributes writes what an item has besides its key.
func attributes(schema attr.Schema, item attr.Item) string {
	var parts []string
	for _, name := range item.Names() {
		if !schema.IsKey(name) {
			parts = append(parts, name+" = "+item[name].Display())
		}
	}
	return strings.Join(parts, ", ")
}

// raised is the version that a write of an account gives it, after the one that
// was seen. The first is 1, as the AWS SDKs for Java count (DynamoDBMapper and the
// enhanced client's VersionedRecordExtension); .NET, which begins with 0, goes on
// from any number. Anything but a whole number is refused: we do not know how it is
// counted.
func raised(kind *layout.Account, a *dynamo.Account) (attr.Value, error) {
	v := a.Item.At(kind.Version)
	if !v.Exists() {
		return attr.Number("1"), nil
	}
	n, whole := attr.Integer(v.Text)
	if v.Kind != attr.N || !whole {
		return attr.Value{}, refusal(NotANumber, "the %s of %s, which the layout takes for its version, is \"%s\" and no whole number", kind.Version, a.Key, v.Display())
	}
	n.Add(n, big.NewInt(1))
	if _, fits := attr.Integer(n.String()); !fits {
		return attr.Value{}, refusal(TooLarge, "the version of %s has 38 digits already", a.Key)
	}
	return attr.Number(n.String()), nil
}

// unchanged says of an account what its condition does.
func unchanged(kind *layout.Account, a *dynamo.Account, what string) string {
	s := fmt.Sprintf("%s %s", a.Key.Hash.Value.Display(), what)
	if kind.Version == "" {
		return s
	}
	if v := a.Item.At(kind.Version); v.Exists() {
		return fmt.Sprintf("%s and has the %s %s", s, kind.Version, v.Display())
	}
	return fmt.Sprintf("%s and has no %s", s, kind.Version)
}
