package check

import "tallylock/dynamo"

// verdict is what became of a candidate. It has no kind where nothing is wrong.
type verdict struct {
	kind      Kind
	rel       *dynamo.Relation
	confirmed bool
	doubt     string // why it is not, where there is a reason
	sentence  string // what is wrong, where the relation's does not say
	cut       bool   // the check was stopped before it was judged
	// unread are accounts of a duplicate that were met on the look and not read again;
	// of more there was no room for their keys.
	unread []dynamo.Account
	more   int
	other  *dynamo.Relation
}

// OnAbsence reports whether the finding rests on no account calling for the lock.
func (v verdict) OnAbsence() bool { return v.kind.OnAbsence() }

// verdict says what is wrong with a candidate, by what was read last.
func (j *judging) verdict(c *candidate, rel *dynamo.Relation) verdict {
	v := verdict{rel: rel, confirmed: j.o.Confirm != ConfirmNone && !rel.Provisional, doubt: rel.Why}
	if c.more > 0 && rel.Verdict != dynamo.Duplicate {
		j.unsettled(1) // those that are known have left, and others are not
		return v
	}
	if j.rules.of[rel.Constraint].unfit {
		return v // it has been said that nothing of it is judged
	}
	if rel.Pending && !rel.Until.IsZero() {
		j.reserved()
		return v
	}
	kind := kindOf(rel.Verdict)
	if rel.Verdict == dynamo.Unknown || kind.OnAbsence() {
		return j.unclaimed(c, v)
	}
	if v.kind = kind; rel.Verdict == dynamo.Held {
		if sentence, is := j.expiry.mismatch(rel); is {
			v.kind, v.sentence = ExpiringAccount, sentence
		}
	}
	return v
}

// unclaimed judges a lock that no account claims.
func (j *judging) unclaimed(c *candidate, v verdict) verdict {
	rel := v.rel
	// An orphan has no account on any reading: where the first one met as many as
	// locks, or more, somebody had it.
	if c.count >= 0 || len(c.holders) > 0 || c.absent || !rel.Lock.Exists {
		j.unsettled(1) // it changed while it was looked at
		return v
	}
	if v.kind = kindOf(rel.Verdict); v.kind == "" { // nobody is known to hold it, and somebody may
		v.kind = OrphanedLock
	}
	switch {
	case rel.Why != "":
		v.doubt = rel.Why
	case j.unstable && rel.Provisional:
		v.doubt = "values were given up and taken again all the while, and this may be one of them"
	case rel.Apart():
		v.doubt = "this endpoint has no transactions, and lock and accounts could not be read at one moment"
	}
	v.confirmed = v.doubt == "" && v.confirmed
	return v
}

// pairUp makes one finding of a lock that nobody claims and an account whose
// lock is missing, where they differ in spelling only.
func pairUp(verdicts []verdict) {
	for n := range verdicts {
		orphan := &verdicts[n]
		if orphan.kind != OrphanedLock && orphan.kind != StaleLock {
			continue
		}
		for m := range verdicts {
			missing := &verdicts[m]
			if missing.kind != MissingLock {
				continue
			}
			missing.kind, missing.other = UnnormalisedLock, orphan.rel
			missing.confirmed = missing.confirmed && orphan.confirmed
			orphan.kind = ""
			break
		}
	}
}
