package adopt

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
)

// SinceOptions says which accounts VerifyWriters judges, and how it reads them.
type SinceOptions struct {
	Times
	// Since is the time since which the application has used the printed transactions.
	Since time.Time
	// Index is an index whose sort key is one of the time attributes. If it is empty, VerifyWriters reads the whole
	// table. Partition is the partition of the index that has the accounts.
	Index, Partition string
	// MaxReadUnits is the greatest rate of the reading, in read units a second: see scan.Options.
	MaxReadUnits float64
	// Progress may be read while VerifyWriters runs. It may be nil.
	Progress *scan.Progress
	// Now is the clock; nil means time.Now. A time is in the future if it is later than the reading of its account.
	Now func() time.Time
}

// Came is an account that was made or changed without its lock.
type Came struct {
	Account    attr.Key  `json:"account"`
	ID         string    `json:"id"`
	Constraint string    `json:"constraint"`
	Value      string    `json:"value"`
	At         time.Time `json:"at"`
	// Operation is SignUp if the account was made after Since, and Change if it was changed after Since.
	Operation Operation `json:"operation"`
	Lock      attr.Key  `json:"lock"`
	// Owner is the account that the lock names; empty if there is no lock.
	Owner string `json:"owner,omitempty"`
	// Backfilled is set if a backfill has put the lock: the account was made or changed without it.
	Backfilled bool `json:"backfilled,omitempty"`

	lacks  []attr.Key // the missing locks
	more   bool       // the account lacks more locks than are in lacks
	silent bool       // a backfill has put another lock of the changed account
}

// Judgement is the result of VerifyWriters.
type Judgement struct {
	Since time.Time `json:"since"`
	// Accounts counts the accounts that were read. Made and Changed count the judged accounts: made after Since, or
	// changed after Since. Without counts the judged accounts that were made or changed without their lock.
	Accounts int64 `json:"accounts"`
	Made     int64 `json:"made"`
	Changed  int64 `json:"changed"`
	Without  int64 `json:"without"`
	// Came lists accounts that were made or changed without their lock, at most MostCame.
	Came []Came `json:"came_without_lock"`
	// Untimed counts the accounts without a readable time, and Future those with a time in the future. Neither kind of
	// account is judged. UntimedKeys and FutureKeys have some of their keys.
	Untimed     int64      `json:"untimed"`
	UntimedKeys []attr.Key `json:"untimed_accounts"`
	Future      int64      `json:"future"`
	FutureKeys  []attr.Key `json:"future_accounts"`
	// Zoneless counts the judged times without a time zone, which VerifyWriters takes for UTC.
	Zoneless int64 `json:"zoneless"`
	// Valueless counts the accounts made or changed after Since that hold no value, or only values that cannot have a
	// lock.
	Valueless int64 `json:"valueless"`
	// Backfilled counts the changed accounts with a lock that a backfill has put. They are not judged: the lock does not
	// show whether the account changed its value, or only another attribute.
	Backfilled int64 `json:"backfilled"`
	// Unsettled counts the accounts that changed again before the second reading. Unread counts the accounts without a
	// lock that VerifyWriters did not read again, because there were too many.
	Unsettled int64 `json:"unsettled"`
	Unread    int64 `json:"unread"`
	// NotVerified lists the operations that are not verified: fewer than 20 accounts show them. It lists all operations if
	// some accounts could not be judged, or if only an index was read.
	NotVerified []Operation `json:"not_verified"`
	By          string      `json:"by"`
	Index       string      `json:"index,omitempty"`
	// Partition is the partition of Index. Other accounts were not read.
	Partition string  `json:"partition,omitempty"`
	ReadUnits float64 `json:"read_units"`

	times Times
	begun time.Time
}

// MostCame is the greatest number of accounts in Judgement.Came. mostNamed is the greatest number of keys in
// UntimedKeys and in FutureKeys. mostSuspects is the greatest number of accounts to read again.
const (
	MostCame     = 1000
	mostNamed    = 20
	mostSuspects = 20_000
)

// Judged counts the judged accounts.
func (j *Judgement) Judged() int64 { return j.Made + j.Changed }

// TooFew reports whether too few accounts of each operation were judged, and none came without its lock.
func (j *Judgement) TooFew() bool { return j.Without == 0 && max(j.Made, j.Changed) < EnoughAccounts }

// Doubtful counts the accounts that may have been made or changed after Since, but were not judged.
func (j *Judgement) Doubtful() int64 { return j.Untimed + j.Future + j.Unread + j.Unsettled }

