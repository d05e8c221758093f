package change

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// BackfillKind is the kind of a finding of a backfill.
type BackfillKind string

// The kinds. A person has to look at each of these findings.
const (
	// BackfillDuplicate is a value that several accounts hold, or whose lock names another account.
	BackfillDuplicate BackfillKind = "duplicate"
	// BackfillChanged is an account that changed after it was read. For an undo, it is a lock that was changed.
	BackfillChanged BackfillKind = "changed"
	// BackfillBusy is an account or a lock that other programs kept writing.
	BackfillBusy BackfillKind = "busy"
	// BackfillInvalid is a value that cannot have a lock.
	BackfillInvalid BackfillKind = "invalid"
)

// OneHolder is the code of a value that several accounts held in the first reading, but only one account held in the
// second.
const OneHolder = "one-holder"

// OtherItem is the code of a value that cannot have a lock, because an item that is no lock has the lock's key.
const OtherItem = "other-item"

// BackfillFinding is a value that got no lock. For an undo, it is a lock that the undo did not delete.
type BackfillFinding struct {
	Kind       BackfillKind `json:"kind"`
	Constraint string       `json:"constraint"`
	Value      string       `json:"value"`
	// Table and Lock are the place of the lock; Lock is empty if the value has no lock key.
	Table string    `json:"table,omitempty"`
	Lock  attr.Item `json:"lock,omitempty"`
	// Accounts has the keys of the accounts that hold the value. More counts further accounts.
	Accounts []attr.Item `json:"accounts,omitempty"`
	More     int         `json:"more_accounts,omitempty"`
	// Exists is set if the lock exists and names another account. Owner is the name. For an undo, Exists is always set,
	// and Owner is empty.
	Exists bool   `json:"exists,omitempty"`
	Owner  string `json:"owner,omitempty"`
	// Code and Why are the reason of an invalid value. Code is OneHolder if only one account of several still holds the
	// value.
	Code string `json:"code,omitempty"`
	Why  string `json:"why,omitempty"`
}

// backfillRun is one run of a backfill.
type backfillRun struct {
	*manyRun
	*Backfill
	keys     *backfill.Keys
	locksPut atomic.Int64 // includes the earlier parts of the run
	earlier  int64        // the locks of the earlier parts
	had      atomic.Int64 // existing locks, including those that earlier parts of the run put
	apart    bool         // the locks have a table of their own, which the first reading did not read
	// opened maps each lock of an open transaction of an earlier process to that transaction.
	opened map[string]*backfill.Line
	// suspects has the values that perhaps several accounts hold, by their lock. Several accounts held such a value in the
	// first reading, or two accounts without a lock held it in one window of the second reading.
	suspects map[string]*suspect
	odd      int64 // counts locks that were refused for an unknown reason
}

// suspect is a value that perhaps several accounts hold, with the accounts of the second reading.
type suspect struct {
	entry    backfill.Entry
	accounts []attr.Key
	more     int
}

// mostListed is the greatest number of accounts that a finding lists.
const mostListed = 20

// RunBackfill puts the locks of a planned backfill. It calls found for each value that gets no lock, from one goroutine
// at a time, and progress from any goroutine. If ctx is cancelled, the current transaction ends first. The run can be
// continued later: see PlanBackfill.
func (c *Changer) RunBackfill(
	ctx context.Context, b *Backfill, found func(BackfillFinding), progress func(Progress),
) BackfillResult {
	r := &backfillRun{
		manyRun: c.newMany(b.Plan, b.Plan.ID, found, progress), Backfill: b,
		opened: map[string]*backfill.Line{}, suspects: map[string]*suspect{},
	}
	defer func() {
		if r.keys != nil {
			_ = r.keys.Close() // each line that matters was synced
		}
	}()
	return r.do(ctx, r.begin, r.run, r.end)
}

// begin makes the file of the run, or opens the file of the interrupted run.
func (r *backfillRun) begin(context.Context) (err error) {
	if err := checkStatements(r.table, r.plan.Live.Statements); err != nil {
		return err
	}
	if err := r.CheckUndos(r.table, r.constraint); err != nil { // an undo may have begun since the planning
		return err
	}
	if r.Resumes != nil {
		if err := r.readAgain(); err != nil {
			return err
		}
		r.locksPut.Store(r.was.Put)
		r.keys, err = backfill.Open(r.result.File, headerOf(r.plan))
	} else if err = os.MkdirAll(filepath.Dir(r.result.File), 0o700); err == nil {
		r.keys, err = backfill.Create(r.result.File, headerOf(r.plan))
	}
	return keysError("writing", r.result.File, err)
}

