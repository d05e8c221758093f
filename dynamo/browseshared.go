package dynamo

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// mostHolders is how many accounts of one value are read again together. Where more hold it,
// that is known already, and each further page would pay for all of them again.
const mostHolders = 10

// sharedID names the value of a row whose constraint does not tell by locks that two accounts hold
// one value: there are no locks, or each account has its own. Rows of one value have the same. It
// is empty for other rows.
func (v *values) sharedID(rel *Relation) string {
	switch {
	case rel.Account == nil || rel.err != nil:
		return ""
	case rel.Constraint.Lockless():
		return rel.Subject()
	case !rel.Constraint.KeyedByAccount():
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

// share takes in a row of a value that other accounts may hold, too.
func (v *values) share(rel *Relation) {
	id := v.sharedID(rel)
	if id == "" {
		return
	}
	v.shared[id] = append(v.shared[id], rel)
	if (rel.Constraint.Lockless() || len(v.shared[id]) > 1) && !slices.Contains(v.due, id) {
		v.due = append(v.due, id)
	}
}

// takeUnlocked makes the rows of an account's values that no locks keep.
func (v *values) takeUnlocked(kind *layout.Account, a *Account) (rows []*Relation) {
	for _, c := range kind.Unlocked {
		for _, text := range c.AppendValues(nil, a.Item) {
			rel := &Relation{Constraint: c, Value: text, Account: a, Claimants: []Account{*a}, Judgement: notYet(whyHolders)}
			v.share(rel)
			rows = append(rows, rel)
		}
	}
	return rows
}

// judgeShared judges the values that are due. Accounts that hold the same value are read again
// together: one may have taken the value after the other gave it up.
func (v *values) judgeShared(ctx context.Context) error {
	for ; len(v.due) > 0; v.due = v.due[1:] {
		rows := v.shared[v.due[0]]
		if len(rows) == 1 {
			rows[0].Judgement = JudgeUse(UseEvidence{Accounts: 1})
			continue
		}
		some, lockless := slices.Clone(rows[:min(len(rows), mostHolders)]), rows[0].Constraint.Lockless()
		if !lockless || slices.ContainsFunc(some, func(row *Relation) bool { return row.Unjudged }) {
			if err := v.readHolders(ctx, v.due[0], some); err != nil {
				return err
			}
		}
		for _, row := range rows[len(some):] {
			if first := v.shared[v.due[0]][0]; lockless && row.Unjudged {
				if len(first.Claimants) > 1 {
					row.Claimants, row.more = first.Claimants, true
				}
				row.Judgement = JudgeUse(UseEvidence{Accounts: len(row.Claimants), Scanned: true})
			}
		}
	}
	return nil
}

// readHolders reads the accounts of rows of one value together, and judges the rows. Rows of
// earlier Views are replaced, the others are nobody's yet.
func (v *values) readHolders(ctx context.Context, id string, rows []*Relation) error {
	var keys []attr.Key
	for _, row := range rows {
		keys = append(keys, row.Account.Key)
	}
	items, apart, err := v.b.r.Together(ctx, addresses(v.b.t.Name, keys))
	busy := client.KindOf(err) == client.Conflict // each was met with the value, at a time of its own
	if err != nil && !busy {
		return err
	}
	holds := make([]bool, len(rows))
	var holders []Account
	for n, row := range rows {
		a := row.Account
		if holds[n] = busy; !busy {
			var kind *layout.Account
			kind, a = v.b.t.Match.account(items[n])
			holds[n] = a != nil && slices.Contains(kind.AllCompared(), row.Constraint) &&
				slices.Contains(row.Constraint.AppendValues(nil, a.Item), row.Value) &&
				v.sharedID(&Relation{Constraint: row.Constraint, Value: row.Value, Account: a}) == id
		}
		if holds[n] {
			holders = append(holders, *a)
		}
	}
	if !rows[0].Constraint.Lockless() {
		if !busy && len(holders) > 1 { // else each row stays as its own lock has it
			v.sharedByLocked(rows, holders, apart)
		}
		return nil
	}
	read := client.Read{
		At:    time.Now(),
		Table: v.b.t.Name,
		What:  phrase.Count(len(rows), "account"),
		Found: phrase.Number(len(holders)) + " hold it",
		How:   "transaction",
	}
	for n, row := range rows {
		now := row
		if !row.Unjudged {
			copied := *row
			now = &copied
		}
		e := UseEvidence{Accounts: len(holders), Apart: apart, Scanned: busy}
		now.Claimants, now.Reads, now.more = holders, []client.Read{read}, len(holders) == mostHolders
		switch {
		case busy:
			now.Reads = nil
		case !holds[n]:
			now.Claimants, e = nil, UseEvidence{OthersWhy: "it changed while it was read; read the table again"}
		}
		if now.Judgement = JudgeUse(e); now != row {
			v.replace(row, now)
		}
	}
	return nil
}

// sharedByLocked makes duplicates of rows whose accounts hold one value, each with a lock of its
// own.
func (v *values) sharedByLocked(rows []*Relation, holders []Account, apart bool) {
	for _, row := range rows {
		if row.Unjudged || row.Verdict != Held && row.Verdict != Duplicate {
			continue
		}
		now := *row
		now.Claimants, now.Judgement = holders, JudgeUse(UseEvidence{Accounts: len(holders), Apart: apart})
		v.replace(row, &now)
	}
}

// inspectUnlocked are the values of one account that no locks keep, judged together with the
// accounts that were seen with them before.
func inspectUnlocked(
	ctx context.Context, t *Table, r *client.Reader, kind *layout.Account, a *Account, seen []*Relation,
) ([]*Relation, error) {
	v := newValues(&Browser{t: t, r: r})
	own := v.takeUnlocked(kind, a)
	for _, rel := range seen {
		for n := range rel.Claimants {
			other := &Relation{
				Constraint: rel.Constraint, Value: rel.Value, Account: &rel.Claimants[n], Judgement: notYet(whyHolders),
			}
			rows := v.shared[rel.Subject()]
			if len(rows) > 0 && !slices.ContainsFunc(rows, func(row *Relation) bool {
				return row.Account.Key.Equal(other.Account.Key)
			}) {
				v.shared[rel.Subject()] = append(rows, other)
			}
		}
	}
	return own, v.judgeShared(ctx)
}
