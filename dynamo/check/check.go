// Package check checks whole tables: it joins all locks with all accounts, follows up
// what is left over, compares counters with the ids in use, and reports findings. It
// imports dynamo and all below it, and scan; check/sketch is the join
// itself. Start reading at Run and run.all; a pass takes items in (visit.go), and a
// followUp makes sure of what they leave over (followup.go).
package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
)

// Run checks the whole table: all its locks against all its accounts, and its
// counters against the ids in use. found is called with each finding as soon as
// it is certain, progress now and then; neither is called twice at once, nor
// after Run has returned. progress may be nil.
//
// An error means that the check is not complete; what was found until then stays,
// and the Summary says how much was read.
func Run(ctx context.Context, t *dynamo.Table, o Options, found func(Finding), progress func(State)) (Summary, error) {
	o.fill()
	defer limitGarbage(o.Memory)()
	ctx = o.Gate.Hold(ctx)
	begun := time.Now()
	r := newRun(t, o)
	r.found, r.progress, r.cost = found, progress, Estimate(t, o)
	r.summary = Summary{Table: t.Name, TableID: t.ID, Layout: t.Layout.Name, Findings: map[Kind]int{}, Confirmed: true}
	r.consistent.Rate = scan.RateOf(t.Description, o.MaxReadUnits)
	if o.Confirm == ConfirmFull {
		r.waits = t.Connection().Settle()
	}
	stop := r.begin()
	err := r.all(ctx)
	stop()
	if err == nil {
		r.end()
	}
	s := &r.summary
	if err != nil {
		r.lacks("%s", err)
	}
	s.Complete = s.Why == ""
	s.Seconds = (time.Since(begun) - o.Gate.Held()).Seconds()
	s.Assumptions = Assumptions(t, o, slices.DeleteFunc(slices.Collect(maps.Keys(r.sure)), func(k Kind) bool { return !r.sure[k] })...)
	s.ReadUnits, s.Throttled = r.units(), r.state().Throttled
	return *s, err
}

// Checkable reports whether a check of a table has something to compare.
func Checkable(t *dynamo.Table) bool { return !t.Layout.Empty() || len(t.Layout.Keyed) > 0 }

// run is one check: its tables and rules, and what the first reading has counted.
type run struct {
	*report
	t        *dynamo.Table
	o        *Options
	sources  []*source
	rules    rules
	codec    *keyCodec
	seed     *sketch.Seed
	schemaOf func(table string) attr.Schema
	expiry   *expiry
	ids      *idCheck
	values   *valueCheck
	drift    *driftCheck

	count tally // of the first pass
	// part is the partition of the keys that is checked, and load about how many of all
	// keys are left over, where they are more than memory holds.
	part partition
	load int
}

func newRun(t *dynamo.Table, o Options) *run {
	r := &run{t: t, o: &o, sources: sources(t), seed: sketch.NewSeed()}
	r.report = &report{about: t, layout: t.Layout.Hash(), o: r.o, consistent: t.ConsistentReader(), sure: map[Kind]bool{}}
	r.codec, r.schemaOf = &keyCodec{sources: r.sources}, schemaIn(r.sources)
	r.rules = rulesOf(t, r.sources, r.codec)
	r.expiry, r.ids = &expiry{run: r}, &idCheck{run: r, series: idSeries{}}
	r.values, r.drift = &valueCheck{run: r}, &driftCheck{run: r}
	return r
}

