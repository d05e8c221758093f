package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
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
	defer lessGarbage()()
	o.fill()
	ctx = o.Gate.Hold(ctx)
	c := &checker{
		t: t, o: o, found: found, progress: progress, cost: Estimate(t, o), begun: time.Now(), sources: sources(t), witness: t.Witness(), secret: newSecret(),
		layout: t.Layout.Hash(), sure: map[Kind]bool{}, summary: Summary{Table: t.Name, TableID: t.ID, Layout: t.Layout.Name, Findings: map[Kind]int{}, Confirmed: true},
	}
	c.witness.Rate = scan.RateOf(t.Description, o.MaxReadUnits)
	c.rules, c.ruleOf = rulesOf(t, c.sources)
	if o.Confirm == ConfirmFull {
		c.waits = t.Connection().Settle()
	}
	stop := c.report()
	err := c.run(ctx)
	stop()
	s := &c.summary
	if err != nil {
		c.lacks("%s", err)
	}
	s.Complete = s.Why == ""
	s.Seconds = (time.Since(c.begun) - o.Gate.Held()).Seconds()
	s.Assumptions = Assumptions(t, o, slices.DeleteFunc(slices.Collect(maps.Keys(c.sure)), func(k Kind) bool { return !c.sure[k] })...)
	s.ReadUnits, s.Throttled = c.units(), c.state().Throttled
	return *s, err
}

// checker is one check.
type checker struct {
	t       *dynamo.Table
	layout  string // its hash
	o       Options
	found   func(Finding)
	begun   time.Time
	cost    Cost
	waits   time.Duration // of a second look
	sources []*source
	rules   []*rule
	ruleOf  map[*layout.Constraint]*rule
	witness *dynamo.Witness
	secret  *secret

	progress func(State)   // nil where nobody listens
	changed  chan struct{} // something is to be reported

	speak    sync.Mutex // while found or progress runs
	mu       sync.Mutex
	now      stage
	suspects int
	done     scan.Totals // of the scans that are over
	summary  Summary
	sure     map[Kind]bool // of which something was confirmed
	early    []string      // of the summary's notes
	// conflicts is how many values could not be read together.
	conflicts int
	count     counts // of the first pass
	mintings  mintings
	seen      *idSet
	// allExpire: it has been said of all accounts that they expire without their
	// locks; else lopsided are those of which it has been said. More than one round may
	// come by an account. unlisted: they are more than memory remembers.
	allExpire, unlisted bool
	lopsided            map[uint64]bool
	// firstUnits and firstTook are what the first reading has taken, and round is which
	// of how many rounds is under way.
	firstUnits    float64
	firstTook     time.Duration
	round, rounds int
}

// run is the check from its beginning to its end.
func (c *checker) run(ctx context.Context) error {
	if c.t.Layout.Empty() {
		return c.t.NoLayout("checking " + c.t.Name)
	}
	if err := c.exports(); err != nil {
		return err
	}
	c.beside()
	if err := c.fit(); err != nil {
		return err
	}
	c.enter(stage{what: "preparing"})
	if err := c.expiries(ctx); err != nil {
		return err
	}
	for _, from := range c.sources {
		from.ask(c.t)
		from.ids = c.ids(from)
		from.glance = c.glance(from)
	}
	left, tooMany, err := c.first(ctx)
	if err != nil {
		return err
	}
	sum := &c.summary
	if n := c.count.keyless; n > 0 {
		sum.Why = fmt.Sprintf("%s of the export do not have the key of %s: it is of another table", scan.Count(n), c.t.Name)
		return nil
	}
	if n := c.count.impossible; n > 0 {
		c.remark("no lock can be made of %s that accounts hold, such as %s", many(int(n), "value"), c.count.example)
	}
	if c.count.lostCounters > 0 && c.ofCounters() {
		c.lacks("the table has more than %s, and the others were not compared with the ids in use: give the check more --memory", many(mostCounters(c.o.Memory), "counter"))
	}
	if c.seen != nil && c.seen.over {
		c.lacks("more than %s may be carried by two items, and no more were followed up: give the check more --memory", many(c.seen.most, "id"))
	}
	sum.Accounts, sum.Locks, sum.Marks, sum.MoreMarks = c.count.accounts, c.count.locks, c.count.marks, c.count.moreMarks
	if tooMany != nil {
		err = c.inRounds(ctx, *tooMany)
	} else {
		err = c.followUp(ctx, left, share{})
	}
	if err != nil {
		return err
	}
	if c.unlisted {
		c.lacks("more than %s expire otherwise than their locks, and the others are not listed: give the check more --memory", many(mostLopsided(c.o.Memory), "account"))
	}
	if err := c.countersLast(ctx); err != nil {
		return err
	}
	if c.conflicts > 0 {
		c.lacks("%s could not be judged, since the application kept writing to the same items while they were read together (TransactionConflict): check again while less is written", many(c.conflicts, "value"))
	}
	return c.sameTables(ctx)
}

