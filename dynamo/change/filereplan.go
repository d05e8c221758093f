package change

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
)

// Replan plans the change again on the current table, as the command for this kind of change would. It compares the
// items that the change depends on with the items in the plan file. It returns a *plan.Refusal if the change can no
// longer be planned, or if an item differs.
func (was PlannedChange) Replan(ctx context.Context, c *Changer, t *dynamo.Table) (*plan.Plan, error) {
	if was.before != nil {
		return nil, was.before
	}
	if err := was.CheckLayout(t); err != nil {
		return nil, err
	}
	p, err := planRequest(ctx, c, t, was.Kind, was.Request)
	if err != nil {
		return nil, err
	}
	return p, was.CheckSeen(p)
}

// ReplanAll plans all changes of the file again, as apply does with a plan file. It returns an error if the
// connection's tables are not the tables of the file, or if the planning of a change fails with another error than a
// refusal.
func (f *PlanFile) ReplanAll(ctx context.Context, c *Changer, conn *dynamo.Connection) (*Batch, error) {
	const op = "applying a plan"
	again := *f // FindApplied changes the file
	again.Changes = slices.Clone(f.Changes)
	f = &again
	if err := f.CheckTables(ctx, conn, op); err != nil {
		return nil, err
	}
	if err := f.FindApplied(c.Journal); err != nil {
		return nil, err
	}
	tables, b := map[string]*dynamo.Table{}, &Batch{}
	for _, one := range f.Changes {
		t := tables[one.Table]
		if t == nil {
			var err error
			if t, err = openGrown(ctx, conn, one.Table); err != nil {
				return nil, err
			}
			tables[one.Table] = t
		}
		if len(f.Changes) > 1 && !f.Mends() {
			return f.Releases(ctx, t) // all releases are in one table, and share their reads
		}
		if one.Request.Receipt != "" {
			if err := c.Journal.CheckChain("undoing " + one.Request.Receipt); err != nil {
				return nil, err
			}
		}
		p, err := one.Replan(ctx, c, t)
		refused, ok := errors.AsType[*plan.Refusal](err)
		switch {
		case ok:
			about := &plan.Plan{Kind: one.Kind, Table: one.Table, Constraint: one.Request.Constraint, Value: one.Request.Value}
			about.Live.Request = one.Request
			b.Refused = append(b.Refused, NotMade(about, refused))
		case err != nil:
			return nil, err
		default:
			b.Plans = append(b.Plans, p)
		}
	}
	b.SetPrice()
	return b, nil
}

// openGrown opens a table, and enlarges an unsure sample, as the commands that plan changes do: see dynamo.Grown.
func openGrown(ctx context.Context, conn *dynamo.Connection, table string) (*dynamo.Table, error) {
	t, err := conn.Open(ctx, table)
	if err != nil {
		return nil, err
	}
	larger, err := dynamo.Grown(ctx, t)
	if larger == nil || err != nil {
		return t, err
	}
	return larger, nil
}

// planRequest plans the change that a person requested.
func planRequest(ctx context.Context, c *Changer, t *dynamo.Table, kind plan.Kind, r plan.Request) (*plan.Plan, error) {
	switch {
	case r.Finding != nil:
		to, _ := attr.Integer(r.To) // if nil, the number is derived from the counter's value
		return c.PlanMend(ctx, t, *r.Finding, to)
	case r.Receipt != "":
		return planUndoAgain(ctx, c, t, r.Receipt)
	case kind == plan.KindRelease:
		return planner.ReleaseAt(ctx, t, r.Constraint, r.Lock, r.Reserved)
	case r.Counter != "":
		return planCounter(ctx, t, kind, r)
	case kind == plan.KindValue || kind == plan.KindDeleteAccount:
		return planAccount(ctx, t, kind, r)
	}
	return nil, badRequest(t, "the plan asks for an unknown change: "+string(kind))
}

// badRequest returns the error for a plan file with a request that no command of this program writes.
func badRequest(t *dynamo.Table, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "planning a change of " + t.Name,
		Why:  why,
		Do:   "plan the change again; nothing was sent",
	}
}

func planUndoAgain(ctx context.Context, c *Changer, t *dynamo.Table, receipt string) (*plan.Plan, error) {
	r, err := c.Journal.Record(receipt)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, badRequest(t, "this journal has no receipt "+receipt+": undo the change on the machine that made it")
	}
	return planner.Undo(ctx, t.Connection(), r)
}

