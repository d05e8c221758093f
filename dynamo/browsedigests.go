package dynamo

import "tallylock/dynamo/layout"

// doubtDigests takes back the verdicts on locks that keep digests and that no account claims,
// and on accounts without a lock, once the table was read: while a constraint has both, a lock
// may keep the value of such an account, digested otherwise. Rows that were given out do not
// change: others take their places.
func (v *values) doubtDigests() {
	if !v.b.page.ended() {
		return
	}
	locks, missing := map[*layout.Constraint][]*Relation{}, map[*layout.Constraint][]*Relation{}
	for _, rel := range v.b.view.Relations {
		switch {
		case rel == nil || rel.err != nil:
		case rel.Verdict == Missing:
			missing[rel.Constraint] = append(missing[rel.Constraint], rel)
		case rel.Verdict.needsAbsence() && rel.Constraint.KeepsDigest(rel.Value):
			locks[rel.Constraint] = append(locks[rel.Constraint], rel)
		}
	}
	for c, unclaimed := range locks {
		for other, without := range missing {
			if !other.SamePlace(v.b.t.Name, c) {
				continue
			}
			for _, rel := range append(unclaimed, without...) {
				doubted := *rel
				doubted.Judgement = rel.takenBack(whyDigests)
				v.replace(rel, &doubted)
				if s := v.b.unclaimed.all[rel.Subject()]; s != nil && s.row == rel {
					s.row = &doubted
				}
			}
		}
	}
}
