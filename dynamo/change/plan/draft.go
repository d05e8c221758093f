package plan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// draft is an unfinished plan of one transaction.
type draft struct {
	*Plan
	t      *dynamo.Table
	writes []client.Write
	// onlyIf are the conditions in words.
	onlyIf []string
	// alike lists values that have locks and fold to the same as the plan's value.
	alike []string
	// undo describes the effect of undoing the plan.
	undo string
	// others are conditions on the accounts that keep a shared lock. Each account has one condition, since a
	// transaction may name an item only once.
	others []*expression
}

// newDraft begins a plan that changes a table: the table of the accounts, or one of locks.
func newDraft(t *dynamo.Table, kind Kind, table string) *draft {
	return &draft{Plan: &Plan{At: time.Now(), Kind: kind, Table: table, Live: Live{Table: t}}, t: t}
}

// add adds an action on an item. seen is the item as it was read; nil if it did not exist.
func (d *draft) add(w client.Write, seen attr.Item) {
	d.writes = append(d.writes, w)
	d.Price.WriteUnits += units(max(seen.Size(), w.Item.Size()))
	addImage(d.Plan, w.Table, w.Key, seen)
}

// check adds a condition on an item that was read.
func (d *draft) check(e *expression, table string, key attr.Key) {
	d.add(e.write(client.Check, table, key), e.item)
}

// put adds an item that must not exist yet.
func (d *draft) put(table string, key attr.Key, item attr.Item) {
	d.add(ifAbsent(table, key, item), nil)
	d.AddLine(LabelPut, key.String())
	if more := attributes(d.t.SchemaOf(table), item); more != "" {
		d.AddLine("with", more)
	}
}

// checkOtherForms adds a condition for each lock that the plan puts: no lock of another form exists, since that
// lock would keep the value, too.
func checkOtherForms(d *draft) {
	written := map[string]bool{}
	for _, w := range d.writes {
		written[w.Table+"\x00"+w.Key.ID()] = true
	}
	for _, w := range d.writes {
		con := d.t.Classify(w.Table, w.Item).Constraint
		if w.Verb != client.Put || con == nil {
			continue
		}
		for _, other := range con.Forms(w.Key) {
			if !written[w.Table+"\x00"+other.ID()] {
				d.add(ifAbsent(w.Table, other, nil), nil)
			}
		}
	}
}

// delete deletes a lock if it is unchanged since it was read.
func (d *draft) delete(lock schema.Lock) {
	d.add(d.lockUnchanged(lock).write(client.Delete, lock.Table, lock.Key), lock.Item)
	d.AddLine(LabelDelete, lock.Key.String())
}

// lockUnchanged returns the condition that a lock is unchanged since it was read. If it had no mark, it must
// still have none.
func (d *draft) lockUnchanged(lock schema.Lock) *expression {
	return newExpression(d.t.SchemaOf(lock.Table), lock.Item).allUnchanged(schema.MarkAttribute)
}

// accountUnchanged returns the condition that the account's attributes that make its locks are unchanged.
func (d *draft) accountUnchanged(
	kind *layout.Account, a *schema.Account, constraints ...*layout.Constraint,
) *expression {
	e := newExpression(d.t.Schema, a.Item)
	for _, c := range constraints {
		e.unchanged(kind.Rests(d.t.Schema, a.Item, c)...)
	}
	return e
}

// ownAccountUnchanged is like accountUnchanged, for the account that the plan changes. The account's version
// must be unchanged, too.
func (d *draft) ownAccountUnchanged(
	kind *layout.Account, a *schema.Account, constraints ...*layout.Constraint,
) *expression {
	e := d.accountUnchanged(kind, a, constraints...)
	if kind.Version != "" {
		e.unchanged(kind.Version)
	}
	return e
}

// leaveTo leaves a lock to another account, which must still claim the lock when the plan is applied. Otherwise
// nobody would claim the lock.
func (d *draft) leaveTo(now *verdict.Relation, a *schema.Account) error {
	kind, claim, err := claimOf(d.t, now, a)
	if err != nil {
		return err
	}
	attributes := kind.Rests(d.t.Schema, a.Item, claim.Constraint)
	for _, e := range d.others {
		if key, _ := d.t.Schema.KeyOf(e.item); key.Equal(a.Key) {
			e.unchanged(attributes...)
			return nil
		}
	}
	d.others = append(d.others, newExpression(d.t.Schema, a.Item).unchanged(attributes...))
	d.onlyIf = append(d.onlyIf, a.Key.Hash.Value.Display()+" still holds what it holds")
	return nil
}

