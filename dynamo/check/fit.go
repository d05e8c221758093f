package check

import (
	"fmt"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// Refuses returns the error with which Run would refuse to begin, or nil. Run refuses if the export or the candidates
// belong to another table, if the sample fits no constraint of the layout, or if the disk has too little room. Refuses
// reads no item, so a caller can ask before a person accepts the cost.
func Refuses(t *dynamo.Table, o setting.Options) error {
	o.Fill()
	r := newRun(t, o)
	if err := verifyInputs(r); err != nil {
		return err
	}
	return r.mayBegin()
}

// Misfits returns the error of Refuses about the layout alone. It does not look at the room on the disk: before an SQL
// engine has read the items, nobody knows how many values SQL leaves to the check.
func Misfits(t *dynamo.Table, o setting.Options) error {
	o.Fill()
	return newRun(t, o).requireFit()
}

// mayBegin returns an error if the layout does not fit, or if the disk has too little room.
func (r *run) mayBegin() error {
	if err := r.requireFit(); err != nil {
		return err
	}
	return setting.RequireDisk(r.t, *r.o)
}

// requireFit notes each constraint that does not fit the sample. If no constraint fits, it returns an error, since
// reading the whole table would be a waste. If some locks in the sample name no owner, it stops comparing the owners of
// their constraint. The sample was read when the table was opened.
func (r *run) requireFit() error {
	if len(r.rules.All) == 0 || !r.o.WantsLocks() {
		return nil
	}
	var unfit []*join.Rule
	for _, of := range r.rules.All {
		fit := r.t.Fit.Of(of.Constraint)
		if fit.Unnamed > 0 && of.First.Owned {
			ignoreOwners(r, of)
		}
		if fit.Standing() == layout.Contradicted {
			unfit = append(unfit, of)
		}
	}
	if len(unfit) == len(r.rules.All) {
		return r.t.Fit.Misfit("checking "+r.t.Name, nil)
	}
	for _, of := range unfit {
		r.noteMisfit(of, r.report.Warn)
	}
	return nil
}

// noteMisfit notes that the layout does not fit a constraint, at most once for each constraint. The check is then
// incomplete, because it does not judge that constraint.
func (r *run) noteMisfit(of *join.Rule, say func(format string, args ...any)) {
	if !of.Misfit {
		of.Misfit = true
		r.report.Incomplete("the layout does not fit %s", of.Name)
		say("%s is not judged, because the layout does not fit it: %s", of.Name, r.t.Fit.Of(of.Constraint).Why())
	}
}

// ignoreOwners stops comparing the owners of a constraint, because some of its locks name no owner. It adds a warning
// about this, and lists foreign locks as not checked.
func ignoreOwners(r *run, of *join.Rule) {
	of.First.Owned = false
	if r.o.Wants(finding.ForeignLock) {
		r.report.Summary.AddNotChecked(finding.UncheckedFindings, "not every "+of.Name+" lock names an account",
			slices.Contains(r.o.Only, finding.ForeignLock), string(finding.ForeignLock))
	}
	r.report.Warn("not every %s lock names an account, so the check does not look for wrong owners", of.Name)
}

// tooMany is a threshold in percent. A larger share of problems means that the layout may be wrong. For example, if a
// larger share of a constraint's locks is orphaned, people must type the number of findings before they repair them
// together. Most of these shares count only if there are at least fewLocks locks, values or keys: with fewer, a large
// share may be chance.
const (
	tooMany  = 20
	fewLocks = 20
)

// suspectLayout looks for signs of a wrong layout before any candidate is judged. It counts the apparent problems of
// each constraint, and fills j.many and j.digests.
func (j *judging) suspectLayout(groups [][]*join.Candidate) {
	now := asOf(j.run)
	orphans, missing, misspelt := map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*layout.Constraint]int{}
	digests := map[*layout.Constraint]bool{}
	for _, group := range groups {
		con := group[0].Rule.Constraint
		held, unclaimed := false, 0
		for _, c := range group {
			c.Mu.Lock()
			switch {
			case len(c.Holders) > 0:
				held = true
				if !c.Exists {
					missing[con]++
				}
			case c.Exists && !c.Absent && !c.Reserved(now):
				unclaimed++
				if con.KeepsDigest(c.Value) {
					digests[con] = true
				}
			}
			c.Mu.Unlock()
		}
		if held && unclaimed > 0 {
			misspelt[con]++
		} else {
			orphans[con] += unclaimed
		}
	}
	j.digests = map[*layout.Constraint]bool{}
	for con := range digests {
		for other := range missing {
			if j.run.t.SharesKeys(other, con) {
				j.digests[con], j.digests[other] = true, true
			}
		}
	}
	j.many = map[kindOf]string{}
	many := func(kind finding.Kind, con *layout.Constraint, found int, of, least int64, says string) {
		if n := int64(j.run.partition.Scaled(found)); of >= least && 100*n > tooMany*of {
			j.many[kindOf{kind, con}] = fmt.Sprintf(says, j.run.partition.About()+phrase.Number(n), phrase.Number(of), con.Name)
		}
	}
	for _, r := range j.run.rules.All {
		of, con := j.run.count.rules[r.Number], r.Constraint
		many(finding.OrphanedLock, con, orphans[con], of.locks, fewLocks, "%s of the %s %s locks have a value that no account uses")
		many(finding.MissingLock, con, missing[con], of.claims, fewLocks, "%s of the %s %s values have no lock")
		many(finding.UnnormalisedLock, con, misspelt[con], of.unfolded, 1,
			"%s of the %s %s values with capitals or the like have their lock in another spelling: the application may ignore case")
	}
}

