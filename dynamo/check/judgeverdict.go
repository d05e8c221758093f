package check

import "tallylock/dynamo"

// verdict is what a candidate was judged to be. Its kind is empty if nothing is wrong.
type verdict struct {
	kind      Kind
	rel       *dynamo.Relation
	confirmed bool
	doubt     string // why it is not confirmed, if there is a reason
	sentence  string // what is wrong; empty for the relation's own sentence
	stopped   bool   // the check was stopped before it was judged
	// unread are accounts of a duplicate that were met and not read again; of moreAccounts
	// not even the keys are kept.
	unread        []dynamo.Account
	moreAccounts  int
	otherSpelling *dynamo.Relation
	// digests: see Finding.Digests.
	digests bool
	// asks is what a person has to decide; nil if nothing.
	asks *dynamo.Holding
}

// OnAbsence reports whether the finding rests on no account claiming the lock.
func (v verdict) OnAbsence() bool { return v.kind.OnAbsence() }

// verdict judges a candidate by what was read last.
func (j *judging) verdict(c *candidate, rel *dynamo.Relation) verdict {
	v := verdict{rel: rel, confirmed: j.run.o.Confirm != ConfirmNone && !rel.Provisional, doubt: rel.Why}
	if c.moreHolders > 0 && rel.Verdict != dynamo.Duplicate {
		j.report.unsettled() // the known accounts are gone, and the others are not known
		return v
	}
	if j.run.rules.byConstraint[rel.Constraint].misfit {
		return v // a note says so of the whole constraint
	}
	if rel.Pending && !rel.Until.IsZero() {
		j.report.reserved()
		return v
	}
	kind := KindOf(rel.Verdict)
	if rel.Verdict == dynamo.Unknown || kind.OnAbsence() {
		return j.judgeUnclaimed(c, v)
	}
	if kind == DuplicateValue && rel.Constraint.Compared() {
		return v // valueCheck finds all of these
	}
	if v.kind = kind; rel.Verdict == dynamo.Held {
		if sentence, is := j.run.expiry.mismatch(rel); is {
			v.kind, v.sentence = ExpiringAccount, sentence
		}
	}
	return v
}

// judgeUnclaimed judges a lock that no account claims.
func (j *judging) judgeUnclaimed(c *candidate, v verdict) verdict {
	rel := v.rel
	// An orphan had no account in any reading: if the first one met at least as many accounts
	// as locks, somebody had it.
	if c.count >= 0 || len(c.holders) > 0 || c.absent || !rel.Lock.Exists {
		j.report.unsettled() // it changed during the check
		return v
	}
	if v.kind = KindOf(rel.Verdict); v.kind == "" { // of an Unknown
		v.kind = OrphanedLock
	}
	switch {
	case rel.Why != "":
		v.doubt = rel.Why
	case j.followUp.unstable && rel.Provisional:
		v.doubt = "values were given up and taken again all the while, and this may be one of them"
	}
	v.confirmed = v.doubt == "" && v.confirmed
	return v
}

// pairUp makes one finding of an unclaimed lock and an account without a lock whose values
// differ only in spelling. Of several accounts it takes the one that the lock names.
func (j *judging) pairUp(verdicts []verdict) {
	for n := range verdicts {
		orphan := &verdicts[n]
		if orphan.kind != OrphanedLock && orphan.kind != StaleLock {
			continue
		}
		var pair *verdict
		for m := range verdicts {
			missing := &verdicts[m]
			if missing.kind == MissingLock &&
				(pair == nil || j.run.t.Names(orphan.rel.Constraint, orphan.rel.Lock, &missing.rel.Claimants[0])) {
				pair = missing
			}
		}
		if pair != nil {
			pair.kind, pair.otherSpelling = UnnormalisedLock, orphan.rel
			pair.confirmed = pair.confirmed && orphan.confirmed
			orphan.kind = ""
		}
	}
}
