package change

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
)

// Mend is what can be done about a finding: a plan, or why there is none.
type Mend struct {
	Finding check.Finding
	Plan    *Plan
	// Refused says why it is not mended; its only code is InOrder where there is
	// nothing to mend any more.
	Refused []Reason
}

// InOrder reports whether there is nothing to mend any more.
func (m Mend) InOrder() bool { return len(m.Refused) > 0 && m.Refused[0].Code == InOrder }

// PlanMends plans to put right what a check found, all at once. A finding only says
// where to look: everything is read again, and lock keys are made anew of what the
// layout says. Whether anybody claims a lock is left to the look that ApplyAll makes
// for all of them. Malformed locks, and what has to be typed, are refused: that is
// for PlanMend.
func PlanMends(ctx context.Context, t *dynamo.Table, findings ...check.Finding) ([]Mend, error) {
	m := mender{t: t, judge: t.Glance}
	var all []Mend
	for _, f := range findings {
		p, err := m.plan(ctx, f)
		if err == nil && p.careful {
			err = refusal(ByHand, "it asks for \"%s\" to be typed: mend it by itself", p.Typed)
		}
		refused, ok := errors.AsType[*Refusal](err)
		switch {
		case ok:
			all = append(all, Mend{Finding: f, Refused: refused.Reasons})
		case err != nil:
			return all, fmt.Errorf("mending %s of %s: %w", f.Kind, f.Subject(), err)
		default:
			all = append(all, Mend{Finding: f, Plan: p})
		}
	}
	return all, nil
}

// PlanMend plans to put one finding right, by itself. It answers a *Refusal where that cannot
// be, with the code InOrder where there is nothing to mend any more.
func PlanMend(ctx context.Context, t *dynamo.Table, f check.Finding) (*Plan, error) {
	return (&mender{t: t, judge: t.Judge, alone: true}).plan(ctx, f)
}

// PlanMendTo is PlanMend of a counter that holds no number: it is to hold this one,
// or, where to is nil, the one that its value tells.
func PlanMendTo(ctx context.Context, t *dynamo.Table, f check.Finding, to *big.Int) (*Plan, error) {
	return (&mender{t: t, judge: t.Judge, alone: true, to: to}).plan(ctx, f)
}

// mender plans the repairs of one table.
type mender struct {
	t     *dynamo.Table
	judge func(context.Context, *dynamo.Relation) (*dynamo.Relation, error)
	alone bool
	to    *big.Int // of a counter that holds no number
}

func (m *mender) plan(ctx context.Context, f check.Finding) (*Plan, error) {
	if f.Table != m.t.Name || (f.TableID != "" && m.t.ID != "" && f.TableID != m.t.ID) {
		return nil, &dynamo.Error{
			Kind: dynamo.Usage, Op: "mending " + f.Table, Why: "the finding is of another table: " + f.Table + " " + f.TableID,
			Do: "check " + m.t.Name + " again, and mend what that finds; nothing was sent",
		}
	}
	switch f.Kind {
	case check.DuplicateValue:
		return nil, refusal(ByHand, "several accounts hold the %s \"%s\": who keeps it is for people to decide", f.Constraint, f.Value)
	case check.DuplicateID:
		return nil, refusal(ByHand, "several items carry the id %s: which of them keeps it is for people to decide", f.ID)
	case check.CounterUnsafe:
		return nil, refusal(ByHand, "the counter %s says more than 2^53 − 1: only programs that read it in full can mend that", f.Counter)
	case check.CounterBehind, check.CounterMissing, check.CounterNotNumber, check.CounterOffStep:
		return m.counter(ctx, f)
	case check.MissingLock:
		return m.missing(ctx, f)
	case check.ExpiringAccount:
		key, err := m.account(f)
		if err != nil {
			return nil, err
		}
		return PlanExpire(ctx, m.t, key)
	}
	return m.lock(ctx, f)
}

// lock plans what is done about a lock that exists.
func (m *mender) lock(ctx context.Context, f check.Finding) (*Plan, error) {
	if f.Kind == check.MalformedLock && !m.alone {
		return nil, refusal(ByHand, "a malformed lock is never mended among others: look at it, and release it by itself")
	}
	if f.SuspectLayout && !m.alone {
		return nil, refusal(ByHand, "so many %s locks are orphaned that the layout may be what is wrong: none is released among others", f.Constraint)
	}
	rel, err := m.relation(ctx, f)
	if err != nil {
		return nil, err
	}
	switch f.Kind {
	case check.OrphanedLock, check.StaleLock, check.MalformedLock:
		now, err := m.judge(ctx, rel)
		if err != nil {
			return nil, err
		}
		p, err := planRelease(m.t, now)
		return p, gone(err)
	case check.ForeignLock:
		key, err := m.account(f)
		if err != nil {
			return nil, err
		}
		rel.Account = &dynamo.Account{Key: key}
		return PlanGive(ctx, m.t, rel)
	case check.UnnormalisedLock:
		key, err := m.account(f)
		if err != nil {
			return nil, err
		}
		return PlanReplace(ctx, m.t, rel, key) // without the wrong lock the right one is missing still
	}
	return nil, refusal(ByHand, "nothing is known that mends a finding of the kind %q", f.Kind)
}

