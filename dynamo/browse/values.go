package browse

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// values holds the rows of a Browser that belong to values of accounts.
type values struct {
	b *Browser
	// claims holds all rows by the Subject of their relations. A holders.Search cannot provide these rows. A Search
	// has to know the locks before it reads accounts, but a Browser reads the accounts first.
	claims map[string][]*row
	// fresh are the rows of the last page that are not compared with their locks yet. looked is set once the locks
	// of these rows were read.
	fresh  []*row
	looked bool
	open   []*row // undecided rows, to be read again together with their locks
	// shared holds rows whose values may belong to several accounts, because locks do not prevent that. The key is
	// the sharedID. due lists the keys of shared whose rows wait for a verdict.
	shared map[string][]*row
	due    []string
}

func newValues(b *Browser) values {
	return values{b: b, claims: map[string][]*row{}, shared: map[string][]*row{}}
}

// take makes the rows of an account's values.
func (v *values) take(kind *layout.Account, a *schema.Account) []*row {
	claimed := v.claimed(kind, a)
	v.fresh = append(v.fresh, claimed...)
	return append(claimed, v.takeUnlocked(kind, a)...)
}

// claimed makes the rows of an account's values that have locks.
func (v *values) claimed(kind *layout.Account, a *schema.Account) (rows []*row) {
	b := v.b
	for _, claim := range b.t.ClaimsBy(kind, a.Item) {
		rel := &verdict.Relation{
			Constraint: claim.Constraint,
			Value:      claim.Value,
			Account:    a,
			Claimants:  []schema.Account{*a},
			Impossible: claim.Err,
			Judgement:  verdict.NotYet(verdict.WhyLock),
		}
		place := &row{rel}
		if claim.Err == nil {
			rel.Lock = schema.Lock{Table: b.t.LockTable(claim.Constraint), Key: claim.Key, Unread: true}
			for _, id := range rel.Subjects() {
				v.claims[id] = append(v.claims[id], place)
			}
			v.share(place)
		}
		rows = append(rows, place)
	}
	return rows
}

// readLocks reads the locks of the first fresh rows. It reads at most the given number of keys (most), and
// skips locks that were read before.
func (v *values) readLocks(ctx context.Context, most int) error {
	b := v.b
	if v.looked {
		return nil
	}
	want, rows := map[string][]attr.Key{}, v.fresh
	for n, r := range v.fresh {
		rel := r.rel
		if rel.Impossible != nil || !rel.Lock.Unread {
			continue
		}
		if _, met := b.locks[rel.Subject()]; met {
			continue
		}
		if most <= 0 {
			rows = v.fresh[:n]
			break
		}
		keys := rel.Constraint.Forms(rel.Lock.Key)
		if b.whole && len(keys) == 1 {
			continue // all locks were read, and this lock does not exist
		}
		most -= len(keys)
		want[rel.Lock.Table] = append(want[rel.Lock.Table], keys...)
	}
	found, err := b.r.GetTables(ctx, want, true)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.rel.Impossible != nil || !r.rel.Lock.Unread {
			continue
		}
		rel := r.renew()
		lock, met := b.locks[rel.Subject()]
		if !met {
			lock.Item = found[rel.Lock.Table][rel.Lock.Key.ID()]
		}
		forms := rel.Constraint.Forms(rel.Lock.Key)
		rel.Lock = schema.LockOf(rel.Constraint, rel.Lock.Table, rel.Lock.Key, lock.Item)
		for _, k := range forms {
			rel.Lock.InForm(rel.Constraint, k, found[rel.Lock.Table][k.ID()])
		}
		rel.Judgement = verdict.NotYet(verdict.WhyFit)
	}
	v.looked = len(rows) == len(v.fresh)
	return nil
}

// known returns the locks that were read for fresh rows, by table and key. A nil item means that there is no
// lock with that key.
func (v *values) known() map[string]map[string]attr.Item {
	locks := map[string]map[string]attr.Item{}
	for _, r := range v.fresh {
		lock := r.rel.Lock
		if r.rel.Impossible != nil || lock.Unread {
			continue
		}
		if locks[lock.Table] == nil {
			locks[lock.Table] = map[string]attr.Item{}
		}
		locks[lock.Table][lock.Key.ID()] = lock.Item
	}
	return locks
}

