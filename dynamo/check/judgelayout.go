package check

import (
	"fmt"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// tooMany is a share in percent: of a constraint's locks, above which so many orphans make
// people type their number before they repair them together; of its values with capitals,
// above which the application may fold values. fewLocks is the least number that such a share
// is taken of.
const (
	tooMany  = 20
	fewLocks = 20
)

// suspectLayout counts what the candidates look like before any of them is judged.
func (j *judging) suspectLayout(groups [][]*candidate) {
	now := asOf(j.run)
	orphans, missing, misspelt := map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*layout.Constraint]int{}
	digests := map[*layout.Constraint]bool{}
	for _, group := range groups {
		con := group[0].rule.Constraint
		held, unclaimed := false, 0
		for _, c := range group {
			c.mu.Lock()
			switch {
			case len(c.holders) > 0:
				held = true
				if !c.exists {
					missing[con]++
				}
			case c.exists && !c.absent && !c.reserved(now):
				unclaimed++
				if con.KeepsDigest(c.value) {
					digests[con] = true
				}
			}
			c.mu.Unlock()
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
			if other.SamePlace(j.run.t.Name, con) {
				j.digests[con], j.digests[other] = true, true
			}
		}
	}
	j.many = map[kindOf]string{}
	many := func(kind Kind, con *layout.Constraint, found int, of, least int64, says string) {
		if n := int64(j.run.partition.scaled(found)); of >= least && 100*n > tooMany*of {
			j.many[kindOf{kind, con}] = fmt.Sprintf(says, j.run.partition.about()+phrase.Number(n), phrase.Number(of), con.Name)
		}
	}
	for _, r := range j.run.rules.all {
		of, con := j.run.count.rules[r.index], r.Constraint
		many(OrphanedLock, con, orphans[con], of.locks, fewLocks, "no account uses the values of %s of the %s %s locks")
		many(MissingLock, con, missing[con], of.claims, fewLocks, "%s of the %s %s values have no lock")
		many(UnnormalisedLock, con, misspelt[con], of.unfolded, 1,
			"%s of the %s %s values with capitals and the like have their locks in another spelling: the application may fold them")
	}
}

// kindOf is a kind of findings of one constraint.
type kindOf struct {
	kind Kind
	con  *layout.Constraint
}
