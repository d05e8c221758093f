package dynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// judgeUnclaimed shows the locks that nobody claims: those that name an owner
// who can be asked, and, once the whole table is read, all of them.
func (b *Browser) judgeUnclaimed(ctx context.Context, complete bool) error {
	var live []string
	var ask, shown []*unclaimedLock
	byTable := map[string][]attr.Key{}
	for _, id := range b.order {
		s, ok := b.unclaimed[id]
		if !ok {
			continue
		}
		live = append(live, id)
		if s.row != nil && !s.shown {
			shown = append(shown, s) // judged before an error
			continue
		}
		if s.row != nil || (!complete && (s.asked || s.lock.Owner == "")) {
			continue
		}
		ask = append(ask, s)
		byTable[s.lock.Table] = append(byTable[s.lock.Table], s.lock.Key)
		byTable[b.t.Name] = append(byTable[b.t.Name], b.t.Match.ownerKeys(s.c, s.lock)...)
	}
	b.order = live
	now, err := b.r.GetTables(ctx, byTable, true)
	if err != nil {
		return err
	}
	var search *ClaimScan
	if complete {
		search = b.search(ask)
	}
	for _, s := range ask {
		if b.nearlyHeld(s, now) && !complete {
			s.asked = true
			continue // its account's own row will show it
		}
		rel, err := b.judgeOne(ctx, s, now, search)
		if err != nil {
			return err
		}
		if rel == nil {
			delete(b.unclaimed, lockID(s.lock.Table, s.lock.Key)) // released since its page was read
			continue
		}
		s.row = rel
		shown = append(shown, s)
	}
	b.show(shown)
	return nil
}

// nearlyHeld reports whether the account that a lock names claims it.
func (b *Browser) nearlyHeld(s *unclaimedLock, now map[string]map[string]attr.Item) bool {
	for _, k := range b.t.Match.ownerKeys(s.c, s.lock) {
		if item := now[b.t.Name][k.ID()]; item != nil && b.t.Match.claims(item, s.lock) {
			return true
		}
	}
	return false
}

// search looks for what else holds the values of locks, in the items that were read.
func (b *Browser) search(locks []*unclaimedLock) *ClaimScan {
	var rels []*Relation
	for _, s := range locks {
		rels = append(rels, &Relation{Constraint: s.c, Value: s.v, Lock: s.lock})
	}
	scan := b.t.ClaimScan(rels...)
	reader := scan.Reader()
	for _, item := range b.view.Items {
		reader.See(b.t.Name, item)
	}
	reader.Close()
	return scan
}

// judgeOne judges a lock that nobody was seen to claim; nil where it is gone. One
// that names somebody is read again together with that account. search is of all items of
// the table; nil where not all have been read.
func (b *Browser) judgeOne(ctx context.Context, s *unclaimedLock, now map[string]map[string]attr.Item, search *ClaimScan) (*Relation, error) {
	rel := &Relation{Constraint: s.c, Value: s.v, Lock: lockOf(s.c, s.lock.Table, s.lock.Key, now[s.lock.Table][s.lock.Key.ID()]), Malformed: s.bad}
	var owner *Account
	if owners := b.t.Match.ownerKeys(s.c, rel.Lock); len(owners) > 0 {
		var err error
		if owner, err = newLockReader(b.t, b.r).snapshot(ctx, rel, owners); err != nil {
			return nil, err
		}
	}
	if !rel.Lock.Exists {
		return nil, nil
	}
	if len(rel.Claimants) > 0 {
		rel.Account = &rel.Claimants[0]
	}
	e := b.t.Match.evidence(rel, owner, OthersUnread)
	if search != nil {
		e.Others, e.Unsearched = OthersAbsent, b.t.Tables()[1:]
		if len(rel.Claimants) == 0 {
			var err error
			if e.Doubt, err = search.Of(rel).readDoubt(ctx, b.r, nil); err != nil {
				return nil, err
			}
			e.Asks = Undecided(search.Of(rel).Sightings())
		}
	}
	rel.conclude(e)
	rel.Reads = b.evidence(rel, search != nil)
	return rel, nil
}

// show adds rows. Those that nobody has seen yet stand where the scan met them,
// the others at the end: what is on a screen never moves.
func (b *Browser) show(unclaimed []*unclaimedLock) {
	slices.SortStableFunc(unclaimed, func(a, b *unclaimedLock) int { return a.at - b.at })
	for _, s := range unclaimed {
		s.shown = true
	}
	// From the back, so that the places before stay right.
	for _, s := range slices.Backward(unclaimed) {
		if s.page == b.pages {
			b.view.Relations = slices.Insert(b.view.Relations, s.at, s.row)
		}
	}
	for _, s := range unclaimed {
		if s.page != b.pages {
			b.view.Relations = append(b.view.Relations, s.row)
		}
	}
}

func (b *Browser) evidence(rel *Relation, complete bool) []client.Read {
	now := time.Now()
	reads := []client.Read{{At: now, Table: rel.Lock.Table, What: rel.Lock.Key.String(), Found: lockFound(rel.Lock), How: "transaction"}}
	if complete {
		reads = append(reads, client.Read{At: now, Table: b.t.Name, What: "every account", Found: fmt.Sprintf("none of %s calls for it", phrase.Count(b.view.Accounts, "account")), How: "consistent", Whole: true})
	}
	return reads
}