// readAgain reads the record and the file of the interrupted run again: another process may have continued or undone
// the run since the planning. The caller holds the lock of the run.
func (r *backfillRun) readAgain() error {
	now, err := r.Journal.Record(r.plan.ID)
	if err != nil {
		return err
	}
	if now == nil || now.Undone != "" || now.Undoing != "" {
		return plan.Refuse(plan.Changed, "%s cannot be continued: its undo has begun, or its journal lines are gone", r.plan.ID)
	}
	r.was, err = r.keysSummary(r.plan)
	return err
}

// run settles the open transactions of an earlier process, and puts the missing locks.
func (r *backfillRun) run(ctx context.Context) error {
	if r.was != nil {
		if err := r.settle(ctx); err != nil {
			return err
		}
	}
	r.earlier, r.apart = r.locksPut.Load(), r.table.LockTable(r.constraint) != r.table.Name
	accounts, units := make(chan *backfill.Account, client.MaxBatch), 0.0
	g, within := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(accounts)
		read, err := r.read(within, r.Changer, StageBackfill, r.report, func(item attr.Item) {
			if a := r.rule.Wants(item); a != nil {
				select {
				case accounts <- a:
				case <-within.Done():
				}
			}
		})
		units = read
		return err
	})
	g.Go(func() error { return r.putAll(within, accounts) })
	err := g.Wait()
	if r.result.ReadUnits += units; err != nil {
		return err
	}
	if err := r.conclude(ctx); err != nil {
		return err
	}
	return r.keys.Finish(r.now())
}

// report adds the locks to the progress of a reading.
func (r *backfillRun) report(p Progress) {
	put, missing := r.locksPut.Load(), r.missing
	if r.apart {
		missing -= r.had.Load()
	}
	p.Locks, p.EarlierLocks = int(put), int(r.earlier)
	p.AllLocks = int(max(r.earlier+missing, put))
	r.progress(p)
}

// putAll puts the missing locks of the accounts. It looks for existing locks first, many at once: a read is cheaper
// than a refused transaction.
func (r *backfillRun) putAll(ctx context.Context, accounts <-chan *backfill.Account) error {
	var window backfill.Batch
	for a := range accounts {
		for _, invalid := range a.Invalid {
			r.emit(BackfillFinding{
				Kind: BackfillInvalid, Constraint: invalid.Constraint, Value: invalid.Value, Accounts: []attr.Item{a.Key.Item()},
				Code: invalid.Code, Why: invalid.Why,
			})
		}
		for n := range a.Locks {
			e := backfill.Entry{Account: a, Lock: &a.Locks[n]}
			if r.suspects[e.Lock.ID()] != nil || r.twice.Has(r.print(e.Lock)) {
				r.suspect(e)
				continue
			}
			window = append(window, e)
		}
		if len(window) >= client.MaxBatch {
			if err := r.putMissing(ctx, window); err != nil {
				return err
			}
			window = nil
		}
	}
	return r.putMissing(ctx, window)
}

// suspect notes an account of a value that perhaps several accounts hold.
func (r *backfillRun) suspect(e backfill.Entry) {
	s := r.suspects[e.Lock.ID()]
	switch {
	case s == nil:
		r.suspects[e.Lock.ID()] = &suspect{entry: e, accounts: []attr.Key{e.Key}}
	case slices.ContainsFunc(s.accounts, e.Key.Equal):
	case len(s.accounts) == mostListed:
		s.more++
	default:
		s.accounts = append(s.accounts, e.Key)
	}
}

// conclude reports the suspects. If the second reading found only one account of a suspect, the accounts changed
// between the readings. Then conclude puts no lock, and reports the account unless its lock exists.
func (r *backfillRun) conclude(ctx context.Context) error {
	var single backfill.Batch
	for _, id := range slices.Sorted(maps.Keys(r.suspects)) {
		s := r.suspects[id]
		if len(s.accounts) == 1 {
			single = append(single, s.entry)
			continue
		}
		f := findingOf(BackfillDuplicate, s.entry)
		f.Accounts, f.More = nil, s.more
		for _, key := range s.accounts {
			f.Accounts = append(f.Accounts, key.Item())
		}
		r.emit(f)
	}
	for some := range slices.Chunk(single, client.MaxBatch) {
		missing, err := r.withoutLock(ctx, some)
		if err != nil {
			return err
		}
		for _, e := range missing {
			f := findingOf(BackfillChanged, e)
			f.Code = OneHolder
			r.emit(f)
		}
	}
	return ctx.Err()
}