// plan returns the finished plan.
func (d *draft) plan() (*Plan, error) {
	for _, e := range d.others {
		key, _ := d.t.Schema.KeyOf(e.item)
		d.check(e, d.t.Name, key)
	}
	checkOtherForms(d)
	d.Steps = []Step{{Name: journal.StepName(d.Kind), Token: newToken(), Writes: d.writes}}
	if len(d.onlyIf) > 0 {
		d.AddLine(LabelOnlyIf, joinConditions(d.onlyIf))
	}
	d.AddLine(LabelPrice, d.Price.String())
	if d.undo != "" {
		d.AddLine(LabelUndo, d.undo)
	}
	return bind(d.Plan, d.t)
}

// joinConditions joins conditions: "a, b, and c".
func joinConditions(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + ", and " + parts[last]
}

// attributes renders the attributes of an item besides its key.
func attributes(schema attr.Schema, item attr.Item) string {
	var parts []string
	for _, name := range item.Names() {
		if !schema.IsKey(name) {
			parts = append(parts, name+" = "+item[name].Display())
		}
	}
	return strings.Join(parts, ", ")
}

// nextVersion returns the version that a write gives an account. The first version is 1, as with the AWS SDKs
// for Java (DynamoDBMapper, and VersionedRecordExtension of the enhanced client). .NET begins with 0 and
// continues from any number. nextVersion refuses a version that is not a whole number: the application's way of
// counting is unknown.
func nextVersion(kind *layout.Account, a *schema.Account) (attr.Value, error) {
	v := a.Item.At(kind.Version)
	if !v.Exists() {
		return attr.Number("1"), nil
	}
	n, whole := attr.Integer(v.Text)
	if v.Kind != attr.N || !whole {
		return attr.Value{}, Refuse(NotANumber,
			"the %s of %s, which the layout takes for its version, is \"%s\" and no whole number", kind.Version, a.Key,
			v.Display())
	}
	n.Add(n, big.NewInt(1))
	if _, fits := attr.Integer(n.String()); !fits {
		return attr.Value{}, Refuse(TooLarge, "the version of %s has 38 digits already", a.Key)
	}
	return attr.Number(n.String()), nil
}

// unchangedWords describes the condition that an account is unchanged.
func unchangedWords(kind *layout.Account, a *schema.Account, what string) string {
	s := fmt.Sprintf("%s %s", a.Key.Hash.Value.Display(), what)
	if kind.Version == "" {
		return s
	}
	if v := a.Item.At(kind.Version); v.Exists() {
		return fmt.Sprintf("%s and has the %s %s", s, kind.Version, v.Display())
	}
	return fmt.Sprintf("%s and has no %s", s, kind.Version)
}

// setSubject sets the plan's constraint, value and account.
func (d *draft) setSubject(rel *verdict.Relation) {
	d.Constraint, d.Value = rel.Constraint.Name, rel.Value
	if len(rel.Claimants) > 0 {
		d.Account = rel.Claimants[0].Key.Hash.Value.Display()
	}
}

// noteUnread adds a line about a fact that is unknown because not every account was read.
func (d *draft) noteUnread(whole bool, what string) {
	if !whole {
		d.AddLine(
			"not known",
			fmt.Sprintf("%s: only reading the whole table tells, about %s", what,
				phrase.Count(int64(math.Round(dynamo.AccountsCost(d.t).Units)), "read unit")),
		)
	}
}

// noteLeftOut adds a line about the attributes of other locks that the new lock lacks, and the reason.
func (d *draft) noteLeftOut(p pattern) {
	switch names := strings.Join(p.leftOut, ", "); {
	case p.few:
		d.AddLine(LabelLeftOut, cmp.Or(names, "everything")+" that other locks may have: fewer than "+
			fmt.Sprint(minHeld)+" locks of different accounts were read, so the new lock has what the layout describes")
	case names != "":
		d.AddLine(LabelLeftOut, names+": other locks do not share it, or it is an owner, a time or an id of theirs")
	}
}

// noteLayoutDoubt adds a line: an inferred layout may be wrong to keep two spellings of a value apart.
func (d *draft) noteLayoutDoubt(spelling string) {
	d.AddLine(
		"note",
		fmt.Sprintf(
			"the layout, which keeps \"%s\" and \"%s\" apart, was recognised and not described: if the application does not, its lock is that of \"%s\", and the layout is wrong",
			d.Value, spelling, spelling,
		),
	)
}

// noteSimilar adds lines about similar values that have locks, except the plan's own keys. It records in
// d.alike the values that fold to the same as v.
func (d *draft) noteSimilar(ctx context.Context, c *layout.Constraint, v string, own ...attr.Key) error {
	misses, err := find.Near(ctx, d.t, c, v)
	if err != nil {
		return err
	}
	for _, miss := range misses {
		if !slices.ContainsFunc(own, miss.Relation.Lock.Key.Equal) {
			text, _ := c.Text(miss.Relation.Value)
			d.AddLine("near", fmt.Sprintf("\"%s\" has a lock, too: %s", text, miss.How))
			if c.Spelling(miss.Relation.Value) == layout.Fold(v) {
				d.alike = append(d.alike, text)
			}
		}
	}
	return nil
}
