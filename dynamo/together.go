package dynamo

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// LockReader reads locks together with the accounts that may claim them.
type LockReader struct {
	t *Table
	r *client.Reader
}

// NewLockReader returns a LockReader that uses r. The read units count as units of r.
func NewLockReader(t *Table, r *client.Reader) LockReader { return LockReader{t, r} }

// Addresses returns the addresses of keys in one table.
func Addresses(table string, keys []attr.Key) []client.Address {
	places := make([]client.Address, len(keys))
	for n, k := range keys {
		places[n] = client.Address{Table: table, Key: k}
	}
	return places
}

// SnapshotLimit is the greatest number of items that one TransactGetItems may read.
const SnapshotLimit = 100

// moment reads locks, accounts and owners together. It returns new relations without verdicts, and for each
// relation the account that its lock names, if that account exists. At first, moment reads the owners that the
// earlier readings of the locks name. If a lock now names another owner, moment reads everything again, with that
// owner.
func (l LockReader) moment(
	ctx context.Context, accounts []attr.Key, rels []*verdict.Relation,
) ([]*verdict.Relation, []*schema.Account, error) {
	for attempt := 1; ; attempt++ {
		fresh, owners, err := l.readTogether(ctx, accounts, rels)
		if err != nil {
			return nil, nil, err
		}
		moved := false
		for n, rel := range fresh {
			rel.Handed = rel.Lock.Owner != "" && rel.Lock.Owner != rels[n].Lock.Owner && owners[n] == nil
			moved = moved || rel.Handed
		}
		if !moved || attempt == handovers {
			return fresh, owners, nil
		}
		rels = fresh
	}
}

// handovers is the greatest number of readings by moment. If the last reading finds yet another owner in a lock,
// moment sets Handed in the new relation.
const handovers = 4

// lockPlaces lists the addresses of all forms of the relations' locks. It lists each address once, since a
// transaction may name an item only once. The second result has, for each relation, the indexes of its
// addresses. The first index belongs to the lock's own key.
func lockPlaces(rels []*verdict.Relation) (places []client.Address, of [][]int) {
	of = make([][]int, len(rels))
	for n, rel := range rels {
		for _, k := range append([]attr.Key{rel.Lock.Key}, rel.Constraint.Forms(rel.Lock.Key)...) {
			at := slices.IndexFunc(places, func(have client.Address) bool {
				return have.Table == rel.Lock.Table && have.Key.Equal(k)
			})
			if at < 0 {
				at = len(places)
				places = append(places, client.Address{Table: rel.Lock.Table, Key: k})
			}
			of[n] = append(of[n], at)
		}
	}
	return places, of
}