// compare judges fresh rows by the locks that were read. Undecided rows go into open. JudgeTogether reads these
// again, each lock together with its accounts.
func (v *values) compare() {
	b := v.b
	for _, r := range v.fresh {
		rel := r.rel
		if rel.Impossible != nil {
			rel = r.renew()
			rel.Conclude(b.t.Facts(rel, nil, verdict.OthersAbsent))
			continue
		}
		for _, form := range rel.Subjects() {
			if lock := b.unclaimed.claim(form); lock != nil {
				b.adopt(lock, r)
			}
		}
		rows := v.claims[rel.Subject()]
		var claimants []schema.Account
		for _, other := range rows[:min(len(rows), 2)] { // two accounts make a duplicate
			claimants = append(claimants, *other.rel.Account)
		}
		for _, other := range rows {
			if other == r || !other.rel.Unjudged { // r is new, or other was judged without r on an earlier page
				v.judgeHastily(other, claimants)
			}
		}
	}
	v.fresh = nil
}

// judgeHastily judges a row by its lock and by the accounts with its value, although they were read at different times.
// If these readings do not decide, the row goes into open.
func (v *values) judgeHastily(r *row, claimants []schema.Account) {
	rel := r.renew()
	e := v.b.t.Facts(rel, nil, verdict.OthersAbsent)
	e.Hasty, e.Claimants = true, claimants
	if rel.Conclude(e); rel.Unjudged {
		v.open = append(v.open, r)
	}
}

// JudgeTogether reads a few open rows again, each row's lock and accounts at one moment. It starts with the
// near rows, which the function near selects. If near is nil, all rows are near. judged counts the rows that
// got a verdict. It is 0 if too few read units are left. Near rows may use the units of their page, and all
// other rows only the units that may be used unasked.
func (b *Browser) JudgeTogether(
	ctx context.Context, near func(*verdict.Relation) bool,
) (v View, judged int, err error) {
	rows := slices.Clone(b.values.open)
	if near != nil {
		slices.SortStableFunc(rows, func(one, other *row) int { return nearness(near, one.rel) - nearness(near, other.rel) })
	}
	if len(rows) > 0 {
		left := b.left()
		if near == nil || near(rows[0].rel) {
			left = b.leftOfPage()
		}
		err = b.values.judgeFirst(ctx, rows, int(left/2)) // a transactional read takes twice the units
	}
	before := len(b.values.open)
	b.values.open = slices.DeleteFunc(b.values.open, func(r *row) bool { return !r.rel.Unjudged })
	return b.publish(), before - len(b.values.open), err
}

// judgeFirst judges the first row, and as many further rows as one reading covers. That reading has at most the
// given number of items (most). If the first row alone needs more, judgeFirst judges nothing.
func (v *values) judgeFirst(ctx context.Context, rows []*row, most int) error {
	if shared := v.claims[rows[0].rel.Subject()]; len(shared) > 1 {
		if len(shared) >= most {
			return nil
		}
		return v.duplicate(ctx, shared)
	}
	var alone []*verdict.Relation
	for _, r := range rows {
		if len(v.claims[r.rel.Subject()]) == 1 {
			alone = append(alone, r.renew())
		}
	}
	l := dynamo.NewLockReader(v.b.t, v.b.r)
	n, items := l.Fewest(alone, min(most, dynamo.TogetherItems))
	if items > most {
		return nil
	}
	return v.judgeTogether(ctx, l, alone[:n])
}

func nearness(near func(*verdict.Relation) bool, rel *verdict.Relation) int {
	if near(rel) {
		return 0
	}
	return 1
}

// AskedUnits returns the number of read units that a page may take if a person requested the page.
func (b *Browser) AskedUnits() float64 {
	return max(b.t.Connection().AutoReadUnits(), dynamo.OpenUnits)
}

// leftOfPage returns the number of read units that the rows of the last page may still use. If a person requested
// that page, the page has its own budget.
func (b *Browser) leftOfPage() float64 {
	if b.page.unasked {
		return b.left()
	}
	left := b.AskedUnits() - (b.r.Units - b.page.began)
	if b.page.n == 1 {
		left -= b.t.Fit.Units()
	}
	return left
}

