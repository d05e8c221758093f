package check

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// followUp reads all accounts again for the candidates, as docs/truth.md §3a describes.
type followUp struct {
	run        *run
	candidates map[uint64]*join.Candidate
	gone       map[uint64]bool         // fingerprints of locks that disappeared after the first pass
	left       []sketch.Remainder      // leftover keys of the first pass, to tell them from those of a later pass
	shared     *twice.Entries[sharing] // values and ids that may be duplicates; nil if there are none
	search     *holders.Search
	// The accounts were read again between began and ended. The field accounts counts them.
	began, ended time.Time
	accounts     int64
	heldBefore   time.Duration // the time of all pauses before the follow-up
	// settled is set if the accounts are read again after the grace period (see settle) while watch reads the locks.
	settled bool
	// watchRate is the rate of watch, in read units a second.
	watchRate float64
	// moved counts the values that were given up or taken since the first pass.
	moved int
	// unstable is set if rePoll gave up, because locks that looked orphaned kept disappearing.
	unstable bool
}

// followUp reads the candidates and the possible duplicates again, and judges them.
func (r *run) followUp(ctx context.Context, left *leftOver) error {
	f := &followUp{run: r, gone: map[uint64]bool{}, heldBefore: r.o.Gate.Held()}
	if left != nil {
		f.candidates, f.left = left.candidates, left.prints
	}
	// Duplicates of the baseline may appear in the second reading only.
	if r.ids.prints.Any() || r.values.prints.Any() || len(f.candidates) > 0 && r.o.Known.HasRepeated() {
		f.shared = &twice.Entries[sharing]{Room: new(twice.Room)}
		f.shared.Room.Left.Store(setting.MaxShared(r.o.Memory))
	}
	if len(f.candidates) == 0 && f.shared == nil {
		return nil
	}
	if err := f.readAgain(ctx); err != nil {
		f.reportUnjudged()
		return err
	}
	if f.shared == nil {
		return nil
	}
	if lost := f.shared.Room.Lost.Load(); lost > 0 {
		r.report.IncompleteUntil(remedy.Of(remedy.SomeMoreMemory),
			"memory was too small to compare about %s: other items may have the same values or ids", phrase.Count(lost, "item"))
	}
	return r.duplicates(ctx, f.shared)
}

// readAgain reads the candidates' locks and all accounts again, and judges the candidates.
func (f *followUp) readAgain(ctx context.Context) error {
	f.run.progress.Follow(len(f.candidates))
	if f.run.o.Confirm != setting.ConfirmNone {
		if err := f.readAhead(ctx); err != nil {
			return err
		}
		if f.run.progress.Follow(len(f.candidates)); len(f.candidates) == 0 && f.shared == nil {
			return nil
		}
		f.suspect()
	}
	rests, err := f.needsAllAccounts(ctx)
	if err != nil {
		return err
	}
	watched := func() error { return nil }
	if f.run.o.Confirm == setting.ConfirmFull && len(f.candidates) > 0 && rests {
		watched = f.watch(ctx)
		if err := f.settle(ctx); err != nil {
			_ = watched()
			return err
		}
	}
	p := f.newPass()
	if f.run.keeps {
		f.run.follow(p)
	}
	p.live = p.live || f.run.o.Candidates != nil && rests && f.run.o.Confirm == setting.ConfirmFull
	f.began = time.Now()
	err = f.run.scan(ctx, p, progress.LookingAgain, f.settled && f.run.o.Look == setting.Strong)
	f.ended = time.Now()
	if err == nil {
		f.run.lookedAgain = f.run.o.Candidates == nil || p.live
		f.countMoved(p)
		f.accounts = p.count.accounts
		err = f.rePoll(ctx)
	}
	if err == nil {
		f.learnFit()
		err = (&judging{followUp: f}).all(ctx)
	}
	if ended := watched(); err == nil {
		err = ended
	}
	return err
}

// mayBeUnclaimed yields the locks that may have no account. The pass searches every item for the values of these locks,
// since another item may hold a value. There may be very many locks, so each Relation is made only on demand.
func (f *followUp) mayBeUnclaimed(yield func(*verdict.Relation) bool) {
	for _, c := range f.candidates {
		c.Mu.Lock()
		var rel *verdict.Relation
		if c.Rule != nil && c.Exists && c.Count < 0 {
			rel = c.Relation(f.run.codec)
		}
		c.Mu.Unlock()
		if rel != nil && !yield(rel) {
			return
		}
	}
}

