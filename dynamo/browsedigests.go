package dynamo

import (
	"slices"

	"tallylock/dynamo/layout"
)

// doubtDigests takes back the verdicts on locks that keep digests and that no account claims,
// and on accounts without a lock, once the table was read: while a constraint has both, a lock
// may keep the value of such an account, digested otherwise.
func (v *values) doubtDigests() {
	if !v.b.page.ended() {
		return
	}
	locks, missing := map[*layout.Constraint][]*row{}, map[*layout.Constraint][]*row{}
	for _, r := range v.b.rows {
		switch rel := r.rel; {
		case rel == nil || rel.err != nil:
		case rel.Verdict == Missing:
			missing[rel.Constraint] = append(missing[rel.Constraint], r)
		case rel.Verdict.needsAbsence() && rel.Constraint.KeepsDigest(rel.Value):
			locks[rel.Constraint] = append(locks[rel.Constraint], r)
		}
	}
	for c, unclaimed := range locks {
		for other, without := range missing {
			if other.SamePlace(v.b.t.Name, c) {
				for _, r := range slices.Concat(unclaimed, without) {
					r.renew().Judgement = r.rel.takenBack(whyDigests)
				}
			}
		}
	}
}
