// Package planner plans each kind of change: it reads the items again, and returns a plan or a refusal. It writes
// nothing; package change applies the plans.
//
// Each kind of change has its planner in a file named after the items that it changes: release.go, lock*.go,
// counter*.go, account*.go, and undo.go. Every planner ends with bind.
package planner

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// draft is an unfinished plan of one transaction.
type draft struct {
	*plan.Plan
	t      *dynamo.Table
	writes []client.Write
	// onlyIf lists the plan's conditions in words.
	onlyIf []string
	// The field alike lists other values that have locks and equal the plan's value after folding.
	alike []string
	// adopted is set if a lock gets no TTL because its constraint was adopted.
	adopted bool
	// The field undo describes the effect of undoing the plan.
	undo string
	// The field others has one condition for each other item of the accounts' table that the plan leaves in place: an
	// account that keeps locks, or an item at a lock's key that is no lock. Several locks may lead to one item, but a
	// transaction may name an item only once.
	others []*expression
}

// newDraft begins a plan that changes one table: the accounts table or a lock table.
func newDraft(t *dynamo.Table, kind plan.Kind, table string) *draft {
	return &draft{Plan: &plan.Plan{At: time.Now(), Kind: kind, Table: table, Live: plan.Live{Table: t}}, t: t}
}

// add adds an action on an item. seen is the item when it was read; nil if it did not exist.
func (d *draft) add(w client.Write, seen attr.Item) {
	d.writes = append(d.writes, w)
	d.Price.WriteUnits += client.WriteUnits(max(seen.Size(), w.Item.Size()))
	addImage(d.Plan, w.Table, w.Key, seen)
}

// check adds a condition on an item that was read.
func (d *draft) check(e *expression, table string, key attr.Key) {
	d.add(e.write(client.Check, table, key), e.item)
}

// put adds an item that must not exist yet.
func (d *draft) put(table string, key attr.Key, item attr.Item) {
	d.add(ifAbsent(table, key, item), nil)
	d.AddLine(plan.LabelPut, key.String())
	if more := attributes(d.t.SchemaOf(table), item); more != "" {
		d.AddLine("with", more)
	}
}

// checkOtherForms adds conditions for each lock that the plan puts: no lock of the same value exists under another
// key form of the layout. Such a lock would reserve the value, too.
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
	d.AddLine(plan.LabelDelete, lock.Key.String())
}

// lockUnchanged returns the condition that a lock is unchanged since it was read. If it had no mark, it must
// still have none.
func (d *draft) lockUnchanged(lock schema.Lock) *expression {
	return newExpression(d.t.SchemaOf(lock.Table), lock.Item).allUnchanged(schema.MarkAttribute)
}

// accountUnchanged returns a condition on an account: the attributes that determine its locks of the given
// constraints are unchanged.
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

// leaveTo leaves a lock to another account. That account must still claim the lock when the plan is applied;
// otherwise the lock would be orphaned.
func (d *draft) leaveTo(now *verdict.Relation, a *schema.Account) error {
	kind, claim, err := claimOf(d.t, now, a)
	if err != nil {
		return err
	}
	d.other(a.Key, a.Item).unchanged(kind.Rests(d.t.Schema, a.Item, claim.Constraint)...)
	if said := a.Key.Hash.Value.Display() + " still holds the same values"; !slices.Contains(d.onlyIf, said) {
		d.onlyIf = append(d.onlyIf, said)
	}
	return nil
}

// other returns the condition on an item of the accounts' table that the plan leaves in place.
func (d *draft) other(key attr.Key, item attr.Item) *expression {
	for _, e := range d.others {
		if have, _ := d.t.Schema.KeyOf(e.item); have.Equal(key) {
			return e
		}
	}
	e := newExpression(d.t.Schema, item)
	d.others = append(d.others, e)
	return e
}

// plan returns the finished plan.
func (d *draft) plan() (*plan.Plan, error) {
	for _, e := range d.others {
		key, _ := d.t.Schema.KeyOf(e.item)
		d.check(e, d.t.Name, key)
	}
	checkOtherForms(d)
	d.Steps = []plan.Step{{Name: journal.StepName(d.Kind), Token: newToken(), Writes: d.writes}}
	if len(d.onlyIf) > 0 {
		d.AddLine(plan.LabelOnlyIf, joinConditions(d.onlyIf))
	}
	d.AddLine(plan.LabelPrice, d.Price.String())
	if d.undo != "" {
		d.AddLine(plan.LabelUndo, d.undo)
	}
	return bind(d.Plan, d.t)
}

// joinConditions lists conditions: "a, b, and c".
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