// kindOf is the key of judging.many: a kind of findings about one constraint.
type kindOf struct {
	kind finding.Kind
	con  *layout.Constraint
}

// learnFit judges the layout's fit again. The evidence is the counts of a full pass and the claims on the candidates'
// locks.
func (f *followUp) learnFit() {
	f.run.t.Answers.LearnPlaces(f.search, true)
	if !f.run.partition.All() {
		return // a partition counts only some keys, and locks outside it may be unclaimed, too
	}
	for _, of := range f.run.rules.All {
		if held := f.search.OtherLocks(of.Constraint); held.Locks > 0 {
			f.run.t.Fit.Learn(of.Constraint, func(e *layout.Evidence) { e.Held = held })
		}
	}
	f.learnCounts()
}

// learnCounts judges the layout's fit by the counts of all items and by the claims on the candidates' locks.
func (f *followUp) learnCounts() {
	missing := map[*layout.Constraint]int{}
	twice := map[*layout.Constraint]int{}
	foreign := map[*layout.Constraint]int{}
	reserved := map[*join.Rule]int{}
	for _, c := range f.candidates {
		c.Mu.Lock()
		if c.Rule != nil && len(c.Holders) == 0 && c.Exists && c.Reserved(asOf(f.run)) {
			reserved[c.Rule.First]++
		}
		for con, n := range c.Claims() {
			if !c.Exists {
				missing[con]++
			}
			twice[con] += n - 1
			if c.Owner() != "" {
				rel := c.Relation(f.run.codec)
				if !slices.ContainsFunc(c.Accounts(f.run.sources[0]),
					func(a schema.Account) bool { return f.run.t.Names(rel.Constraint, rel.Lock, &a) }) {
					foreign[con]++
				}
			}
		}
		c.Mu.Unlock()
	}
	for _, of := range f.run.rules.All {
		if of.Guessed() {
			continue
		}
		tally, con := f.run.count.rules[of.Number], of.Constraint
		f.run.t.Fit.Learn(con, func(e *layout.Evidence) {
			e.Whole, e.Items, e.Accounts = true, int(f.run.report.Summary.Items), int(f.run.count.accounts)
			e.Claims, e.Locks = int(tally.claims), max(int(f.run.count.rules[of.First.Number].locks)-reserved[of.First], 0)
			e.Reserved = reserved[of.First]
			e.Values = max(e.Claims-twice[con], 0)
			e.Locked = max(e.Values-missing[con], 0)
			if of.First.Owned {
				e.Met, e.MetRight = e.Locked, max(e.Locked-foreign[con], 0)
			}
		})
	}
	for _, of := range f.run.rules.All {
		if f.run.t.Fit.Of(of.Constraint).Standing() == layout.Contradicted {
			f.run.noteMisfit(of, f.run.report.Note)
		}
	}
}
