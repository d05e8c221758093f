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
func (j *judging) suspectLayout(all *groups) {
	now := asOf(j.run)
	orphans, missing, misspelt := map[*layout.Constraint]int{}, map[*layout.Constraint]int{}, map[*layout.Constraint]int{}
	digests := map[*layout.Constraint]bool{}
	for group := range all.each {
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
	j.manyOrphans = map[*layout.Constraint]string{}
	j.manyUnfolded = map[*layout.Constraint]string{}
	j.manyMissing = map[*layout.Constraint]string{}
	for _, r := range j.run.rules.all {
		of, con, about := j.run.count.rules[r.index], r.Constraint, j.run.partition.about()
		if unclaimed := int64(j.run.partition.scaled(orphans[con])); of.locks >= fewLocks &&
			100*unclaimed > tooMany*of.locks {
			j.manyOrphans[con] = fmt.Sprintf("no account uses the values of %s%s of the %s %s locks", about,
				phrase.Number(unclaimed), phrase.Number(of.locks), con.Name)
		}
		if without := int64(j.run.partition.scaled(missing[con])); of.claims >= fewLocks && 100*without > tooMany*of.claims {
			j.manyMissing[con] = fmt.Sprintf("%s%s of the %s %s values have no lock", about, phrase.Number(without),
				phrase.Number(of.claims), con.Name)
		}
		if folds, odd := of.unfolded, int64(j.run.partition.scaled(misspelt[con])); 100*odd > tooMany*folds && folds > 0 {
			j.manyUnfolded[con] = fmt.Sprintf(
				"of the %s %s values with capitals and the like %s%s have their locks in another spelling: the application may fold them, and the layout %s be what is wrong",
				phrase.Number(folds), con.Name, about, phrase.Number(odd), j.run.t.Layout.Name,
			)
		}
	}
}