// nextVersion returns an account's version after the next write. The first version is 1, as in the AWS SDKs for
// Java (DynamoDBMapper, and VersionedRecordExtension of the enhanced client). The .NET SDK begins with 0 and
// continues from any number. nextVersion refuses a version that is not a whole number, since the application's way
// of counting is then unknown.
func nextVersion(kind *layout.Account, a *schema.Account) (attr.Value, error) {
	v := a.Item.At(kind.Version)
	if !v.Exists() {
		return attr.Number("1"), nil
	}
	n, whole := attr.Integer(v.Text)
	if v.Kind != attr.N || !whole {
		return attr.Value{}, plan.Refuse(plan.NotANumber,
			"the attribute %s of %s must be a version number, but \"%s\" is not a whole number", kind.Version, a.Key,
			v.Display())
	}
	n.Add(n, big.NewInt(1))
	if _, fits := attr.Integer(n.String()); !fits {
		return attr.Value{}, plan.Refuse(plan.TooLarge, "the version of %s has 38 digits already", a.Key)
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

// accountValue returns the value in the account, if the locks keep digests, else "".
func accountValue(rel *verdict.Relation) string {
	if shown := rel.Shown(); shown != rel.Value {
		return shown
	}
	return ""
}

// setSubject sets the plan's constraint, value and account.
func (d *draft) setSubject(rel *verdict.Relation) {
	d.Constraint, d.Value, d.AccountValue = rel.Constraint.Name, rel.Value, accountValue(rel)
	if len(rel.Claimants) > 0 {
		d.Account = rel.Claimants[0].Key.Hash.Value.Display()
	}
}

// noteUnread adds a line about a fact that is unknown because some accounts were not read.
func (d *draft) noteUnread(whole bool, what string) {
	if !whole {
		d.AddLine(
			plan.LabelNotKnown,
			fmt.Sprintf("%s: only a read of the whole table can find such an account (about %s)", what,
				phrase.Count(int64(math.Round(dynamo.AccountsCost(d.t).Units)), "read unit")),
		)
	}
}

// noteLeftOut adds a line about the attributes that other locks have and the new lock lacks. The line also gives the
// reason.
func (d *draft) noteLeftOut(p pattern) {
	switch names := strings.Join(p.leftOut, ", "); {
	case p.few:
		d.AddLine(plan.LabelLeftOut, cmp.Or(names, "everything")+" of other locks: fewer than "+
			fmt.Sprint(minHeld)+" locks of different accounts were read, so the new lock has only the attributes of the layout")
	case names != "":
		d.AddLine(plan.LabelLeftOut, names+": these attributes differ from lock to lock, or hold an owner, a time or an id")
	}
}

// noteLayoutDoubt adds a warning: the layout is inferred and keeps two spellings of the value apart, but the
// application may fold them.
func (d *draft) noteLayoutDoubt(spelling string) {
	d.AddLine(
		"note",
		fmt.Sprintf(
			"the recognised layout treats \"%s\" and \"%s\" as two values. "+
				"If your application treats them as one value, the lock of \"%s\" is their lock, and the layout is wrong",
			d.Value, spelling, spelling,
		),
	)
}

// noteSimilar adds a line for each similar value that has a lock, unless own has the key of that lock. It records in
// d.alike the values that equal v after folding.
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

// bind completes the plan for a table, and gives the plan an ID. It returns an error if the plan writes an item
// without an image, if the layout does not fit the table, or if the config or the Regions forbid the plan. If a
// table has guard = "type", a person has to type the plan's subject. Every planner ends with bind.
func bind(p *plan.Plan, t *dynamo.Table) (*plan.Plan, error) {
	p.Live.Conn, p.Live.Table, p.Live.Account = t.Connection(), t, t.Description.Account
	if p.At.IsZero() {
		p.At = time.Now()
	}
	p.ID, p.Accounts, p.TableID = newID(p.At), t.Name, t.DescriptionOf(p.Table).ID
	if err := checkFit(p, t); err != nil {
		return nil, err
	}
	said, err := t.Statements()
	if err != nil {
		return nil, err
	}
	p.Live.Run, p.Live.MustType, p.Live.Statements = p.ID, p.Typed != "", said
	p.Tables = map[string]string{}
	for _, s := range p.Steps {
		if n := len(s.Writes); n > client.MaxActions {
			return nil, refuseTooMany(n)
		}
		for _, w := range s.Writes {
			if TooLong(w) {
				return nil, plan.Refuse(plan.TooMany,
					"%s has more attributes than one condition can compare, so a change of this item would go unnoticed", w.Key)
			}
			p.Tables[w.Table] = t.DescriptionOf(w.Table).Identity()
			if _, seen := p.Image(w.Table, w.Key); !seen {
				return nil, &client.Error{
					Kind: client.Failed,
					Op:   "planning to write " + w.Table,
					Why:  "the plan has a write without a condition",
					Do:   "please report this fault; nothing was sent",
				}
			}
			if w.Verb != client.Check && p.Live.Conn.GuardOf(w.Table) == client.GuardType && p.Typed == "" {
				p.Typed = p.Subject()
			}
		}
	}
	if err := p.CheckDenied(p.Live.Conn); err != nil {
		return nil, err
	}
	if why := t.Regions().Refuses(p.Steps.Verbs()...); why != "" {
		return nil, plan.Refuse(plan.Regions, "%s", why)
	}
	p.NoImage = p.Kind == plan.KindDeleteAccount && !p.Live.Conn.KeepsImages()
	p.ReduceImages(t)
	return p, nil
}

// addImage records an item as it was read.
func addImage(p *plan.Plan, table string, key attr.Key, item attr.Item) {
	p.Images = append(p.Images, plan.Image{Table: table, Key: key, Item: item})
}

// newID returns the ID of a receipt: the time and 40 random bits, since one run can make thousands of receipts in a
// second.
func newID(now time.Time) string {
	return "R-" + now.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:8])
}