// withoutLock reads the locks of some entries, and returns the entries without a lock.
func (r *backfillRun) withoutLock(ctx context.Context, entries backfill.Batch) (missing backfill.Batch, err error) {
	found, err := r.readLocks(ctx, entries)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if item := found[e.Lock.Put.Key.ID()]; item == nil {
			missing = append(missing, e)
		} else if err := r.exists(ctx, e, item); err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// putMissing reads the locks of some entries, and puts the missing ones.
func (r *backfillRun) putMissing(ctx context.Context, entries backfill.Batch) error {
	if len(entries) == 0 {
		return ctx.Err()
	}
	missing, err := r.withoutLock(ctx, entries)
	if err != nil {
		return err
	}
	var batch backfill.Batch
	for _, e := range r.withoutShared(missing) {
		if !batch.Takes(e) {
			if err := r.putBatch(ctx, batch, false); err != nil {
				return err
			}
			batch = nil
		}
		batch = append(batch, e)
	}
	return r.putBatch(ctx, batch, false)
}

// withoutShared returns the entries whose lock no other entry needs. The others get no lock: people choose which of
// the accounts keeps the value.
func (r *backfillRun) withoutShared(entries backfill.Batch) (single backfill.Batch) {
	needed := map[string]int{}
	for _, e := range entries {
		needed[e.Lock.ID()]++
	}
	for _, e := range entries {
		if needed[e.Lock.ID()] > 1 {
			r.suspect(e)
		} else {
			single = append(single, e)
		}
	}
	return single
}

// readLocks reads the locks of some entries, strongly consistent. The result is by the key's ID.
func (r *backfillRun) readLocks(ctx context.Context, entries backfill.Batch) (map[string]attr.Item, error) {
	var keys []attr.Key
	for _, e := range entries {
		keys = append(keys, e.Lock.Put.Key)
	}
	reader := r.table.Connection().Reader()
	found, err := reader.Get(ctx, entries[0].Lock.Put.Table, keys, true)
	r.result.ReadUnits += reader.Units
	return found, err
}

// exists handles an entry whose lock's key is in use. If the lock names another account, exists reports a duplicate. If
// the item at the key is no lock, exists reports an invalid value. If the entry's account no longer needs the lock,
// exists reports a changed account instead.
func (r *backfillRun) exists(ctx context.Context, e backfill.Entry, item attr.Item) error {
	if r.rule.Names(e, item) {
		r.had.Add(1)
		if !item[schema.AdoptAttribute].Equal(attr.String(r.plan.Backfill.Mark)) { // else Put counts the lock
			r.result.Had++
		}
		return nil
	}
	kind := BackfillDuplicate
	reader := r.table.Connection().Reader()
	now, err := reader.Get(ctx, r.table.Name, []attr.Key{e.Key}, true)
	r.result.ReadUnits += reader.Units
	if err != nil {
		return err
	}
	if !r.stillWants(e, now[e.Key.ID()]) {
		kind = BackfillChanged
	}
	owner, isLock := r.rule.Owner(e.Lock.Put.Table, item)
	if kind == BackfillDuplicate && !isLock {
		kind = BackfillInvalid
	}
	f := findingOf(kind, e)
	switch kind {
	case BackfillDuplicate:
		f.Exists, f.Owner = true, owner
	case BackfillInvalid:
		f.Code, f.Why = OtherItem, "another item has the lock's key"
	}
	r.emit(f)
	return nil
}

// stillWants reports whether an account needs the entry's lock; item is the account now.
func (r *backfillRun) stillWants(e backfill.Entry, item attr.Item) bool {
	if item == nil {
		return false
	}
	a := r.rule.Wants(item)
	return a != nil && slices.ContainsFunc(a.Locks, func(l backfill.Lock) bool { return l.ID() == e.Lock.ID() })
}

func findingOf(kind BackfillKind, e backfill.Entry) BackfillFinding {
	return BackfillFinding{
		Kind: kind, Constraint: e.Lock.Constraint, Value: e.Lock.Value, Table: e.Lock.Put.Table,
		Lock: e.Lock.Put.Key.Item(), Accounts: []attr.Item{e.Key.Item()},
	}
}

// end counts the open transactions, and sets the outcome of the run. It returns the words for the journal.
func (r *backfillRun) end() string {
	r.result.Put = r.locksPut.Load()
	for _, l := range r.opened {
		r.result.noteOpen(l)
	}
	switch {
	case r.result.Unknown > 0:
		r.result.Outcome = journal.Unknown
	case r.result.Put > 0:
		r.result.Outcome = journal.Applied
	}
	return r.words()
}

// words summarises the run for the journal.
func (r *backfillRun) words() string {
	s := fmt.Sprintf("%s put", phrase.Count(r.result.Put, "lock"))
	if n := r.result.Findings(); n > 0 {
		s += fmt.Sprintf("; %s got none", phrase.Count(n, "value"))
	}
	if !r.result.Complete {
		s += "; the run stopped before its end"
	}
	return s
}

// keysError returns the error of the file of a run.
func keysError(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	return &client.Error{
		Kind: client.Failed, Op: doing + " the file " + path, Why: phrase.WithoutPath(err),
		Do: "make room, or choose another journal; nothing was sent", Err: err,
	}
}
