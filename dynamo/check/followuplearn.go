package check

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// learnFit judges the layout's fit again, by the counts of a whole reading and by the locks that
// accounts claim.
func (f *followUp) learnFit() {
	f.run.t.Fit.LearnPlaces(f.search, true)
	if !f.run.partition.all() {
		return // a part of the keys gives no counts of all, and other locks may be unclaimed, too
	}
	for _, of := range f.run.rules.all {
		if held := f.search.OtherLocks(of.Constraint); held.Locks > 0 {
			f.run.t.Fit.Learn(of.Constraint, func(e *layout.Evidence) { e.Held = held })
		}
	}
	missing := map[*layout.Constraint]int{}
	twice := map[*layout.Constraint]int{}
	foreign := map[*layout.Constraint]int{}
	reserved := map[*rule]int{}
	for _, c := range f.candidates {
		c.mu.Lock()
		if c.rule != nil && len(c.holders) == 0 && c.exists && c.reserved(asOf(f.run)) {
			reserved[c.rule.first]++
		}
		for con, n := range c.claims() {
			if !c.exists {
				missing[con]++
			}
			twice[con] += n - 1
			if c.owner() != "" {
				rel := c.relation(f.run.codec)
				if !slices.ContainsFunc(c.accounts(f.run.sources[0]),
					func(a dynamo.Account) bool { return f.run.t.Match.Names(rel, &a) }) {
					foreign[con]++
				}
			}
		}
		c.mu.Unlock()
	}
	for _, of := range f.run.rules.all {
		if of.guessed() {
			continue
		}
		tally, con := f.run.count.rules[of.index], of.Constraint
		f.run.t.Fit.Learn(con, func(e *layout.Evidence) {
			e.Whole, e.Items, e.Accounts = true, int(f.report.summary.Items), int(f.run.count.accounts)
			e.Claims, e.Locks = int(tally.claims), max(int(f.run.count.rules[of.first.index].locks)-reserved[of.first], 0)
			e.Reserved = reserved[of.first]
			e.Values = max(e.Claims-twice[con], 0)
			e.Locked = max(e.Values-missing[con], 0)
			if of.first.owned {
				e.Met, e.MetRight = e.Locked, max(e.Locked-foreign[con], 0)
			}
		})
	}
	for _, of := range f.run.rules.all {
		if f.run.t.Fit.Of(of.Constraint).Standing() == layout.Contradicted {
			f.run.noteMisfit(of, f.report.note)
		}
	}
}

// claims counts the accounts that claim the lock, by the constraint by which they do.
func (c *candidate) claims() map[*layout.Constraint]int {
	if c.rule == nil || len(c.holders) == 0 {
		return nil
	}
	all := map[*layout.Constraint]int{}
	for _, h := range c.holders {
		all[h.of.Constraint]++
	}
	all[c.holders[0].of.Constraint] += int(c.moreHolders)
	return all
}
