package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/client"
)

// keyedID names the value of a row whose lock's key has the account's id: rows of one value have
// the same. It is empty for other rows.
func (v *values) keyedID(rel *Relation) string {
	if rel.Account == nil || rel.err != nil || !rel.Constraint.KeyedByAccount() {
		return ""
	}
	kind, _ := v.b.t.Match.account(rel.Account.Item)
	scope, ok := "", false
	if kind != nil {
		scope, ok = kind.ScopeOf(rel.Constraint, v.b.t.Schema, rel.Account.Item)
	}
	if !ok {
		return ""
	}
	return rel.Constraint.Name + "\x00" + scope + "\x00" + rel.Value
}

// takeKeyed takes in a row of a value of which each account has a lock of its own.
func (v *values) takeKeyed(rel *Relation) {
	id := v.keyedID(rel)
	if id == "" {
		return
	}
	if v.keyed == nil {
		v.keyed = map[string][]*Relation{}
	}
	if v.keyed[id] = append(v.keyed[id], rel); len(v.keyed[id]) > 1 && !slices.Contains(v.shared, id) {
		v.shared = append(v.shared, id)
	}
}

// judgeKeyed finds duplicates among values of which each account has a lock of its own: each row
// is held, and two accounts hold one value.
func (v *values) judgeKeyed(ctx context.Context) error {
	for len(v.shared) > 0 {
		if err := v.readKeyed(ctx, v.keyed[v.shared[0]]); err != nil {
			return err
		}
		v.shared = v.shared[1:]
	}
	return nil
}

// readKeyed reads the accounts of one value together.
func (v *values) readKeyed(ctx context.Context, rows []*Relation) error {
	t, id := v.b.t, v.keyedID(rows[0])
	rows = slices.Clone(rows[:min(len(rows), mostHolders)])
	var places []client.Address
	for _, row := range rows {
		places = append(places, client.Address{Table: t.Name, Key: row.Account.Key})
	}
	items, apart, err := v.b.r.Together(ctx, places)
	if client.KindOf(err) == client.Conflict {
		return nil // each row stays as its own lock has it
	}
	if err != nil {
		return err
	}
	var holders []Account
	for n, item := range items {
		_, a := t.Match.account(item)
		if a == nil {
			continue
		}
		now := &Relation{Constraint: rows[n].Constraint, Value: rows[n].Value, Account: a}
		if v.keyedID(now) == id && slices.Contains(now.Constraint.AppendValues(nil, item), now.Value) {
			holders = append(holders, *a)
		}
	}
	if len(holders) < 2 {
		return nil
	}
	for _, row := range rows {
		if row.Unjudged || row.Verdict != Held && row.Verdict != Duplicate {
			continue
		}
		now := *row
		now.Claimants, now.Judgement = holders, JudgeUse(UseEvidence{Accounts: len(holders), Apart: apart})
		v.replace(row, &now)
	}
	return nil
}