// judgeTogether reads rows again, each with its lock and accounts at one moment.
func (v *values) judgeTogether(ctx context.Context, l dynamo.LockReader, rows []*verdict.Relation) error {
	b := v.b
	err := l.JudgeTogether(ctx, rows)
	for _, rel := range rows {
		if len(rel.Claimants) == 0 && !rel.Busy {
			// The account gave up the value after its page was read.
			rel.Claimants = nil
			rel.Conclude(b.t.Changed(rel))
		}
	}
	return err
}

// duplicate judges rows that claim the same lock. It reads the lock and the accounts of all these rows
// together.
func (v *values) duplicate(ctx context.Context, rows []*row) error {
	b := v.b
	isOf := func(r *row) func(schema.Account) bool {
		return func(a schema.Account) bool { return a.Key.Equal(r.rel.Account.Key) }
	}
	now := *rows[0].rel
	now.Claimants, now.Reads = nil, nil
	for _, r := range rows {
		if !slices.ContainsFunc(now.Claimants, isOf(r)) {
			now.Claimants = append(now.Claimants, *r.rel.Account)
		}
	}
	if err := dynamo.NewLockReader(b.t, b.r).JudgeTogether(ctx, []*verdict.Relation{&now}); err != nil {
		return err
	}
	for _, r := range rows {
		row := r.renew()
		row.Lock, row.Claimants, row.Judgement, row.OwnerAccount = now.Lock, now.Claimants, now.Judgement, nil
		row.Reads = now.Reads
		if !now.Busy && !slices.ContainsFunc(now.Claimants, isOf(r)) {
			row.Conclude(b.t.Changed(row))
		}
	}
	return nil
}

// mostHolders is the greatest number of accounts of one value that are read again together. If more accounts hold
// the value, the duplicate is already certain, and reading all accounts again with each page would be expensive.
const mostHolders = 10

// sharedID identifies the value of a row if two accounts can hold the value in spite of locks: the constraint has
// no locks, or each account has its own lock. Rows with the same value have the same id. For all other rows the id
// is empty.
func (v *values) sharedID(rel *verdict.Relation) string {
	switch {
	case rel.Account == nil || rel.Impossible != nil:
		return ""
	case rel.Constraint.Lockless():
		return rel.Subject()
	case !rel.Constraint.KeyedByAccount():
		return ""
	}
	kind, _ := v.b.t.AccountOf(rel.Account.Item)
	scope, ok := "", false
	if kind != nil {
		scope, ok = kind.ScopeOf(rel.Constraint, v.b.t.Schema, rel.Account.Item)
	}
	if !ok {
		return ""
	}
	return rel.Constraint.Name + "\x00" + scope + "\x00" + rel.Value
}

// share adds a row to shared, if other accounts may hold the row's value, too.
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

// takeUnlocked makes the rows of an account's values that have no locks.
func (v *values) takeUnlocked(kind *layout.Account, a *schema.Account) (rows []*row) {
	for _, c := range kind.Unlocked {
		for _, text := range c.AppendValues(nil, a.Item) {
			rel := &verdict.Relation{
				Constraint: c, Value: text, Account: a, Claimants: []schema.Account{*a},
				Judgement: verdict.NotYet(verdict.WhyHolders),
			}
			place := &row{rel}
			v.share(place)
			rows = append(rows, place)
		}
	}
	return rows
}

// judgeShared judges the values in due. If several accounts have a value, judgeShared reads them again at one
// moment, at most mostHolders of them. At different times, two accounts may hold the same value without a
// duplicate: one takes the value after the other has given it up.
func (v *values) judgeShared(ctx context.Context) error {
	for ; len(v.due) > 0; v.due = v.due[1:] {
		rows := v.shared[v.due[0]]
		if len(rows) == 1 {
			alone := rows[0].renew()
			alone.Conclude(v.b.t.Facts(alone, nil, verdict.OthersUnread))
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
					now.Claimants, now.More = first.Claimants, true
				}
				e := v.b.t.Facts(now, nil, verdict.OthersUnread)
				e.Scanned = true
				now.Conclude(e)
			}
		}
	}
	return nil
}

