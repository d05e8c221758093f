package finding

import (
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// Kind is the name of a kind of findings, for people and scripts.
type Kind string

// The kinds of findings.
const (
	OrphanedLock     Kind = "orphaned-lock"
	StaleLock        Kind = "stale-lock"
	MissingLock      Kind = "missing-lock"
	ForeignLock      Kind = "foreign-lock"
	DuplicateValue   Kind = "duplicate-value"
	UnnormalisedLock Kind = "unnormalised-value"
	MalformedLock    Kind = "malformed-lock"
	ExpiringAccount  Kind = "expiring-account"
	CounterBehind    Kind = Kind(layout.CounterBehind)
	CounterMissing   Kind = Kind(layout.CounterMissing)
	CounterNotNumber Kind = Kind(layout.CounterNotNumber)
	CounterUnsafe    Kind = Kind(layout.CounterUnsafe)
	CounterOffStep   Kind = Kind(layout.CounterOffStep)
	DuplicateID      Kind = "duplicate-id"
	DriftedKey       Kind = "drifted-key"
)

// Rests names the items that prove a finding of a kind.
type Rests int

// The values, from the fewest items to the most. OnCounters is the zero value.
const (
	// OnItem: the item itself.
	OnItem Rests = iota - 1
	// OnCounters: a counter and the ids in use.
	OnCounters
	// OnPairs: a lock and the accounts that hold its value.
	OnPairs
	// OnAbsence: all accounts. The finding says that no account claims the lock.
	OnAbsence
)

// kindInfo describes one kind of findings.
type kindInfo struct {
	name  Kind
	rests Rests
	// verdict is the verdict that leads to this kind; empty if none does. misspelt is set if the kind also needs a lock
	// in another spelling. expires is set if the kind also needs a TTL that only the lock or only its account has.
	verdict           verdict.Verdict
	misspelt, expires bool
	// handsOut is set if a finding of the kind says that ids were handed out. Such a finding depends on how the
	// application hands out ids.
	handsOut bool
	// same is the condition under which two findings of the kind are the same problem.
	same sameness
}

// sameness is the part that two findings of the same problem share, besides their subject.
type sameness int

const (
	sameSubject  sameness = iota
	sameHolders           // the accounts, if the finding lists all
	sameAccounts          // only the accounts, since the finding may name any of their locks
	sameItems             // the items, if the finding lists all
	sameKey               // the accounts and the attribute
)

// kinds has all kinds, in the order in which lists show them.
var kinds = []kindInfo{
	{name: OrphanedLock, rests: OnAbsence, verdict: verdict.Orphaned},
	{name: StaleLock, rests: OnAbsence, verdict: verdict.Stale},
	{name: MissingLock, rests: OnPairs, verdict: verdict.Missing, same: sameHolders},
	{name: ForeignLock, rests: OnPairs, verdict: verdict.Foreign},
	{name: DuplicateValue, rests: OnPairs, verdict: verdict.Duplicate, same: sameHolders},
	{name: UnnormalisedLock, rests: OnPairs, verdict: verdict.Missing, misspelt: true},
	{name: MalformedLock, rests: OnAbsence, verdict: verdict.Malformed},
	{name: ExpiringAccount, rests: OnPairs, verdict: verdict.Held, expires: true, same: sameAccounts},
	{name: CounterBehind, handsOut: true},
	{name: CounterMissing, handsOut: true},
	{name: CounterNotNumber},
	{name: CounterUnsafe},
	{name: CounterOffStep},
	{name: DuplicateID, same: sameItems},
	{name: DriftedKey, rests: OnItem, same: sameKey},
}

// Kinds lists all kinds in order.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for n := range kinds {
		all[n] = kinds[n].name
	}
	return all
}

func (k Kind) info() kindInfo {
	for _, row := range kinds {
		if row.name == k {
			return row
		}
	}
	return kindInfo{name: k}
}

// Rests returns the items that prove a finding of the kind. It returns OnCounters for an unknown kind.
func (k Kind) Rests() Rests { return k.info().rests }

// OfLocks reports whether findings of the kind come from comparing locks with accounts.
func (k Kind) OfLocks() bool { return k.Rests() >= OnPairs }

// OnAbsence reports whether findings of the kind claim that no account uses a lock.
func (k Kind) OnAbsence() bool { return k.Rests() == OnAbsence }

// HandsOut reports whether findings of the kind say that ids were handed out. Such a finding depends on how the
// application hands out ids.
func (k Kind) HandsOut() bool { return k.info().handsOut }

// KindOf returns the kind of finding for a judged relation. It returns "" if the relation is not a finding. If no
// account claims an existing lock and its verdict is unknown, KindOf returns OrphanedLock.
func KindOf(r *verdict.Relation) Kind {
	seems := r.Seems()
	switch {
	case seems == "" || r.Misfit || r.Changed || r.Unjudged || r.Pending && !r.Until.IsZero():
		return ""
	case r.Variant != nil:
		seems = verdict.Missing // both halves of a pair count as one missing lock
	case seems == verdict.Unknown && r.Lock.Exists && len(r.Claimants) == 0:
		seems = verdict.Orphaned
	}
	for _, row := range kinds {
		if row.verdict == seems && row.misspelt == (r.Variant != nil) && row.expires == r.ExpiresAlone {
			return row.name
		}
	}
	return ""
}