// planCounter plans a change of a counter. It accepts only a counter whose key the layout produces: anybody may have
// written the plan file.
func planCounter(ctx context.Context, t *dynamo.Table, kind plan.Kind, r plan.Request) (*plan.Plan, error) {
	c, err := mend.CounterOf(ctx, t, finding.Finding{Counter: r.Counter, Key: r.Key, Attribute: r.Attribute})
	if refused, ok := errors.AsType[*plan.Refusal](err); ok && refused.Reasons[0].Code == plan.Absent {
		c, err = planner.CounterNamed(ctx, t, r.Counter, t.Name)
	}
	if err != nil {
		return nil, err
	}
	if c.Name != r.Counter {
		return nil, badRequest(t, fmt.Sprintf("the key in the plan belongs to the counter %s, but the plan names the counter %s", c.Name, r.Counter))
	}
	text, planned := r.To, map[plan.Kind]func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error){
		plan.KindBump: planner.Bump, plan.KindReserve: planner.Reserve, plan.KindRaise: planner.Raise,
		plan.KindCreate: planner.Raise, plan.KindLower: planner.Lower, plan.KindConvert: planner.Convert,
	}[kind]
	if kind == plan.KindBump || kind == plan.KindReserve {
		text = r.By
	}
	n, whole := attr.Integer(text)
	if planned == nil || !whole {
		return nil, badRequest(t, fmt.Sprintf("the plan asks to %s a counter with \"%s\": this change is unknown, or \"%[2]s\" is not a whole number", kind, text))
	}
	return planned(ctx, c, n)
}

func planAccount(ctx context.Context, t *dynamo.Table, kind plan.Kind, r plan.Request) (*plan.Plan, error) {
	key, ok := t.Schema.KeyOf(r.Account)
	if !ok || len(r.Account) != len(key.Item()) {
		return nil, badRequest(t, "the account's key in the plan does not fit this table")
	}
	if kind == plan.KindDeleteAccount {
		return planner.DeleteAccount(ctx, t, key)
	}
	as, account, err := find.AccountAt(ctx, t, key)
	if err != nil {
		return nil, err
	}
	if account == nil || as == nil {
		return nil, plan.Refuse(plan.Absent, "there is no account %s", key)
	}
	for _, rel := range t.Relations(as, account) {
		if rel.Constraint.Name == r.Constraint && string([]rune(rel.Value)) == r.Value {
			return planner.ChangeValue(ctx, t, rel, r.To)
		}
	}
	return nil, plan.Refuse(plan.Changed, "%s no longer holds the %s \"%s\"", key, r.Constraint, r.Value)
}

// Releases plans all releases of a file together. It checks each release like Replan.
func (f *PlanFile) Releases(ctx context.Context, t *dynamo.Table) (*Batch, error) {
	b := &Batch{}
	var rels []*verdict.Relation
	was := map[string]PlannedChange{}
	for _, one := range f.Changes {
		if err := one.CheckLayout(t); err != nil {
			return nil, err
		}
		if refused, ok := errors.AsType[*plan.Refusal](one.before); ok {
			b.refuse(t.Name, one.Request.Constraint, one.Request.Value, refused)
			continue
		}
		rel, err := planner.LockAt(ctx, t, one.Request.Constraint, one.Request.Lock)
		if refused, ok := errors.AsType[*plan.Refusal](err); ok {
			b.refuse(t.Name, one.Request.Constraint, one.Request.Value, refused)
			continue
		}
		if err != nil {
			return nil, err
		}
		id := rel.Lock.Table + " " + rel.Lock.Key.ID()
		if _, twice := was[id]; !twice {
			rels, was[id] = append(rels, rel), one
		}
	}
	if len(rels) == 0 {
		return b, nil
	}
	planned, err := PlanReleases(ctx, t, rels...)
	if err != nil {
		return nil, err
	}
	b.Refused = append(b.Refused, planned.Refused...)
	for _, p := range planned.Plans {
		lock := p.Live.Release.Rel.Lock
		if err := was[lock.Table+" "+lock.Key.ID()].CheckSeen(p); err != nil {
			b.Refused = append(b.Refused, NotMade(p, err))
			continue
		}
		b.Plans = append(b.Plans, p)
	}
	b.SetPrice()
	return b, nil
}