// newPass returns the pass that reads the accounts again, and looks for the candidates. Of the leftover keys of this
// pass, the check needs only the fingerprints. So the sketch does not keep their bytes.
func (f *followUp) newPass() *pass {
	p := f.run.newPass(min(setting.DefaultCells, setting.MaxCells(f.run.o.Memory)), false)
	f.search = f.run.t.SearchFor(f.mayBeUnclaimed)
	f.search.ClaimsKnown()
	p.candidates, p.search, p.shared, p.live, p.otherUnits = f.candidates, f.search, f.shared, f.settled, f.watchRate
	p.whole = !f.search.Empty()
	p.owners = map[string][]*join.Candidate{}
	for _, c := range f.candidates {
		if c.Lock != nil && c.Lock.OwnerPartition != "" {
			p.owners[c.Lock.OwnerPartition] = append(p.owners[c.Lock.OwnerPartition], c)
		}
	}
	return p
}

// countMoved counts the keys that this pass leaves over but the first pass did not: their values changed between the
// passes. If an account claims such a key, the value counts as unsettled. If only a lock has the key, the lock is
// younger than the check, so it is not an orphan.
func (f *followUp) countMoved(p *pass) {
	if p.join == nil {
		return
	}
	sum := p.join.Sum()
	sum.Subtract(f.left)
	moved, whole := sum.Decode()
	f.run.keepMoved(moved, whole)
	count := map[uint64]int64{}
	for _, one := range moved {
		if f.candidates[one.Place] == nil {
			f.moved++
			count[one.Place] += one.Count
		}
	}
	if !whole {
		f.moved++
		f.run.report.Note("%s", f.run.o.With(remedy.Of(remedy.CheckQuietly),
			"too many values changed during the second reading, so the check did not judge values that looked broken only then"))
		return
	}
	for place, n := range count {
		if n >= 0 && !f.gone[place] {
			f.run.report.Unsettled()
		}
	}
}

// keepMoved keeps a finding of the baseline if the two readings of the accounts disagree about its lock: one of the
// readings may have shown the problem. moved has the keys about which the readings disagree. whole is false if there
// are too many of them to list.
func (r *run) keepMoved(moved []sketch.Remainder, whole bool) {
	places := map[uint64]bool{}
	for _, one := range moved {
		places[one.Place] = true
	}
	r.o.Known.Moving(func(one finding.Finding) bool {
		if !one.Kind.OfLocks() || whole && len(places) == 0 {
			return false
		}
		_, con := r.t.Layout.Constraint(one.Constraint)
		of := r.rules.ByConstraint[con]
		if !whole || of == nil || len(of.Also) > 0 || one.Kind == finding.UnnormalisedLock {
			return true // the lock may have several keys
		}
		key, ok := of.LocksIn.Schema.KeyOf(one.Lock)
		if !ok {
			return true
		}
		text := r.codec.Append(nil, of.LocksIn, join.KeyText(key.Hash.Value), join.KeyText(key.Range.Value))
		return places[r.seed.Fingerprint(text)]
	})
}

// readAhead reads the candidates' locks before the accounts. If a lock that no account claimed is gone now, readAhead
// drops the candidate.
func (f *followUp) readAhead(ctx context.Context) error {
	if f.run.o.Confirm == setting.ConfirmFull {
		if err := f.findKeys(ctx); err != nil {
			return err
		}
	}
	if err := f.readLocks(ctx, (*join.Candidate).Watchable); err != nil {
		return err
	}
	for place, c := range f.candidates {
		if c.Key != "" && c.Rule == nil && c.Count < 0 {
			f.moved++
			f.gone[place] = true
			delete(f.candidates, place)
		}
	}
	return nil
}