// Event returns the judgement for the record. confirmed says that a person has confirmed the operations in NotVerified.
func (j *Judgement) Event(confirmed bool) *Writers {
	return &Writers{
		Since: j.Since, Begun: j.begun, Judged: j.Judged(), Made: j.Made, Changed: j.Changed, Without: j.Without, By: j.By,
		Times: j.times, Index: j.Index, Partition: j.Partition, NotVerified: j.NotVerified, Confirmed: confirmed,
	}
}

// VerifyWriters judges the accounts that were made or changed after Since: each must have its locks. It reads the
// accounts eventually consistently, and then the locks consistently. An account without its lock may be a sign-up in
// progress. So VerifyWriters waits for the settle time, and reads the account again, together with its locks. It writes
// nothing.
func VerifyWriters(ctx context.Context, r *Rule, o SinceOptions) (*Judgement, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	j := &judging{
		r: r, o: o, sum: Judgement{
			Since: o.Since, By: o.By(), Index: o.Index, Partition: o.Partition, Came: []Came{}, UntimedKeys: []attr.Key{},
			FutureKeys: []attr.Key{}, NotVerified: []Operation{}, times: o.Times, begun: o.Now().UTC(),
		},
	}
	err := j.read(ctx)
	if err == nil {
		err = j.lookAgain(j.paced(ctx))
	}
	j.conclude()
	return &j.sum, err
}

// judging is one run of VerifyWriters. The workers of a scan share it.
type judging struct {
	r *Rule
	o SinceOptions

	mu       sync.Mutex // guards the fields below
	sum      Judgement
	suspects []Came
	failed   error
}

// read reads the accounts: from the index, or else the whole table.
func (j *judging) read(ctx context.Context) error {
	t := j.r.Table
	if j.o.Index != "" {
		return j.query(j.paced(ctx))
	}
	names := []string{t.Schema.HashName}
	if t.Schema.RangeName != "" {
		names = append(names, t.Schema.RangeName)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	paced := j.paced(ctx)
	var visitors []*comer
	o := scan.Options{Attributes: names, Whole: true, MaxReadUnits: j.o.MaxReadUnits, Progress: j.o.Progress}
	totals, err := scan.Table(ctx, t.Connection().Client, t.Description, o, func() scan.Visitor {
		v := &comer{judging: j, ctx: paced, stop: stop}
		v.row.Names = names
		visitors = append(visitors, v)
		return v
	})
	j.sum.ReadUnits += totals.Units
	for _, v := range visitors {
		v.flush()
	}
	if j.failed != nil {
		return j.failed
	}
	return err
}

// comer visits the items of a scan. It collects newcomers, until it reads their locks.
type comer struct {
	*judging
	ctx     context.Context
	stop    func() // ends the scan
	row     scan.WholeRow
	pending []newcomer
}

// newcomer is an account that was made or changed after SinceOptions.Since.
type newcomer struct {
	item attr.Item
	at   time.Time
	op   Operation
}

// Visit implements scan.Visitor.
func (v *comer) Visit(row scan.Row, rest scan.Rest) {
	v.row.Row, v.row.Rest = row, rest
	at, op, ok := v.place(&v.row)
	if !ok {
		return
	}
	v.pending = append(v.pending, newcomer{scan.WholeItem(row, v.row.Names, rest), at, op})
	if len(v.pending) == client.MaxBatch {
		v.flush()
	}
}

// flush reads the locks of the pending accounts.
func (v *comer) flush() {
	pending := v.pending
	v.pending = v.pending[:0]
	if len(pending) == 0 || v.failure() != nil {
		return
	}
	if err := v.judge(v.ctx, pending); err != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.failed == nil {
			v.failed = err
		}
		v.stop()
	}
}

func (j *judging) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failed
}

// place counts an item if it is an account. It reports whether the account was made or changed after Since.
func (j *judging) place(item attr.Fields) (at time.Time, op Operation, ok bool) {
	t := j.r.Table
	kind := t.Layout.KindOf(t.Schema, item)
	if kind == nil || !slices.ContainsFunc(j.r.Shared, func(c *layout.Constraint) bool {
		return slices.Contains(kind.Constraints, c)
	}) {
		return at, "", false
	}
	key, _ := t.Schema.KeyOf(item)
	id, _ := kind.Matches(t.Schema, item)
	reading := j.o.read(item, id, j.o.Since, j.o.Now())
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sum.Accounts++
	switch reading.state {
	case untimed:
		j.sum.Untimed++
		if len(j.sum.UntimedKeys) < mostNamed {
			j.sum.UntimedKeys = append(j.sum.UntimedKeys, key.Clone())
		}
	case future:
		j.sum.Future++
		if len(j.sum.FutureKeys) < mostNamed {
			j.sum.FutureKeys = append(j.sum.FutureKeys, key.Clone())
		}
	case came:
		if reading.zoneless {
			j.sum.Zoneless++
		}
		return reading.at, reading.op, true
	}
	return at, "", false
}

