package dynamo

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// snapshotLimit is how many items TransactGetItems takes.
const snapshotLimit = 100

// moment reads locks, accounts and owners together. It answers relations that are not
// judged yet, and the account that each lock names, if it exists. Whom a lock names is
// known from what was read before: where it names somebody else by now, it is read again
// together with them.
func (t *Table) moment(ctx context.Context, r *client.Reader, accounts []attr.Key, rels []*Relation) ([]*Relation, []*Account, error) {
	for attempt := 1; ; attempt++ {
		fresh, owners, err := t.readTogether(ctx, r, accounts, rels)
		if err != nil {
			return nil, nil, err
		}
		moved := false
		for n, rel := range fresh {
			rel.handed = rel.Lock.Owner != "" && rel.Lock.Owner != rels[n].Lock.Owner && owners[n] == nil
			moved = moved || rel.handed
		}
		if !moved || attempt == handovers {
			return fresh, owners, nil
		}
		rels = fresh
	}
}

// handovers is how often a lock may have another owner each time it is read.
const handovers = 4

func (t *Table) readTogether(ctx context.Context, r *client.Reader, accounts []attr.Key, rels []*Relation) ([]*Relation, []*Account, error) {
	var places []client.Place
	for _, rel := range rels {
		places = append(places, client.Place{Table: rel.Lock.Table, Key: rel.Lock.Key})
	}
	var keys []attr.Key
	add := func(k attr.Key) {
		lock := slices.ContainsFunc(rels, func(rel *Relation) bool { return rel.Lock.Table == t.Name && rel.Lock.Key.Equal(k) })
		if !lock && !slices.ContainsFunc(keys, k.Equal) && len(places) < snapshotLimit {
			keys, places = append(keys, k), append(places, client.Place{Table: t.Name, Key: k})
		}
	}
	for _, rel := range rels {
		for _, k := range t.ownerKeys(rel.Constraint, rel.Lock) {
			add(k)
		}
	}
	for _, k := range accounts {
		add(k)
	}
	items, apart, err := r.Together(ctx, places)
	if err != nil {
		return nil, nil, err
	}
	fresh, owners := make([]*Relation, len(rels)), make([]*Account, len(rels))
	for n, old := range rels {
		rel := &Relation{Constraint: old.Constraint, Value: old.Value, Lock: LockAt(old, items[n]), apart: apart}
		for _, item := range items[len(rels):] {
			_, a := t.account(item)
			if a == nil {
				continue
			}
			if t.claims(item, rel.Lock) {
				rel.Claimants = append(rel.Claimants, *a)
			}
			if t.names(rel.Constraint, rel.Lock, a) {
				owners[n] = a
			}
		}
		fresh[n] = rel
	}
	return fresh, owners, nil
}

// snapshot reads a lock and accounts together, refreshes the relation's lock and
// claimants from that moment, and returns the account that the lock names.
func (t *Table) snapshot(ctx context.Context, r *client.Reader, rel *Relation, accounts []attr.Key) (*Account, error) {
	fresh, owners, err := t.moment(ctx, r, accounts, []*Relation{rel})
	if err != nil {
		return nil, err
	}
	rel.Lock, rel.Claimants, rel.apart, rel.handed = fresh[0].Lock, fresh[0].Claimants, fresh[0].apart, fresh[0].handed
	return owners[0], nil
}

// values relates everything that an account holds to its locks. known are
// relations judged already, called who else calls for a lock.
func (t *Table) values(ctx context.Context, r *client.Reader, a Account, known []*Relation, called map[string][]attr.Key) ([]*Relation, error) {
	kind, _ := t.account(a.Item)
	if kind == nil {
		return nil, nil
	}
	var out []*Relation
	byTable := map[string][]attr.Key{}
	for _, claim := range kind.Claims(t.Name, t.SchemaOf, a.Item) {
		rel := &Relation{Constraint: claim.Constraint, Value: claim.Value, Account: &a, Claimants: []Account{a}, err: claim.Err}
		for _, k := range known {
			if k.Constraint == claim.Constraint && k.err == nil && claim.Err == nil && k.Lock.Key.Equal(claim.Key) {
				rel = k
			}
		}
		if rel.Verdict == "" && claim.Err == nil {
			rel.Lock = Lock{Table: claim.Constraint.LockTable(t.Name), Key: claim.Key}
			byTable[rel.Lock.Table] = append(byTable[rel.Lock.Table], claim.Key)
		}
		out = append(out, rel)
	}
	found, err := r.GetTables(ctx, byTable)
	if err != nil {
		return nil, err
	}
	for _, rel := range out {
		switch {
		case rel.Verdict != "":
		case rel.err != nil:
			rel.conclude(t.evidence(rel, nil, OthersAbsent))
		default:
			for _, k := range called[lockID(rel.Lock.Table, rel.Lock.Key)] {
				if !k.Equal(a.Key) {
					rel.Claimants = append(rel.Claimants, Account{Key: k})
				}
			}
			if err := t.relate(ctx, r, rel, found[rel.Lock.Table][rel.Lock.Key.ID()]); err != nil && !t.contended(rel, err) {
				return nil, err
			}
		}
	}
	return out, nil
}

// relate judges an account's value from what was read at its lock's key. What
// looks broken is read again, lock and account together: a transaction of the
// application may lie between two reads.
func (t *Table) relate(ctx context.Context, r *client.Reader, rel *Relation, lock attr.Item) error {
	rel.Lock = lockOf(rel.Constraint, rel.Lock.Table, rel.Lock.Key, lock)
	rel.conclude(t.evidence(rel, nil, OthersAbsent))
	if rel.Verdict == Held {
		return nil
	}
	keys := []attr.Key{}
	for _, c := range rel.Claimants {
		keys = append(keys, c.Key)
	}
	for _, k := range t.ownerKeys(rel.Constraint, rel.Lock) {
		if !slices.ContainsFunc(keys, k.Equal) {
			keys = append(keys, k)
		}
	}
	owner, err := t.snapshot(ctx, r, rel, keys)
	if err != nil {
		return err
	}
	rel.Reads = append(rel.Reads, client.Read{At: time.Now(), Table: rel.Lock.Table, What: rel.Lock.Key.String() + " and " + phrase.Count(len(keys), "account"), Found: lockFound(rel.Lock), How: "transaction"})
	rel.conclude(t.evidence(rel, owner, OthersAbsent))
	return nil
}