// findKeys makes one more pass, since some locks are known only by a fingerprint and not by a key. It skips values with
// more claims than locks: the next reading of the accounts finds their keys.
func (f *followUp) findKeys(ctx context.Context) error {
	unknown := map[uint64]*join.Candidate{}
	for place, c := range f.candidates {
		if c.Key == "" && c.Count <= 0 {
			unknown[place] = c
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	p := f.run.newPass(setting.MinCells, false)
	p.candidates = unknown
	if err := f.run.scan(ctx, p, progress.FindingKeys, false); err != nil {
		return err
	}
	for place, c := range unknown {
		c.Rule, c.Exists, c.Holders, c.MoreHolders = nil, false, nil, 0
		if c.Key == "" {
			f.gone[place] = true
			delete(f.candidates, place) // the lock is gone
		}
	}
	return nil
}

// suspect shows in the progress which locks may be orphaned. readAhead has just read these locks.
func (f *followUp) suspect() {
	var all []progress.Suspect
	now := time.Now()
	for _, c := range f.candidates {
		c.Mu.Lock()
		if c.Rule != nil && c.Exists && c.Count < 0 && !c.Reserved(now) {
			r := c.Relation(f.run.codec)
			kind := finding.OrphanedLock
			if r.Malformed || layout.Nonsense(r.Value) {
				kind = finding.MalformedLock
			}
			all = append(all, progress.Suspect{
				Kind: kind, Constraint: c.Rule.Constraint.Name, Value: r.Value, Table: r.Lock.Table, Lock: r.Lock.Key.Item(),
			})
		}
		c.Mu.Unlock()
	}
	slices.SortFunc(all, func(a, b progress.Suspect) int {
		return cmp.Or(cmp.Compare(a.Constraint, b.Constraint), cmp.Compare(a.Value, b.Value))
	})
	f.run.progress.Suspect(all[:min(len(all), maxSuspects)])
}

// maxSuspects is the largest number of suspects in the progress. Findings have no such limit.
const maxSuspects = 100

// readLocks reads the locks of the candidates for which wanted is true. The reads are strongly consistent.
func (f *followUp) readLocks(ctx context.Context, wanted func(*join.Candidate) bool) error {
	for from, all := range f.run.codec.ByTable(f.candidates, wanted) {
		for some := range slices.Chunk(all, 100) {
			var keys []attr.Key
			ends := make([]int, len(some)) // the keys of some[n] end before keys[ends[n]]
			for n, c := range some {
				keys = f.run.rules.AppendForms(keys, from, f.run.codec, c.Key)
				ends[n] = len(keys)
			}
			found, err := f.run.consistent.Read(ctx, from.Name, keys)
			if err != nil {
				return err
			}
			now, first := time.Now(), 0
			for n, c := range some {
				forms := keys[first:ends[n]]
				first = ends[n]
				at := max(slices.IndexFunc(forms, func(k attr.Key) bool { return found[k.ID()] != nil }), 0)
				var key []byte // the key of the existing lock, if it is not in the first form
				if at > 0 {
					key = f.run.codec.Append(nil, from, join.KeyText(forms[at].Hash.Value), join.KeyText(forms[at].Range.Value))
				}
				item := found[forms[at].ID()]
				c.SawRead(f.run.seed, item, key, now, func() (*join.Rule, layout.Role, join.LockFacts) {
					return f.run.lockIn(from, item)
				})
			}
		}
	}
	return nil
}

// lockIn returns the rule, the role and the facts of a lock item. The rule is nil if the item is no lock.
func (r *run) lockIn(from *join.Source, item attr.Item) (*join.Rule, layout.Role, join.LockFacts) {
	role := r.t.Classify(from.Name, item)
	of := r.rules.ByConstraint[role.Constraint]
	if of == nil {
		return nil, role, join.LockFacts{}
	}
	return of, role, join.LockFacts{
		Owner: of.OwnerOf(item), Mark: item[schema.MarkAttribute].Text,
		Expires: r.expiry.expiresAt(from.Name, item), Since: of.Reserved.Said(item),
	}
}

// watch reads the candidates' locks repeatedly until the caller calls end. It runs from the beginning of the grace
// period until all accounts are read again. If a value is given up and taken again in this time, its lock is absent for
// a moment. watch may see that, and then the lock is no orphan.
func (f *followUp) watch(ctx context.Context) (end func() error) {
	units, locks := float64(setting.WatchUnits), float64(len(f.candidates))
	if rate := f.run.consistent.Rate; rate > 0 {
		units = min(units, rate/watchShare)
	}
	every := max(watchEvery, time.Duration(locks/units*float64(time.Second)))
	f.watchRate = locks / every.Seconds()
	ctx, cancel := context.WithCancel(ctx)
	var g errgroup.Group
	g.Go(func() error {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
				if err := f.readLocks(ctx, (*join.Candidate).Watchable); err != nil && ctx.Err() == nil {
					return err
				}
			}
		}
	})
	return func() error {
		cancel()
		return g.Wait()
	}
}