// gone makes one of two refusals: a lock that was to go and is not there is in
// order.
func gone(err error) error {
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == Absent {
		return refusal(InOrder, "%s", refused.Reasons[0].Text)
	}
	return err
}

// missing plans to put a lock that an account calls for. Its key is the one that
// the account's value calls for now.
func (m *mender) missing(ctx context.Context, f check.Finding) (*Plan, error) {
	key, err := m.account(f)
	if err != nil {
		return nil, err
	}
	kind, a, err := m.t.AccountAt(ctx, key)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, refusal(InOrder, "the account %s is gone", key)
	}
	for _, rel := range m.t.Relations(kind, a) {
		if rel.Constraint.Name != f.Constraint || !says(f, rel.Value, rel.Lock.Key) {
			continue
		}
		p, err := PlanRecreate(ctx, m.t, rel)
		if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == Changed {
			return nil, refusal(InOrder, "%s", refused.Reasons[0].Text)
		}
		return p, err
	}
	return nil, refusal(InOrder, "%s no longer holds the %s \"%s\"", key, f.Constraint, f.Value)
}

// account is the key of the one account that a finding is about.
func (m *mender) account(f check.Finding) (attr.Key, error) {
	if len(f.Accounts) != 1 {
		return attr.Key{}, refusal(ByHand, "the finding names %d accounts, and one is what can be mended", len(f.Accounts))
	}
	key, ok := m.t.Schema.KeyOf(f.Accounts[0])
	if !ok {
		return key, broken(f)
	}
	return key, nil
}

// relation is the lock that a finding is about. Its key is not believed: it is
// taken apart and made again by the layout.
func (m *mender) relation(ctx context.Context, f check.Finding) (*dynamo.Relation, error) {
	_, con := m.t.Layout.Constraint(f.Constraint)
	if m.t.Layout.Empty() {
		return nil, m.t.NoLayout("mending " + f.Table)
	}
	if con == nil || (f.LockTable != "" && f.LockTable != con.LockTable(m.t.Name)) {
		return nil, &dynamo.Error{Kind: dynamo.Usage, Op: "mending " + f.Table, Why: fmt.Sprintf("the layout %s has no constraint %q with such locks", m.t.Layout.Name, f.Constraint), Do: "name the layout that it was checked with, by --layout; nothing was sent"}
	}
	table := con.LockTable(m.t.Name)
	schema := m.t.SchemaOf(table)
	key, ok := schema.KeyOf(f.Lock)
	if !ok {
		return nil, broken(f)
	}
	if f.Kind == check.MalformedLock {
		return m.malformed(ctx, f, table, key)
	}
	v, vars, ok := con.ParseLock(schema, key)
	if !ok {
		return nil, broken(f)
	}
	again, err := con.LockKey(schema, v, vars)
	if err != nil || !again.Equal(key) || (f.Kind != check.UnnormalisedLock && !says(f, v, key)) {
		return nil, broken(f)
	}
	return &dynamo.Relation{Constraint: con, Value: v, Lock: dynamo.Lock{Table: table, Key: key}}, nil
}

// malformed is a lock whose key the layout makes of no value: it must still be one
// that the layout takes for that.
func (m *mender) malformed(ctx context.Context, f check.Finding, table string, key attr.Key) (*dynamo.Relation, error) {
	items, err := m.t.Witness().Read(ctx, table, []attr.Key{key})
	if err != nil {
		return nil, err
	}
	item := items[key.ID()]
	if item == nil {
		return nil, refusal(InOrder, "there is no lock %s", key)
	}
	rel, err := m.t.LockAt(f.Constraint, table, item)
	if err != nil || rel.Verdict != dynamo.Malformed {
		return nil, broken(f)
	}
	return rel, nil
}

// says reports whether a finding's value is this one. JSON cannot hold bytes that
// are no text: then the lock's key, which is in base 64, tells.
func says(f check.Finding, v string, key attr.Key) bool {
	return v == f.Value || (string([]rune(v)) == f.Value && key.Item().Equal(f.Lock))
}

// broken is the error of a finding that does not fit the table.
func broken(f check.Finding) error {
	return refusal(ByHand, "the finding does not fit the table: its key is not one that the layout makes of \"%s\"", f.Subject())
}
