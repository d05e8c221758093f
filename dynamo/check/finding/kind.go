package finding

import (
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// Kind is the kind of a finding, by the name that scripts use.
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

// Rests says which items the findings of a kind rest on.
type Rests int

// The order is by how many items have to be read.
const (
	// OnItem means one item alone.
	OnItem Rests = iota - 1
	// OnCounters means a counter and the ids in use.
	OnCounters
	// OnPairs means a lock and the accounts that hold its value.
	OnPairs
	// OnAbsence means all accounts of the table: none of them claims the lock.
	OnAbsence
)

// kindInfo describes a kind of findings.
type kindInfo struct {
	name  Kind
	rests Rests
	// verdict is the verdict on a value and its lock that makes this kind; empty for other kinds.
	// If misspelt is set, the lock has to exist in another spelling. If expires is set, only one
	// of lock and account has a TTL.
	verdict           verdict.Verdict
	misspelt, expires bool
	// handsOut is set if the kind says that ids were handed out. Such a finding rests on how
	// applications hand them out.
	handsOut bool
	// same tells when two findings of the kind are equal.
	same sameness
}

// sameness is what two equal findings have in common besides their subject.
type sameness int

const (
	sameSubject  sameness = iota
	sameHolders           // the accounts, if all are listed
	sameAccounts          // only the accounts: the finding may name any of their locks
	sameItems
	sameKey // the account and the attribute
)

// kinds are all kinds, in the order of lists.
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

// Kinds returns all kinds.
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

// Rests returns the items that findings of the kind rest on; OnCounters for an unknown kind.
func (k Kind) Rests() Rests { return k.info().rests }

// OfLocks reports whether the kind is found by joining locks with accounts.
func (k Kind) OfLocks() bool { return k.Rests() >= OnPairs }

// OnAbsence reports whether the kind says that no account claims a lock.
func (k Kind) OnAbsence() bool { return k.Rests() == OnAbsence }

// HandsOut reports whether the kind says that ids were handed out. Such a finding rests on how applications
// hand them out.
func (k Kind) HandsOut() bool { return k.info().handsOut }

// KindOf returns the kind of the finding about a judged relation, or "" if there is no finding. For a
// lock with an unknown verdict it returns the kind that the lock seems to be.
func KindOf(r *verdict.Relation) Kind {
	seems := r.Seems()
	switch {
	case seems == "" || r.Misfit || r.Changed || r.Unjudged || r.Pending && !r.Until.IsZero():
		return ""
	case r.Spelt != nil:
		seems = verdict.Missing // of both halves
	case seems == verdict.Unknown && r.Lock.Exists && len(r.Claimants) == 0:
		seems = verdict.Orphaned
	}
	for _, row := range kinds {
		if row.verdict == seems && row.misspelt == (r.Spelt != nil) && row.expires == r.ExpiresAlone {
			return row.name
		}
	}
	return ""
}
