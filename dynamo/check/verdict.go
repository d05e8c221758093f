package check

import "tallylock/dynamo"

// verdict is what became of a suspect. It has no kind where nothing is wrong.
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

// nobodys reports whether the finding rests on no account calling for the lock.
func (v verdict) nobodys() bool { return v.kind.nobodys() }

// verdict says what is wrong with a suspect, by what was read last.
func (l *look) verdict(s *suspect, rel *dynamo.Relation) verdict {
	v := verdict{rel: rel, confirmed: l.c.o.Confirm != ConfirmNone && !rel.Provisional, doubt: rel.Why}
	if s.more > 0 && rel.Verdict != dynamo.Duplicate {
		l.c.unsettled(1) // those that are known have left, and others are not
		return v
	}
	if l.c.ruleOf[rel.Constraint].unfit {
		return v // it has been said that nothing of it is judged
	}
	switch rel.Verdict {
	case dynamo.Missing:
		v.kind = MissingLock
	case dynamo.Duplicate:
		v.kind = DuplicateValue
	case dynamo.Foreign:
		v.kind = ForeignLock
	case dynamo.Held:
		if sentence, uneven := l.c.uneven(rel); uneven {
			v.kind, v.sentence = ExpiringAccount, sentence
		}
	case dynamo.Orphaned, dynamo.Stale, dynamo.Malformed, dynamo.Unknown:
		return l.nobodys(s, v)
	}
	return v
}

// nobodys judges a lock that no account calls for.
func (l *look) nobodys(s *suspect, v verdict) verdict {
	rel := v.rel
	// An orphan has no account on any reading: where the first one met as many as
	// locks, or more, somebody had it.
	if s.count >= 0 || len(s.claimants) > 0 || s.gone || !rel.Lock.Exists {
		l.c.unsettled(1) // it changed while it was looked at
		return v
	}
	switch {
	case rel.Verdict == dynamo.Malformed, s.bad:
		v.kind, rel.Verdict = MalformedLock, dynamo.Malformed
	case rel.Verdict == dynamo.Stale:
		v.kind = StaleLock
	default:
		v.kind = OrphanedLock
	}
	switch {
	case rel.Why != "":
		v.doubt = rel.Why
	case l.restless && rel.Provisional:
		v.doubt = "values were given up and taken again all the while, and this may be one of them"
	case rel.Apart():
		v.doubt = "this endpoint has no transactions, and lock and accounts could not be read at one moment"
	}
	v.confirmed = v.doubt == "" && (v.confirmed || l.settled)
	return v
}

// pairUp makes one finding of a lock that nobody calls for and an account whose
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