// all is the check from its beginning to its end.
func (r *run) all(ctx context.Context) error {
	if !Checkable(r.t) {
		return r.t.NoLayout("checking " + r.t.Name)
	}
	if err := offered(r); err != nil {
		return err
	}
	r.noteLimits()
	if err := r.fit(); err != nil {
		return err
	}
	r.enter(stage{Stage: Preparing})
	if err := r.expiry.ask(ctx); err != nil {
		return err
	}
	if c := r.o.Candidates; c != nil && c.made != r.asSQL().Made() {
		return c.refuse(fmt.Errorf("they were found by other SQL than is printed for %s now: its layout, its keys, the attribute by which its items expire or this program is another", r.t.Name))
	}
	for _, from := range r.sources {
		from.ask(r.t)
		from.ids = r.ids.of(from)
		from.plain = plainRolesOf(r.t, from, r.rules.of)
	}
	r.rules.findColumns(r.sources[0])
	left, err := r.first(ctx)
	if err != nil {
		return err
	}
	if n := r.count.keyless; n > 0 {
		r.summary.Why = fmt.Sprintf("%s of the export do not have the key of %s: it is of another table", scan.Count(n), r.t.Name)
		return nil
	}
	r.sum()
	if left != nil || r.ids.twice() || r.values.twice() {
		if err := r.followUp(ctx, left); err != nil {
			return err
		}
	}
	noteReserved(r)
	if err := r.drift.confirm(ctx); err != nil {
		return err
	}
	r.partly()
	if r.expiry.unlisted {
		r.lacks("more than %s expire otherwise than their locks, and the others are not listed: give the check more --memory", phrase.Count(mostTTLMismatches(r.o.Memory), "account"))
	}
	if err := r.ids.countersLast(ctx); err != nil {
		return err
	}
	if r.conflicts > 0 {
		r.lacks("%s could not be judged, since the application kept writing to the same items while they were read together (TransactionConflict): check again while less is written", phrase.Count(r.conflicts, "value"))
	}
	return r.sameTables(ctx)
}

// sum puts what the first reading has counted into the summary.
func (r *run) sum() {
	s, c := &r.summary, &r.count
	if n := c.impossible; n > 0 {
		r.remark("no lock can be made of %s that accounts hold, such as %s", phrase.Count(int(n), "value"), quote(c.example))
	}
	if c.lostCounters > 0 && r.o.wantsCounters() {
		r.lacks("the table has more than %s, and the others were not compared with the ids in use: give the check more --memory", phrase.Count(mostCounters(r.o.Memory), "counter"))
	}
	if most, over := r.ids.overflow(); over {
		r.lacks("more than %s may be carried by two items, and no more were followed up: give the check more --memory", phrase.Count(most, "id"))
	}
	r.values.sum()
	s.Accounts, s.Locks, s.Marks, s.MoreMarks = c.accounts, c.locks, c.marks, c.moreMarks
}

// noteReserved says of locks without accounts why they are no findings.
func noteReserved(r *run) {
	switch n := r.summary.Reserved; n {
	case 0:
	case 1:
		r.remark("1 lock is reserved: its account may still come, and it is no finding")
	default:
		r.remark("%s are reserved: their accounts may still come, and they are no findings", phrase.Count(n, "lock"))
	}
}

// sameTables makes sure that the tables are those that the check has begun with: what
// was read of one that was deleted and made again says nothing of it.
func (r *run) sameTables(ctx context.Context) error {
	if r.o.exportOnly() {
		return nil
	}
	for _, from := range r.sources {
		now, err := r.consistent.Describe(ctx, from.name)
		if err != nil {
			return err
		}
		if was := r.t.DescriptionOf(from.name).ID; was != now.ID {
			r.lacks("the table %s was deleted and created again while it was checked: check it again", from.name)
		}
	}
	return nil
}

// noteLimits remarks on what was asked for and cannot be found in this table, or by this
// check.
func (r *run) noteLimits() {
	if n := r.o.Known.others(r.t.Name, r.t.ID); n > 0 {
		r.remark("the baseline has %s of another table that was called %s: they are not left out", phrase.Count(n, "finding"), r.t.Name)
	}
	if why := r.t.Regions().Unproven(); why != "" {
		r.remark("nothing is confirmed that rests on something not being there: %s", why)
	}
	switch {
	case r.t.Layout.Empty():
		r.remark("no accounts, locks or counters were recognised: keys that are made of other attributes are all that is compared")
	case !r.drift.wanted() && !r.o.wantsLocks() && !r.o.wantsCounters():
		r.remark("the layout %s has no derived keys: there was nothing to look for", r.t.Layout.Name)
	case !r.drift.wanted() && !r.o.wantsLocks() && len(r.t.Layout.Counters) == 0:
		r.remark("the layout %s has no counters: there was nothing to look for", r.t.Layout.Name)
	case len(r.rules.all) == 0 && !r.values.wanted() && len(r.o.Only) > 0 && !r.o.wantsCounters() && !r.drift.wanted():
		r.remark("the layout %s has no locks: there was nothing to look for", r.t.Layout.Name)
	}
}