// readHolders reads the accounts of several rows together, and judges the rows. All these rows have the same
// value.
func (v *values) readHolders(ctx context.Context, id string, rows []*row) error {
	var keys []attr.Key
	for _, r := range rows {
		keys = append(keys, r.rel.Account.Key)
	}
	items, apart, err := v.b.r.Together(ctx, dynamo.Addresses(v.b.t.Name, keys))
	busy := client.KindOf(err) == client.Conflict // each account held the value, but at different times
	if err != nil && !busy {
		return err
	}
	holds := make([]bool, len(rows))
	var holders []schema.Account
	for n, r := range rows {
		rel, a := r.rel, r.rel.Account
		if holds[n] = busy; !busy {
			var kind *layout.Account
			kind, a = v.b.t.AccountOf(items[n])
			holds[n] = a != nil && slices.Contains(kind.AllCompared(), rel.Constraint) &&
				slices.Contains(rel.Constraint.AppendValues(nil, a.Item), rel.Value) &&
				v.sharedID(&verdict.Relation{Constraint: rel.Constraint, Value: rel.Value, Account: a}) == id
		}
		if holds[n] {
			holders = append(holders, *a)
		}
	}
	if !rows[0].rel.Constraint.Lockless() {
		// Each row keeps the verdict on its own lock, unless several accounts hold the value.
		for n, r := range rows {
			if !busy && len(holders) > 1 && holds[n] && !r.rel.Unjudged {
				now := r.renew()
				now.Claimants, now.Apart = holders, apart
				now.Conclude(v.b.t.Facts(now, nil, verdict.OthersUnread))
			}
		}
		return nil
	}
	var reads []client.Read
	if !busy {
		reads = []client.Read{{
			At: time.Now(), Table: v.b.t.Name, What: phrase.Count(len(rows), "account"),
			Found: phrase.Number(len(holders)) + " hold the value", How: dynamo.HowTogether(apart),
		}}
	}
	for n, r := range rows {
		now := r.renew()
		now.Claimants, now.Apart, now.Reads, now.More = holders, apart, reads, len(holders) == mostHolders
		if !holds[n] {
			now.Claimants = nil
		}
		e := v.b.t.Facts(now, nil, verdict.OthersUnread)
		e.Scanned, e.Changed = busy, !holds[n]
		now.Conclude(e)
	}
	return nil
}

// inspectUnlocked returns the values of one account that have no locks. It judges each value together with the
// other accounts that hold this value in the relations of seen.
func inspectUnlocked(
	ctx context.Context, t *dynamo.Table, r *client.Reader, kind *layout.Account, a *schema.Account,
	seen []*verdict.Relation,
) ([]*verdict.Relation, error) {
	v := newValues(&Browser{t: t, r: r})
	own := v.takeUnlocked(kind, a)
	for _, rel := range seen {
		for n := range rel.Claimants {
			other := &row{&verdict.Relation{
				Constraint: rel.Constraint, Value: rel.Value, Account: &rel.Claimants[n],
				Judgement: verdict.NotYet(verdict.WhyHolders),
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
	var rels []*verdict.Relation
	for _, r := range own {
		rels = append(rels, r.rel)
	}
	return rels, err
}

// doubtDigests makes some verdicts unknown after the whole table was read. It looks for unclaimed locks that
// keep digests, and for accounts without a lock. If their constraints share lock keys, one of the locks may be the
// missing lock of one of the accounts, with an unexpected digest. So doubtDigests takes back the verdicts on
// both.
func (v *values) doubtDigests() {
	if !v.b.page.ended() {
		return
	}
	locks, missing := map[*layout.Constraint][]*row{}, map[*layout.Constraint][]*row{}
	for _, r := range v.b.rows {
		switch rel := r.rel; {
		case rel == nil || rel.Impossible != nil:
		case rel.Verdict == verdict.Missing:
			missing[rel.Constraint] = append(missing[rel.Constraint], r)
		case rel.Verdict.NeedsAbsence() && rel.Constraint.KeepsDigest(rel.Value):
			locks[rel.Constraint] = append(locks[rel.Constraint], r)
		}
	}
	for c, unclaimed := range locks {
		for other, without := range missing {
			if v.b.t.SharesKeys(other, c) {
				for _, r := range slices.Concat(unclaimed, without) {
					rel := r.renew()
					e := v.b.t.Facts(rel, rel.OwnerAccount, verdict.OthersAbsent)
					e.Digests = true
					rel.Conclude(e)
				}
			}
		}
	}
}