func refuseTooMany(actions int) *plan.Refusal {
	return plan.Refuse(plan.TooMany, "the change needs %d actions, but a transaction has at most %d: nothing was sent", actions,
		client.MaxActions)
}

func newToken() string { return uuid.NewString() }

func counterRequest(c counter.Counter, to string) plan.Request {
	return plan.Request{Counter: c.Name, Key: c.Key.Item(), Attribute: c.Attribute, To: to}
}

// checkFit returns a *plan.Refusal if the layout does not fit the locks of the plan. It records the layout's hash.
// If the plan depends on a guess, it records the error about the guess.
func checkFit(p *plan.Plan, t *dynamo.Table) error {
	p.Live.Unsure = checkSure(p, t)
	if p.Counter != "" {
		return nil
	}
	var con *layout.Constraint // nil for an account with all its locks: every constraint has to fit
	if p.Constraint != "" {
		_, con = t.Layout.Constraint(p.Constraint)
	}
	if err := t.Fit.Misfit("", con); err != nil && !p.Kind.IsBackfill() { // the locks are missing, so none can fit
		return MisfitRefusal(err)
	}
	p.Layout = config.HashOf(t.Layout, p.Constraint)
	return nil
}

// checkSure records the state of the constraints or the counter that the plan depends on. It returns an error if
// one of them is only guessed. A plan with a guess is shown, but never applied.
func checkSure(p *plan.Plan, t *dynamo.Table) error {
	if b := p.Live.Counter; b != nil {
		p.LayoutState = b.Counter.Layout.State
		return t.CheckSureCounter(p.String(), b.Counter.Layout)
	}
	p.LayoutState = layout.Described
	for _, c := range constraintsOf(p, t) {
		if c.State != layout.Described && p.LayoutState.Sure() {
			p.LayoutState = c.State
		}
		if err := t.CheckSure(p.String(), c); err != nil {
			return err
		}
	}
	return nil
}

// constraintsOf returns the constraints that the plan depends on: the constraint of its value, the constraints
// whose locks it writes, and all constraints of an account that it deletes.
func constraintsOf(p *plan.Plan, t *dynamo.Table) []*layout.Constraint {
	var all []*layout.Constraint
	if _, c := t.Layout.Constraint(p.Constraint); c != nil {
		all = append(all, c)
	}
	for _, i := range p.Images {
		kind := t.Layout.KindOf(t.Schema, i.Item)
		if i.Table != t.Name || i.Item == nil || kind == nil {
			continue
		}
		for _, c := range slices.Concat(kind.Constraints, kind.Unlocked) {
			if !slices.Contains(all, c) && (p.Kind == plan.KindDeleteAccount || writesLock(p, t, c)) {
				all = append(all, c)
			}
		}
	}
	return all
}

// writesLock reports whether the plan writes a lock of a constraint.
func writesLock(p *plan.Plan, t *dynamo.Table, c *layout.Constraint) bool {
	table := t.LockTable(c)
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			if w.Table != table || w.Verb == client.Check {
				continue
			}
			if _, _, lock := c.ParseLock(t.SchemaOf(table), w.Key); lock {
				return true
			}
		}
	}
	return false
}

// MisfitRefusal returns the refusal of a change whose layout does not fit the table. err describes the misfit.
func MisfitRefusal(err error) *plan.Refusal {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return plan.Refuse(plan.Misfit, "%s", err)
	}
	do := e.Remedy
	if e.Do != "" {
		do = remedy.Of(remedy.Text, e.Do)
	}
	return plan.RefuseFor(do, plan.Misfit, "%s", e.Why)
}
