package browse

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// unclaimedLock is a lock without a claimant among the accounts read so far.
type unclaimedLock struct {
	read verdict.Relation // the lock at its first reading
	// asked is set if the account that the lock names was read and claims the lock. When the page with this account
	// is read, the account's row will show the lock.
	asked bool
	page  int  // pages.group when the lock was read
	row   *row // place among the rows; empty until the lock is judged
}

// asks reports whether judge should judge the lock now: after the whole table was read, or if the lock names an
// owner, which can be read by its key. If the rest of the table will be read soon, judge waits for the page with
// the owner instead.
func (u *unclaimedLocks) asks(s *unclaimedLock) bool {
	soon := u.b.view.Scanned < browsePage && u.b.ReadOn()
	return s.row.rel == nil && (u.b.page.ended() || !s.asked && s.read.Lock.Owner != "" && !soon)
}

// unclaimedLocks holds the locks without a claimant among the accounts read so far.
type unclaimedLocks struct {
	b     *Browser
	all   map[string]*unclaimedLock // by table and key
	order []string
}

// claim removes a lock, because an account claims the lock. It returns the lock's own row, or nil if the lock
// has no row yet.
func (u *unclaimedLocks) claim(id string) *row {
	s := u.all[id]
	delete(u.all, id)
	if s == nil || s.row.rel == nil {
		return nil
	}
	return s.row
}

// unmatched counts the locks that are not judged yet.
func (u *unclaimedLocks) unmatched() (n int) {
	for _, s := range u.all {
		if s.row.rel == nil {
			n++
		}
	}
	return n
}

func (u *unclaimedLocks) due() bool {
	for _, s := range u.all {
		if u.asks(s) {
			return true
		}
	}
	return false
}

// judge judges the locks without a claimant and shows their rows. Until the whole table is read, it judges only
// locks that name an owner, because it can read that owner.
func (u *unclaimedLocks) judge(ctx context.Context) error {
	b, complete := u.b, u.b.page.ended()
	var live []string
	var all []*unclaimedLock
	byTable := map[string][]attr.Key{}
	for _, id := range u.order {
		s, ok := u.all[id]
		if !ok {
			continue
		}
		if live = append(live, id); u.asks(s) {
			all = append(all, s)
			lock := s.read.Lock
			byTable[lock.Table] = append(byTable[lock.Table], lock.Key)
			byTable[b.t.Name] = append(byTable[b.t.Name], b.t.OwnerKeys(s.read.Constraint, lock)...)
		}
	}
	u.order = live
	now, err := b.r.GetTables(ctx, byTable, true)
	if err != nil {
		return err
	}
	var search *holders.Search
	if complete {
		search = u.search(all)
	}
	var ask []*unclaimedLock
	var rels []*verdict.Relation
	for _, s := range all {
		if s.asked = !complete && u.nearlyHeld(s, now); s.asked {
			continue // the row of the lock's account will show the lock
		}
		rel := s.read
		rel.Lock = schema.LockOf(rel.Constraint, rel.Lock.Table, rel.Lock.Key, now[rel.Lock.Table][rel.Lock.Key.ID()])
		ask, rels = append(ask, s), append(rels, &rel)
	}
	err = u.judgeAll(ctx, rels, search)
	for n, s := range ask {
		if rels[n].Verdict != "" {
			u.show(s, rels[n])
		}
	}
	return err
}

// nearlyHeld reports whether a lock names an account, and this account claims the lock.
func (u *unclaimedLocks) nearlyHeld(s *unclaimedLock, now map[string]map[string]attr.Item) bool {
	b := u.b
	for _, k := range b.t.OwnerKeys(s.read.Constraint, s.read.Lock) {
		if item := now[b.t.Name][k.ID()]; item != nil && b.t.Claims(item, s.read.Lock) {
			return true
		}
	}
	return false
}

// search searches the items of the accounts' table for other holders of the locks' values.
func (u *unclaimedLocks) search(locks []*unclaimedLock) *holders.Search {
	var rels []*verdict.Relation
	for _, s := range locks {
		rels = append(rels, &s.read)
	}
	b := u.b
	scan := b.t.Search(rels...)
	reader := scan.Reader()
	for _, item := range b.view.Items {
		reader.See(b.t.Name, item)
	}
	reader.Close()
	return scan
}

// judgeAll judges locks without a known claimant. If a lock names an account, judgeAll reads the lock and that
// account again together. search covers all items of the table, or is nil if some items are unread. If a lock
// is gone, judgeAll forgets the lock and gives it no verdict.
func (u *unclaimedLocks) judgeAll(ctx context.Context, rels []*verdict.Relation, search *holders.Search) error {
	judge := func(rel *verdict.Relation, owner *schema.Account) {
		if rel.Lock.Exists {
			u.judgeOne(rel, owner, search)
		} else {
			delete(u.all, rel.Subject()) // released since its page was read
		}
	}
	var named []*verdict.Relation
	for _, rel := range rels {
		if len(u.b.t.OwnerKeys(rel.Constraint, rel.Lock)) > 0 {
			named = append(named, rel)
			continue
		}
		judge(rel, nil)
	}
	l := dynamo.NewLockReader(u.b.t, u.b.r)
	for len(named) > 0 {
		n, _ := l.Fewest(named, dynamo.TogetherItems)
		if err := l.Refresh(ctx, named[:n], judge); err != nil {
			return err
		}
		named = named[n:]
	}
	return nil
}