func (l LockReader) readTogether(
	ctx context.Context, accounts []attr.Key, rels []*verdict.Relation,
) ([]*verdict.Relation, []*schema.Account, error) {
	places, forms := lockPlaces(rels)
	var all []int // the indexes of the accounts
	add := func(k attr.Key) {
		at := slices.IndexFunc(places, func(have client.Address) bool {
			return have.Table == l.t.Name && have.Key.Equal(k)
		})
		if at < 0 && len(places) < SnapshotLimit {
			at, places = len(places), append(places, client.Address{Table: l.t.Name, Key: k})
		}
		if at >= 0 && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	for _, rel := range rels {
		for _, k := range l.t.OwnerKeys(rel.Constraint, rel.Lock) {
			add(k)
		}
	}
	for _, k := range accounts {
		add(k)
	}
	items, apart, err := l.r.Together(ctx, places)
	if err != nil {
		return nil, nil, err
	}
	fresh, owners := make([]*verdict.Relation, len(rels)), make([]*schema.Account, len(rels))
	for n, old := range rels {
		rel := &verdict.Relation{
			Constraint: old.Constraint,
			Value:      old.Value,
			Typed:      old.Typed,
			Malformed:  old.Malformed,
			Lock:       schema.LockOf(old.Constraint, old.Lock.Table, old.Lock.Key, items[forms[n][0]]),
			Apart:      apart,
		}
		for _, at := range forms[n][1:] {
			rel.Lock.InForm(rel.Constraint, places[at].Key, items[at])
		}
		fresh[n] = rel
	}
	for _, at := range all {
		item := items[at]
		kind, a := l.t.AccountOf(item)
		if a == nil || slices.ContainsFunc(fresh, func(rel *verdict.Relation) bool {
			return rel.Lock.Exists && rel.Lock.Table == l.t.Name && rel.Lock.Key.Equal(a.Key)
		}) {
			continue
		}
		claims := l.t.ClaimsBy(kind, item)
		for n, rel := range fresh {
			if l.t.HasClaim(claims, rel.Lock) {
				rel.Claimants = append(rel.Claimants, *a)
			}
			if l.t.Names(rel.Constraint, rel.Lock, a) {
				owners[n] = a
			}
		}
	}
	return fresh, owners, nil
}

// Snapshot reads a relation's lock together with accounts, at one moment. It updates the lock and the claimants
// of rel, and returns the account that the lock names, or nil if that account does not exist.
func (l LockReader) Snapshot(ctx context.Context, rel *verdict.Relation, accounts []attr.Key) (*schema.Account, error) {
	fresh, owners, err := l.moment(ctx, accounts, []*verdict.Relation{rel})
	if err != nil {
		return nil, err
	}
	rel.Lock, rel.Claimants, rel.Apart, rel.Handed = fresh[0].Lock, fresh[0].Claimants, fresh[0].Apart, fresh[0].Handed
	return owners[0], nil
}

// Values pairs all values of an account with their locks, and judges these relations. It reuses judged
// relations from known. called has the other accounts that claim the same locks, by LockID.
func (l LockReader) Values(
	ctx context.Context, a schema.Account, known []*verdict.Relation, called map[string]ClaimedBy,
) ([]*verdict.Relation, error) {
	kind, _ := l.t.AccountOf(a.Item)
	if kind == nil {
		return nil, nil
	}
	var out []*verdict.Relation
	byTable := map[string][]attr.Key{}
	for _, claim := range l.t.ClaimsBy(kind, a.Item) {
		rel := &verdict.Relation{
			Constraint: claim.Constraint,
			Value:      claim.Value,
			Account:    &a,
			Claimants:  []schema.Account{a},
			Impossible: claim.Err,
		}
		for _, k := range known {
			if k.Constraint == claim.Constraint && k.Impossible == nil && claim.IsLock(k.Lock.Key) {
				rel = k
			}
		}
		if rel.Verdict == "" && claim.Err == nil {
			rel.Lock = schema.Lock{Table: l.t.LockTable(claim.Constraint), Key: claim.Key}
			byTable[rel.Lock.Table] = append(byTable[rel.Lock.Table], claim.Key)
		}
		out = append(out, rel)
	}
	found, err := l.r.GetTables(ctx, byTable, true)
	if err != nil {
		return nil, err
	}
	for _, rel := range out {
		switch {
		case rel.Verdict != "":
		case rel.Impossible != nil:
			rel.Conclude(l.t.Facts(rel, nil, verdict.OthersAbsent))
		default:
			by := called[schema.LockID(rel.Lock.Table, rel.Lock.Key)]
			rel.MoreClaimants = by.More
			for _, k := range by.First {
				if !k.Equal(a.Key) {
					rel.Claimants = append(rel.Claimants, schema.Account{Key: k})
				}
			}
			if err := l.relate(ctx, rel, found[rel.Lock.Table][rel.Lock.Key.ID()]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// accountKeys lists the keys of the accounts that claim a relation's lock, or that the lock names.
func (l LockReader) accountKeys(rel *verdict.Relation) []attr.Key {
	var keys []attr.Key
	for _, c := range rel.Claimants {
		keys = append(keys, c.Key)
	}
	for _, k := range l.t.OwnerKeys(rel.Constraint, rel.Lock) {
		if !slices.ContainsFunc(keys, k.Equal) {
			keys = append(keys, k)
		}
	}
	return keys
}

// relate judges an account's value by the lock item that was already read. If that is not enough, it reads the
// lock and the accounts together.
func (l LockReader) relate(ctx context.Context, rel *verdict.Relation, lock attr.Item) error {
	rel.Lock = schema.LockOf(rel.Constraint, rel.Lock.Table, rel.Lock.Key, lock)
	e := l.t.Facts(rel, nil, verdict.OthersAbsent)
	e.Hasty = true
	if rel.Conclude(e); !rel.Unjudged {
		return nil
	}
	return l.JudgeTogether(ctx, []*verdict.Relation{rel})
}

// TogetherItems is the greatest number of items that are read together to judge relations.
const TogetherItems = 20

// Fewest chooses the relations for the next reading. That reading may have at most the given number of items
// (most). n is the number of chosen relations, counted from the first. It is at least 1, even if the first
// relation alone exceeds the limit. items is the number of items to read.
func (l LockReader) Fewest(rels []*verdict.Relation, most int) (n, items int) {
	for n < len(rels) {
		more := 1 + len(l.accountKeys(rels[n]))
		if n > 0 && items+more > most {
			break
		}
		n, items = n+1, items+more
	}
	return n, items
}

// JudgeTogether reads the locks and accounts of relations at one moment, and judges the relations.
func (l LockReader) JudgeTogether(ctx context.Context, rels []*verdict.Relation) error {
	accounts := map[*verdict.Relation]int{}
	for _, rel := range rels {
		accounts[rel] = len(l.accountKeys(rel))
	}
	return l.Refresh(ctx, rels, func(rel *verdict.Relation, owner *schema.Account) {
		if !rel.Busy {
			read := LockRead(rel)
			read.What += " and " + phrase.Count(accounts[rel], "account")
			rel.Reads = append(rel.Reads, read)
		}
		rel.Conclude(l.t.Facts(rel, owner, verdict.OthersAbsent))
	})
}

// Refresh reads the locks of relations again. At the same moment it reads the accounts that claim these locks,
// and the accounts that the locks name. After a conflict with writers it reads fewer relations at a time. If a
// single relation has a conflict, that relation becomes Busy and keeps its earlier reading. Refresh calls the
// function judge with each relation and the account that its lock names.
func (l LockReader) Refresh(
	ctx context.Context, rels []*verdict.Relation, judge func(rel *verdict.Relation, owner *schema.Account),
) error {
	if len(rels) == 0 {
		return nil
	}
	var keys []attr.Key
	for _, rel := range rels {
		keys = append(keys, l.accountKeys(rel)...)
	}
	fresh, owners, err := l.moment(ctx, keys, rels)
	if client.KindOf(err) == client.Conflict {
		if half := len(rels) / 2; half > 0 {
			if err := l.Refresh(ctx, rels[:half], judge); err != nil {
				return err
			}
			return l.Refresh(ctx, rels[half:], judge)
		}
		rels[0].Busy = true
		judge(rels[0], nil)
		return nil
	}
	if err != nil {
		return err
	}
	for n, rel := range rels {
		rel.Lock, rel.Claimants, rel.Apart, rel.Handed = fresh[n].Lock, fresh[n].Claimants, fresh[n].Apart, fresh[n].Handed
		rel.Busy = false // an earlier reading may have failed
		judge(rel, owners[n])
	}
	return nil
}

// Contended reports whether err is a Conflict: other programs kept writing to the lock or the accounts of r, so
// these could not be read together. In that case Contended judges r as Busy.
func (l LockReader) Contended(r *verdict.Relation, err error) bool {
	if client.KindOf(err) != client.Conflict {
		return false
	}
	r.Busy = true
	r.Conclude(l.t.Facts(r, nil, verdict.OthersUnknown))
	return true
}

// LockRead returns the record of the last reading of a relation's lock, as evidence for the verdict.
func LockRead(r *verdict.Relation) client.Read {
	return client.Read{
		At: time.Now(), Table: r.Lock.Table, What: r.Lock.Key.String(), Found: LockFound(r.Lock),
		How: HowTogether(r.Apart),
	}
}

// HowTogether returns the text for client.Read.How. apart is true if the items were read one after the other.
func HowTogether(apart bool) string {
	if apart {
		return "consistent"
	}
	return "transaction"
}

// LockFound describes a lock's item in a few words.
func LockFound(l schema.Lock) string {
	switch {
	case l.Other != nil:
		return "an item that is not a lock"
	case !l.Exists:
		return "lock not found"
	case l.Owner != "":
		return "exists, names " + l.Owner
	}
	return "exists, names no owner"
}

// ClaimedBy holds the keys of the first accounts that claim a lock. More counts all further accounts.
type ClaimedBy struct {
	First []attr.Key
	More  int
}

// Add adds an account. If First is full, Add only counts the account.
func (c ClaimedBy) Add(k attr.Key) ClaimedBy {
	if len(c.First) == holders.MostClaimants {
		c.More++
	} else {
		c.First = append(c.First, k)
	}
	return c
}
