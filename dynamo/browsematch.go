package dynamo

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// match gives fresh rows their locks: those read already, the others by key. It
// judges them, and the rows that share a lock with them again.
func (b *Browser) match(ctx context.Context, fresh []*Relation) error {
	want := map[string][]attr.Key{}
	for _, rel := range fresh {
		if rel.err != nil {
			rel.conclude(b.t.Match.evidence(rel, nil, OthersAbsent))
			continue
		}
		if _, ok := b.locks[lockID(rel.Lock.Table, rel.Lock.Key)]; !ok {
			want[rel.Lock.Table] = append(want[rel.Lock.Table], rel.Lock.Key)
		}
	}
	found, err := b.r.GetTables(ctx, want, true)
	if err != nil {
		return err
	}
	var open []*Relation
	for _, rel := range fresh {
		if rel.err != nil {
			continue
		}
		id := lockID(rel.Lock.Table, rel.Lock.Key)
		if shown := b.unclaimed[id]; shown != nil && shown.shown {
			b.adopt(shown.row, rel)
		}
		delete(b.unclaimed, id)
		var item attr.Item
		if lock, ok := b.locks[id]; ok {
			item = lock.Item
		} else {
			item = found[rel.Lock.Table][rel.Lock.Key.ID()]
		}
		if shared := b.claims[id]; len(shared) > 1 {
			if err := b.duplicate(ctx, shared); err != nil {
				return err
			}
			continue
		}
		if !newLockReader(b.t, b.r).compare(rel, item) {
			open = append(open, rel)
		}
	}
	return b.settle(ctx, open)
}

// settleItems is how many items are read together to settle rows.
const settleItems = 20

// settle reads rows that are not held again, each with its lock and accounts at one moment.
func (b *Browser) settle(ctx context.Context, rows []*Relation) error {
	l := newLockReader(b.t, b.r)
	for len(rows) > 0 {
		n, items := 0, 0
		for n < len(rows) {
			more := 1 + len(l.accountKeys(rows[n]))
			if n > 0 && items+more > settleItems {
				break
			}
			n, items = n+1, items+more
		}
		if err := l.settle(ctx, rows[:n]); err != nil {
			return err
		}
		for _, rel := range rows[:n] {
			if len(rel.Claimants) == 0 && !rel.busy {
				// The account let go of the value since its page was read.
				rel.Claimants = nil
				rel.conclude(b.t.Match.changed(rel))
			}
		}
		rows = rows[n:]
	}
	return nil
}

// duplicate judges rows that claim one lock, all read together.
func (b *Browser) duplicate(ctx context.Context, rows []*Relation) error {
	var keys []attr.Key
	for _, row := range rows {
		if !slices.ContainsFunc(keys, row.Account.Key.Equal) {
			keys = append(keys, row.Account.Key)
		}
	}
	now := *rows[0]
	owner, err := newLockReader(b.t, b.r).snapshot(ctx, &now, keys)
	if err != nil {
		return err
	}
	now.conclude(b.t.Match.evidence(&now, owner, OthersAbsent))
	read := client.Read{At: time.Now(), Table: now.Lock.Table, What: now.Lock.Key.String() + " and " + phrase.Count(len(keys), "account"), Found: lockFound(now.Lock), How: "transaction"}
	for _, row := range rows {
		fresh := *row
		fresh.Lock, fresh.Claimants, fresh.Judgement = now.Lock, now.Claimants, now.Judgement
		fresh.Reads = []client.Read{read}
		if !slices.ContainsFunc(now.Claimants, func(c Account) bool { return c.Key.Equal(row.Account.Key) }) {
			fresh.conclude(b.t.Match.changed(&fresh))
		}
		b.replace(row, &fresh)
	}
	return nil
}

// adopt puts a fresh row where an unclaimed lock stood.
func (b *Browser) adopt(lock, rel *Relation) {
	n := slices.Index(b.view.Relations, rel)
	if n < 0 {
		return
	}
	b.view.Relations = slices.Delete(slices.Clone(b.view.Relations), n, n+1)
	for _, s := range b.unclaimed {
		if s.page == b.pages && s.at > n {
			s.at--
		}
	}
	b.replace(lock, rel)
}

// replace swaps a row that earlier Views share for a new one.
func (b *Browser) replace(old, fresh *Relation) {
	b.view.Relations = slices.Clone(b.view.Relations)
	if n := slices.Index(b.view.Relations, old); n >= 0 {
		b.view.Relations[n] = fresh
	}
	id := old.Subject()
	if n := slices.Index(b.claims[id], old); n >= 0 {
		b.claims[id] = slices.Clone(b.claims[id])
		b.claims[id][n] = fresh
	}
}