// judgeOne judges a lock without a known claimant by the items read so far. search is nil if some items are
// unread.
func (u *unclaimedLocks) judgeOne(rel *verdict.Relation, owner *schema.Account, search *holders.Search) {
	b := u.b
	if len(rel.Claimants) > 0 {
		rel.Account = &rel.Claimants[0]
	}
	e := b.t.Facts(rel, owner, verdict.OthersUnread)
	if search != nil {
		e.Others, e.Unsearched = verdict.OthersAbsent, b.t.Tables()[1:]
		if len(rel.Claimants) == 0 {
			e.Holders = search.Of(rel).Holders()
		}
	}
	rel.Conclude(e)
	rel.Reads = u.evidence(rel, search != nil)
}

// show puts a relation into the row of its lock. A row of the current group (see pages.group) stays at its
// place in the order of the scan. Any other row goes to the end, so that the rows on screen do not move.
func (u *unclaimedLocks) show(s *unclaimedLock, rel *verdict.Relation) {
	if s.page != u.b.page.group {
		s.row = new(row)
		u.b.rows = append(u.b.rows, s.row)
	}
	s.row.rel = rel
}

// adopt puts an account's new row at the place of the lock's own row, so that rows on the screen do not move.
func (b *Browser) adopt(lock, fresh *row) {
	b.rows[slices.Index(b.rows, fresh)] = new(row)
	b.rows[slices.Index(b.rows, lock)] = fresh
}

func (u *unclaimedLocks) evidence(rel *verdict.Relation, complete bool) []client.Read {
	reads := []client.Read{dynamo.LockRead(rel)}
	if complete {
		reads = append(reads, u.b.accountsRead(time.Now(), "every account", phrase.Count(u.b.view.Accounts, "account")))
	}
	return reads
}

// accountsRead returns the record of a reading of all accounts, as evidence that none of them claims the lock.
func (b *Browser) accountsRead(at time.Time, what, read string) client.Read {
	return client.Read{
		At: at, Table: b.t.Name, What: what, Found: "none of " + read + " uses the value", How: "consistent", Whole: true,
	}
}

// Confirm judges provisional relations without claimants again, if the whole table was read. It waits until every
// transaction that may have been in progress is visible. Then it reads every account once more, and after that
// each suspected lock (docs/truth.md §3a, steps 5 to 7). A confirmed verdict is right unless the value was given up
// and taken again between these readings.
func (b *Browser) Confirm(ctx context.Context) (View, error) {
	var provisional []*row
	var suspects []*verdict.Relation
	for _, r := range b.rows {
		if r.rel != nil && r.rel.Confirmable() && len(r.rel.Claimants) == 0 {
			provisional, suspects = append(provisional, r), append(suspects, r.rel)
		}
	}
	// If other Regions write the table, a second reading proves nothing more.
	if len(provisional) == 0 || !b.view.Complete || b.t.Regions().Unproven() != "" {
		return b.publish(), nil
	}
	if err := client.Pause(ctx, b.t.Connection().Settle()); err != nil {
		return b.last, b.t.Connection().Explain("waiting before the second reading", err)
	}
	began := time.Now()
	scan := b.t.Search(suspects...)
	reader := scan.Reader()
	all := dynamo.SweepAccounts(b.t, b.r)
	err := all.Run(ctx, b.left, func(item attr.Item) { reader.See(b.t.Name, item) })
	reader.Close()
	if err != nil {
		return b.last, err
	}
	if !all.Complete {
		return b.publish(), nil
	}
	for _, r := range provisional {
		before, rel := r.rel.Lock, r.renew()
		owner, err := dynamo.NewLockReader(b.t, b.r).Snapshot(ctx, rel, b.t.OwnerKeys(rel.Constraint, before))
		if err != nil {
			return b.last, err
		}
		e := b.t.Facts(rel, owner, verdict.OthersSettled)
		e.Unsearched = b.t.Tables()[1:]
		claimants, _ := scan.Of(rel).Claimants()
		e.Changed = len(claimants) > 0 || !rel.Lock.Exists || !rel.Lock.Item.Equal(before.Item) || len(rel.Claimants) > 0
		e.Holders = scan.Of(rel).Holders()
		if rel.Conclude(e); !e.Changed && e.Holders.Keeps() == "" {
			lock := dynamo.LockRead(rel)
			lock.Found = "unchanged"
			rel.Reads = append(slices.Clone(rel.Reads),
				b.accountsRead(began, "every account, again", phrase.Count(int(all.Items), "item")), lock)
		}
	}
	b.view.Confirmed = time.Now()
	return b.publish(), nil
}