// watchEvery is the time between two readings of a candidate's lock by watch. watch uses at most setting.WatchUnits
// read units a second, and at most 1/watchShare of the check's rate. If there are very many locks, watch reads each
// lock less often.
const (
	watchEvery = 5 * time.Second
	watchShare = 4
)

// settle waits for the grace period. Some transactions were in flight when the locks were read. After the wait, all of
// them have become visible.
func (f *followUp) settle(ctx context.Context) error {
	w := f.run.t.Connection().Settle()
	f.run.progress.Enter(progress.Phase{Stage: progress.Waiting, Until: time.Now().Add(w)})
	defer f.run.progress.Leave()
	f.settled = true
	return progress.Pause(ctx, w)
}

// rePoll reads the unclaimed locks a few more times if other values were given up or taken while the accounts were
// read. Such a value may seem unclaimed: the pass read its new owner too early, and its old owner too late. An orphaned
// lock is never absent, but a lock that changes owners is absent now and then. rePoll stops when no lock has been
// absent for a while.
func (f *followUp) rePoll(ctx context.Context) error {
	left, others := f.countUnclaimed()
	if !f.settled || f.moved+others == 0 {
		return nil
	}
	most := max(minRePollUnits, f.run.progress.Cost.Again/10)
	f.run.progress.Enter(progress.Phase{Stage: progress.RePolling})
	defer f.run.progress.Leave()
	for calm, n := 0, 0; left > 0 && calm < min(max(int(most)/left, minCalm), maxCalm); n++ {
		if n == maxRePolls {
			f.unstable = true
			return nil
		}
		if err := progress.Pause(ctx, rePollEvery); err != nil {
			return err
		}
		if err := f.readLocks(ctx, (*join.Candidate).Unclaimed); err != nil {
			return err
		}
		before := left
		left, _ = f.countUnclaimed()
		if calm++; left < before {
			calm = 0
		}
	}
	return nil
}

// countUnclaimed counts two kinds of candidates. left counts the unclaimed locks that still exist. moved counts the
// candidates that had only seemed to be unclaimed.
func (f *followUp) countUnclaimed() (left, moved int) {
	for _, c := range f.candidates {
		switch {
		case c.Unclaimed():
			left++
		case c.Rule != nil && len(c.Rule.Also) > 0 && len(c.Holders) > 0: // the value may have locks of both forms
		case c.Count < 0:
			moved++
		}
	}
	return left, moved
}

// rePollEvery is the time between two readings of rePoll. rePoll ends when no unclaimed lock is left, or after a number
// of readings in a row in which no lock became absent. This number is between minCalm and maxCalm. Between these limits
// the readings cost at most a tenth of reading the accounts again, or minRePollUnits if that is more. After maxRePolls
// readings rePoll gives up.
const (
	rePollEvery    = 250 * time.Millisecond
	minCalm        = 3
	maxCalm        = 40
	maxRePolls     = 200
	minRePollUnits = 1000
)

// notePartition makes the check incomplete if the check followed up only a partition of the keys. It estimates the
// number of findings of each kind in the whole table.
func (r *run) notePartition() {
	if r.partition.All() {
		return
	}
	said := ""
	for _, kind := range finding.Kinds() {
		if n := r.report.Summary.Findings[kind]; n > 0 && kind.OfLocks() {
			said += ", about " + phrase.Number(r.partition.Scaled(n)) + " " + string(kind)
		}
	}
	r.report.IncompleteUntil(remedy.Of(remedy.MoreMemoryForAll, setting.Advice(setting.MemoryFor(r.load*5/4))),
		"about %s values look broken%s; the check followed up about %s %% of these values",
		phrase.Number(r.load), said, strconv.Itoa(max(int(100*r.partition.Fraction()), 1)))
}