// sameTables makes sure that the tables are those that the check has begun with: what
// was read of one that was deleted and made anew says nothing of it.
func (c *checker) sameTables(ctx context.Context) error {
	if c.o.exportOnly() {
		return nil
	}
	for _, from := range c.sources {
		now, err := c.witness.Describe(ctx, from.name)
		if err != nil {
			return err
		}
		if was := c.t.IDOf(from.name); was != now.ID {
			c.lacks("the table %s was deleted and made anew while it was checked: check it again", from.name)
		}
	}
	return nil
}

// beside notes what of that which is asked for this table cannot have, or this
// check not tell.
func (c *checker) beside() {
	if n := c.o.Known.others(c.t.Name, c.t.ID); n > 0 {
		c.remark("the baseline has %s of another table that was called %s: they are not left out", many(n, "finding"), c.t.Name)
	}
	if why := c.t.Regions().Unproven(); why != "" {
		c.remark("nothing is confirmed that rests on something not being there: %s", why)
	}
	switch {
	case !c.ofLocks() && len(c.t.Layout.Counters) == 0:
		c.remark("the layout %s has no counters: there was nothing to look for", c.t.Layout.Name)
	case len(c.rules) == 0 && len(c.o.Only) > 0 && !slices.ContainsFunc(c.o.Only, func(k Kind) bool { return !k.ofLocks() }):
		c.remark("the layout %s has no locks: there was nothing to look for", c.t.Layout.Name)
	}
}

// ofLocks reports whether findings of locks are asked for.
func (c *checker) ofLocks() bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.ofLocks() && c.o.wants(k) })
}

// ofCounters reports whether findings of counters are asked for.
func (c *checker) ofCounters() bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return !k.ofLocks() && c.o.wants(k) })
}

// wantsTwins reports whether ids that two items carry are looked for.
func (c *checker) wantsTwins() bool {
	return c.o.wants(DuplicateID) && slices.ContainsFunc(c.sources, func(from *source) bool { return len(from.ids) > 0 })
}

// emit reports a finding, unless it is not asked for or known already.
func (c *checker) emit(f Finding) {
	if !c.o.wants(f.Kind) {
		return
	}
	f.Table, f.TableID = c.t.Name, c.t.ID
	if f.Kind.ofLocks() {
		f.Layout = c.layout
	}
	if f.Accounts == nil {
		f.Accounts = []attr.Item{}
	}
	known := c.o.Known.has(f)
	c.mu.Lock()
	if known {
		c.summary.Known++
	} else {
		c.summary.Findings[f.Kind]++
		c.sure[f.Kind] = c.sure[f.Kind] || f.Confirmed
		c.summary.Confirmed = c.summary.Confirmed && f.Confirmed
	}
	c.mu.Unlock()
	if !known {
		c.speak.Lock()
		defer c.speak.Unlock()
		c.found(f)
	}
}
