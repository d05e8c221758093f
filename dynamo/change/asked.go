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
)

// Asked is what a person has asked for: all that a planner needs to plan it again, and
// nothing of what it sends. Which of it is there depends on the kind of change.
type Asked struct {
	// Constraint says which lock, Value which value of an account is changed.
	Constraint string    `json:"constraint,omitempty"`
	Value      string    `json:"value,omitempty"`
	Lock       attr.Item `json:"lock,omitempty"` // its key
	// Reserved: although its account may still come.
	Reserved bool      `json:"reserved,omitempty"`
	Account  attr.Item `json:"account,omitempty"` // its key
	// Counter is a counter's name, Key its key and Attribute where its number stands.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// By is how many numbers a counter is to advance, To what it is to hold, or the
	// account's new value.
	By string `json:"by,omitempty"`
	To string `json:"to,omitempty"`
	// Receipt is of the change that is taken back, Finding what is mended.
	Receipt string         `json:"receipt,omitempty"`
	Finding *check.Finding `json:"finding,omitempty"`
}

// empty reports whether it does not say what is asked for.
func (a Asked) empty() bool {
	return a.Lock == nil && a.Account == nil && a.Counter == "" && a.Receipt == "" && a.Finding == nil
}

// joins reports whether it can be made together with another.
func (a Asked) joins(other Asked) bool {
	if a.Finding != nil || other.Finding != nil {
		return a.Finding != nil && other.Finding != nil
	}
	return a.Lock != nil && other.Lock != nil
}

// asFinding has a plan asked for as the repair of a finding, which is read again first.
func asFinding(p *Plan, t *dynamo.Table, kind check.Kind, rel *dynamo.Relation, holder *dynamo.Account) {
	if p == nil || holder == nil {
		return
	}
	p.asked = Asked{Finding: &check.Finding{
		Kind: kind, Table: t.Name, TableID: t.ID, Constraint: rel.Constraint.Name, Value: rel.Value,
		Lock: rel.Lock.Key.Item(), LockTable: rel.Lock.Table, Accounts: []attr.Item{holder.Key.Item()}, Layout: t.Layout.Hash(),
	}}
}

// askedOf is what is asked for of a counter.
func askedOf(c dynamo.Counter, to string) Asked {
	return Asked{Counter: c.Name, Key: c.Key.Item(), Attribute: c.Attribute, To: to}
}

// Again plans the change on the table as it is now, as its own command would, and
// compares what it rests on with what was seen then. It answers a *Refusal where it cannot
// be planned any more, or rests on something else.
func (was PlannedChange) Again(ctx context.Context, c *Changer, t *dynamo.Table) (*Plan, error) {
	if err := was.SameLayout(t); err != nil {
		return nil, err
	}
	p, err := was.Request.again(ctx, c, t, was.Kind)
	if err != nil {
		return nil, err
	}
	return p, was.Still(p)
}

func (a Asked) again(ctx context.Context, c *Changer, t *dynamo.Table, kind Kind) (*Plan, error) {
	switch {
	case a.Finding != nil:
		to, _ := attr.Integer(a.To) // nil: the one that the counter's value tells
		return c.PlanMendTo(ctx, t, *a.Finding, to)
	case a.Receipt != "":
		return undoAgain(ctx, c, t, a.Receipt)
	case kind == KindRelease:
		var even []Even
		if a.Reserved {
			even = append(even, EvenReserved)
		}
		return PlanReleaseAt(ctx, t, a.Constraint, a.Lock, even...)
	case a.Counter != "":
		return a.ofCounter(ctx, t, kind)
	case kind == KindValue || kind == KindDeleteAccount:
		return a.ofAccount(ctx, t, kind)
	}
	return nil, unasked(t, "it asks for no change that is known: "+string(kind))
}

// unasked is the error of a file that asks for what no command does.
func unasked(t *dynamo.Table, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "planning a change of " + t.Name,
		Why:  why,
		Do:   "plan it again; nothing was sent",
	}
}

func undoAgain(ctx context.Context, c *Changer, t *dynamo.Table, receipt string) (*Plan, error) {
	r, err := c.Journal.Record(receipt)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, unasked(t, "the journal here has no receipt "+receipt+": a change is undone where it was made")
	}
	return PlanUndo(ctx, t.Connection(), r)
}

// ofCounter plans a change of a counter, whose key the layout has to make.
func (a Asked) ofCounter(ctx context.Context, t *dynamo.Table, kind Kind) (*Plan, error) {
	m := &mender{t: t}
	c, err := m.counterOf(ctx, check.Finding{Counter: a.Counter, Key: a.Key, Attribute: a.Attribute}, nil)
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == Absent {
		c, err = counterOf(ctx, t, &Plan{Counter: a.Counter, Table: t.Name})
	}
	if err != nil {
		return nil, err
	}
	if c.Name != a.Counter {
		return nil, unasked(t, fmt.Sprintf("its key is that of the counter %s, and it names %s", c.Name, a.Counter))
	}
	text, plan := a.To, map[Kind]func(context.Context, dynamo.Counter, *big.Int) (*Plan, error){
		KindBump: PlanBump, KindReserve: PlanReserve, KindRaise: PlanRaise, KindCreate: PlanRaise, KindLower: PlanLower, KindConvert: PlanConvert,
	}[kind]
	if kind == KindBump || kind == KindReserve {
		text = a.By
	}
	n, whole := attr.Integer(text)
	if plan == nil || !whole {
		return nil, unasked(t, fmt.Sprintf("it asks for \"%s\" of a counter, by \"%s\"", kind, text))
	}
	return plan(ctx, c, n)
}

// ofAccount plans a change of an account.
func (a Asked) ofAccount(ctx context.Context, t *dynamo.Table, kind Kind) (*Plan, error) {
	key, ok := t.Schema.KeyOf(a.Account)
	if !ok || len(a.Account) != len(key.Item()) {
		return nil, unasked(t, "its account has no key of this table")
	}
	if kind == KindDeleteAccount {
		return PlanDeleteAccount(ctx, t, key)
	}
	as, account, err := dynamo.AccountAt(ctx, t, key)
	if err != nil {
		return nil, err
	}
	if account == nil || as == nil {
		return nil, refusal(Absent, "there is no account %s", key)
	}
	for _, rel := range t.Match.Relations(as, account) {
		if rel.Constraint.Name == a.Constraint && string([]rune(rel.Value)) == a.Value {
			return PlanValue(ctx, t, rel, a.To)
		}
	}
	return nil, refusal(Changed, "%s no longer holds the %s \"%s\"", key, a.Constraint, a.Value)
}
