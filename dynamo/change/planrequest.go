package change

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
)

// Request is what a person asked for: enough to plan the change again, and nothing of what
// it sends. Which fields are set depends on the kind of change.
type Request struct {
	// Constraint and Value identify a lock, or the value of an account.
	Constraint string    `json:"constraint,omitempty"`
	Value      string    `json:"value,omitempty"`
	Lock       attr.Item `json:"lock,omitempty"` // its key
	// Reserved allows a release although the lock's account may still come.
	Reserved bool      `json:"reserved,omitempty"`
	Account  attr.Item `json:"account,omitempty"` // its key
	// Counter is a counter's name, Key its key, and Attribute the attribute with its number.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// By is how many numbers a counter is to advance. To is its new number, or an account's
	// new value.
	By string `json:"by,omitempty"`
	To string `json:"to,omitempty"`
	// Receipt identifies a change to undo; Finding is to be mended.
	Receipt string         `json:"receipt,omitempty"`
	Finding *check.Finding `json:"finding,omitempty"`
}

// isEmpty reports whether the request asks for nothing.
func (r Request) isEmpty() bool {
	return r.Lock == nil && r.Account == nil && r.Counter == "" && r.Receipt == "" && r.Finding == nil
}

// canJoin reports whether two requests can be applied together.
func (r Request) canJoin(other Request) bool {
	if r.Finding != nil || other.Finding != nil {
		return r.Finding != nil && other.Finding != nil
	}
	return r.Lock != nil && other.Lock != nil
}

// requestRepair makes a plan's request the repair of a finding about a value and a lock, which is read
// again first.
func requestRepair(p *Plan, t *dynamo.Table, kind check.Kind, rel *dynamo.Relation, lock dynamo.Lock) {
	holder := rel.Holder()
	if p == nil || holder == nil {
		return
	}
	p.live.request = Request{Finding: &check.Finding{
		Kind: kind, Table: t.Name, TableID: t.ID, Constraint: rel.Constraint.Name, Value: rel.Value,
		Lock: lock.Key.Item(), LockTable: lock.Table, Accounts: []attr.Item{holder.Key.Item()},
		Layout: config.HashOf(t.Layout, rel.Constraint.Name),
	}}
}

// counterRequest is the request to change a counter.
func counterRequest(c counter.Counter, to string) Request {
	return Request{Counter: c.Name, Key: c.Key.Item(), Attribute: c.Attribute, To: to}
}

// Replan plans the change on the table as it is now, as its own command would, and compares
// the items it rests on with those seen then. It returns a *Refusal if the change cannot be
// planned any more, or those items differ.
func (was PlannedChange) Replan(ctx context.Context, c *Changer, t *dynamo.Table) (*Plan, error) {
	if was.before != nil {
		return nil, was.before
	}
	if err := was.CheckLayout(t); err != nil {
		return nil, err
	}
	p, err := was.Request.plan(ctx, c, t, was.Kind)
	if err != nil {
		return nil, err
	}
	return p, was.CheckSeen(p)
}

func (r Request) plan(ctx context.Context, c *Changer, t *dynamo.Table, kind Kind) (*Plan, error) {
	switch {
	case r.Finding != nil:
		to, _ := attr.Integer(r.To) // nil: the number that the counter's value implies
		return c.PlanMendTo(ctx, t, *r.Finding, to)
	case r.Receipt != "":
		return planUndoAgain(ctx, c, t, r.Receipt)
	case kind == KindRelease:
		return PlanReleaseAt(ctx, t, r.Constraint, r.Lock, r.Reserved)
	case r.Counter != "":
		return r.planCounter(ctx, t, kind)
	case kind == KindValue || kind == KindDeleteAccount:
		return r.planAccount(ctx, t, kind)
	}
	return nil, badRequest(t, "it asks for no change that is known: "+string(kind))
}

// badRequest is the error of a plan file that asks for what no command does.
func badRequest(t *dynamo.Table, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "planning a change of " + t.Name,
		Why:  why,
		Do:   "plan it again; nothing was sent",
	}
}

func planUndoAgain(ctx context.Context, c *Changer, t *dynamo.Table, receipt string) (*Plan, error) {
	r, err := c.Journal.Record(receipt)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, badRequest(t, "the journal here has no receipt "+receipt+": a change is undone where it was made")
	}
	return PlanUndo(ctx, t.Connection(), r)
}

// planCounter plans a change of a counter. Its key must be one that the layout makes.
func (r Request) planCounter(ctx context.Context, t *dynamo.Table, kind Kind) (*Plan, error) {
	m := &mender{t: t}
	c, err := m.counterOf(ctx, check.Finding{Counter: r.Counter, Key: r.Key, Attribute: r.Attribute}, nil)
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == Absent {
		c, err = counterNamed(ctx, t, r.Counter, t.Name)
	}
	if err != nil {
		return nil, err
	}
	if c.Name != r.Counter {
		return nil, badRequest(t, fmt.Sprintf("its key is that of the counter %s, and it names %s", c.Name, r.Counter))
	}
	text, plan := r.To, map[Kind]func(context.Context, counter.Counter, *big.Int) (*Plan, error){
		KindBump: PlanBump, KindReserve: PlanReserve, KindRaise: PlanRaise, KindCreate: PlanRaise,
		KindLower: PlanLower, KindConvert: PlanConvert,
	}[kind]
	if kind == KindBump || kind == KindReserve {
		text = r.By
	}
	n, whole := attr.Integer(text)
	if plan == nil || !whole {
		return nil, badRequest(t, fmt.Sprintf("it asks for \"%s\" of a counter, by \"%s\"", kind, text))
	}
	return plan(ctx, c, n)
}

// planAccount plans a change of an account.
func (r Request) planAccount(ctx context.Context, t *dynamo.Table, kind Kind) (*Plan, error) {
	key, ok := t.Schema.KeyOf(r.Account)
	if !ok || len(r.Account) != len(key.Item()) {
		return nil, badRequest(t, "its account has no key of this table")
	}
	if kind == KindDeleteAccount {
		return PlanDeleteAccount(ctx, t, key)
	}
	as, account, err := find.AccountAt(ctx, t, key)
	if err != nil {
		return nil, err
	}
	if account == nil || as == nil {
		return nil, refuse(Absent, "there is no account %s", key)
	}
	for _, rel := range t.Relations(as, account) {
		if rel.Constraint.Name == r.Constraint && string([]rune(rel.Value)) == r.Value {
			return PlanValue(ctx, t, rel, r.To)
		}
	}
	return nil, refuse(Changed, "%s no longer holds the %s \"%s\"", key, r.Constraint, r.Value)
}