// judge reads the locks of accounts consistently. It counts an account that has all its locks. An account without a
// lock becomes a suspect.
func (j *judging) judge(ctx context.Context, accounts []newcomer) error {
	keys := map[string][]attr.Key{}
	wants := make([][]Wanted, len(accounts))
	for n, a := range accounts {
		wants[n] = j.r.Wants(a.item)
		for _, w := range wants[n] {
			if w.Item != nil {
				keys[j.r.LockTable] = append(keys[j.r.LockTable], w.Claim.Key)
			}
		}
	}
	reader := j.r.Table.Connection().Reader()
	found, err := reader.GetTables(ctx, keys, true)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sum.ReadUnits += reader.Units
	if err != nil {
		return err
	}
	for n, a := range accounts {
		switch seen := j.look(wants[n], found[j.r.LockTable], a); {
		case seen.lacks != nil && len(j.suspects) < mostSuspects:
			j.suspects = append(j.suspects, *seen.lacks)
		case seen.lacks != nil:
			j.sum.Unread++
		case !seen.needs:
			j.sum.Valueless++
		default:
			j.count(a.op, seen.silent)
		}
	}
	return nil
}

// sight is the result of comparing an account with its locks.
type sight struct {
	// needs is set if the account needs a lock. lacks describes an account that came without a lock, with the first of its
	// missing locks; it is nil if the account came with all its locks.
	needs bool
	lacks *Came
	// silent is set if a backfill has put a lock of a changed account. Then the locks do not show whether the last change
	// put its lock.
	silent bool
}

// look compares an account with its locks. A backfill put each lock with the attribute tallylock_adopt. If a new
// account has such a lock, its sign-up put no lock, because a sign-up puts a whole lock without this attribute.
func (j *judging) look(wants []Wanted, locks map[string]attr.Item, a newcomer) (seen sight) {
	for _, w := range wants {
		if w.Item == nil {
			continue
		}
		seen.needs = true
		c := w.Claim.Constraint
		lock := schema.LockOf(c, j.r.LockTable, w.Claim.Key, locks[w.Claim.Key.ID()])
		named := lock.Exists && j.r.Table.Names(c, lock, w.Account)
		backfilled := named && lock.Item[schema.AdoptAttribute].Exists()
		switch {
		case named && !backfilled:
			continue
		case named && a.op != SignUp:
			seen.silent = true
			continue
		case seen.lacks == nil:
			seen.lacks = &Came{
				Account: w.Account.Key, ID: w.Account.ID, Constraint: c.Name, Value: w.Claim.Raw, At: a.at,
				Operation: a.op, Lock: w.Claim.Key, Owner: lock.Owner, Backfilled: backfilled,
			}
		}
		if len(seen.lacks.lacks) == dynamo.TogetherItems {
			seen.lacks.more = true
			continue
		}
		seen.lacks.lacks = append(seen.lacks.lacks, w.Claim.Key)
	}
	if seen.lacks != nil {
		seen.lacks.silent = seen.silent
	}
	return seen
}

// count counts an account as made or changed. If silent is set, the locks do not show how the account changed: it
// counts as Backfilled, and is not judged. The caller holds j.mu.
func (j *judging) count(op Operation, silent bool) {
	switch {
	case silent:
		j.sum.Backfilled++
	case op == SignUp:
		j.sum.Made++
	default:
		j.sum.Changed++
	}
}

// conclude lists the operations that are not verified.
func (j *judging) conclude() {
	doubtful := j.sum.Doubtful() > 0 || j.o.Index != "" // an index does not show the accounts outside its partition
	if j.sum.Made < EnoughAccounts || doubtful {
		j.sum.NotVerified = append(j.sum.NotVerified, SignUp)
	}
	if j.sum.Changed < EnoughAccounts || doubtful {
		j.sum.NotVerified = append(j.sum.NotVerified, Change)
	}
	slices.SortFunc(j.sum.Came, func(a, b Came) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Account.ID(), b.Account.ID()))
	})
}
