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
func (v *values) share(r *row) {
	id := v.sharedID(r.rel)
	if id == "" {
		return
	}
	v.shared[id] = append(v.shared[id], r)
	if (r.rel.Constraint.Lockless() || len(v.shared[id]) > 1) && !slices.Contains(v.due, id) {
		v.due = append(v.due, id)
	}
}

// takeUnlocked makes the rows of an account's values that no locks keep.
func (v *values) takeUnlocked(kind *layout.Account, a *Account) (rows []*row) {
	for _, c := range kind.Unlocked {
		for _, text := range c.AppendValues(nil, a.Item) {
			rel := &Relation{Constraint: c, Value: text, Account: a, Claimants: []Account{*a}, Judgement: notYet(whyHolders)}
			place := &row{rel}
			v.share(place)
			rows = append(rows, place)
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
			rows[0].renew().Judgement = JudgeUse(UseEvidence{Accounts: 1})
			continue
		}
		some, lockless := rows[:min(len(rows), mostHolders)], rows[0].rel.Constraint.Lockless()
		if !lockless || slices.ContainsFunc(some, func(r *row) bool { return r.rel.Unjudged }) {
			if err := v.readHolders(ctx, v.due[0], some); err != nil {
				return err
			}
		}
		for _, r := range rows[len(some):] {
			if first := rows[0].rel; lockless && r.rel.Unjudged {
				now := r.renew()
				if len(first.Claimants) > 1 {
					now.Claimants, now.more = first.Claimants, true
				}
				now.Judgement = JudgeUse(UseEvidence{Accounts: len(now.Claimants), Scanned: true})
			}
		}
	}
	return nil
}

// readHolders reads the accounts of rows of one value together, and judges the rows.
func (v *values) readHolders(ctx context.Context, id string, rows []*row) error {
	var keys []attr.Key
	for _, r := range rows {
		keys = append(keys, r.rel.Account.Key)
	}
	items, apart, err := v.b.r.Together(ctx, addresses(v.b.t.Name, keys))
	busy := client.KindOf(err) == client.Conflict // each was met with the value, at a time of its own
	if err != nil && !busy {
		return err
	}
	holds := make([]bool, len(rows))
	var holders []Account
	for n, r := range rows {
		rel, a := r.rel, r.rel.Account
		if holds[n] = busy; !busy {
			var kind *layout.Account
			kind, a = v.b.t.Match.account(items[n])
			holds[n] = a != nil && slices.Contains(kind.AllCompared(), rel.Constraint) &&
				slices.Contains(rel.Constraint.AppendValues(nil, a.Item), rel.Value) &&
				v.sharedID(&Relation{Constraint: rel.Constraint, Value: rel.Value, Account: a}) == id
		}
		if holds[n] {
			holders = append(holders, *a)
		}
	}
	e := UseEvidence{Accounts: len(holders), Apart: apart, Scanned: busy}
	if !rows[0].rel.Constraint.Lockless() {
		// Each row stays as its own lock has it, unless several accounts hold the value.
		for _, r := range rows {
			if !busy && len(holders) > 1 && !r.rel.Unjudged && (r.rel.Verdict == Held || r.rel.Verdict == Duplicate) {
				now := r.renew()
				now.Claimants, now.Judgement = holders, JudgeUse(e)
			}
		}
		return nil
	}
	var reads []client.Read
	if !busy {
		reads = []client.Read{{
			At: time.Now(), Table: v.b.t.Name, What: phrase.Count(len(rows), "account"),
			Found: phrase.Number(len(holders)) + " hold it", How: "transaction",
		}}
	}
	for n, r := range rows {
		now := r.renew()
		now.Claimants, now.Reads, now.more, now.Judgement = holders, reads, len(holders) == mostHolders, JudgeUse(e)
		if !holds[n] {
			now.Claimants = nil
			now.Judgement = JudgeUse(UseEvidence{OthersWhy: "it changed while it was read; read the table again"})
		}
	}
	return nil
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
			other := &row{&Relation{
				Constraint: rel.Constraint, Value: rel.Value, Account: &rel.Claimants[n], Judgement: notYet(whyHolders),
			}}
			rows := v.shared[rel.Subject()]
			if len(rows) > 0 && !slices.ContainsFunc(rows, func(r *row) bool {
				return r.rel.Account.Key.Equal(other.rel.Account.Key)
			}) {
				v.shared[rel.Subject()] = append(rows, other)
			}
		}
	}
	err := v.judgeShared(ctx)
	var rels []*Relation
	for _, r := range own {
		rels = append(rels, r.rel)
	}
	return rels, err
}
