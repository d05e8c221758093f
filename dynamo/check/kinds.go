package check

import (
	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// Kind is what is wrong, by the name that scripts know.
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

// Rests is what a kind of finding rests on.
type Rests int

// From the least to the most that has to be read.
const (
	// OnItem: one item alone.
	OnItem Rests = iota - 1
	// OnCounters: a counter and the ids in use.
	OnCounters
	// OnPairs: a lock and the accounts that hold its value.
	OnPairs
	// OnAbsence: no account of the whole table claims a lock.
	OnAbsence
)

// kind is a row of the table of kinds: all that this package knows of one besides the
// place where it is found.
type kind struct {
	name  Kind
	rests Rests
	// verdict is the lock's verdict that becomes this kind; empty for kinds that are
	// found otherwise.
	verdict dynamo.Verdict
	// handsOut: it says that numbers were handed out, and rests on how applications do so.
	handsOut bool
	// same says by what two findings of the kind are told to be the same, besides what
	// they are about.
	same sameness
}

// sameness is what tells two findings of one thing apart.
type sameness int

const (
	sameSubject  sameness = iota
	sameHolders           // the accounts, if all are listed
	sameAccounts          // the accounts alone, whichever of their locks is named
	sameItems
	sameKey // the account and the attribute
)

// kinds are all kinds, in the order in which they are listed.
var kinds = []kind{
	{name: OrphanedLock, rests: OnAbsence, verdict: dynamo.Orphaned},
	{name: StaleLock, rests: OnAbsence, verdict: dynamo.Stale},
	{name: MissingLock, rests: OnPairs, verdict: dynamo.Missing, same: sameHolders},
	{name: ForeignLock, rests: OnPairs, verdict: dynamo.Foreign},
	{name: DuplicateValue, rests: OnPairs, verdict: dynamo.Duplicate, same: sameHolders},
	{name: UnnormalisedLock, rests: OnPairs},
	{name: MalformedLock, rests: OnAbsence, verdict: dynamo.Malformed},
	{name: ExpiringAccount, rests: OnPairs, same: sameAccounts},
	{name: CounterBehind, handsOut: true},
	{name: CounterMissing, handsOut: true},
	{name: CounterNotNumber},
	{name: CounterUnsafe},
	{name: CounterOffStep},
	{name: DuplicateID, same: sameItems},
	{name: DriftedKey, rests: OnItem, same: sameKey},
}

// Kinds lists them all.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for n := range kinds {
		all[n] = kinds[n].name
	}
	return all
}

func (k Kind) row() kind {
	for _, row := range kinds {
		if row.name == k {
			return row
		}
	}
	return kind{name: k}
}

// Rests is what the kind rests on; of one that is not known, counters.
func (k Kind) Rests() Rests { return k.row().rests }

// ofLocks reports whether the kind takes a join of locks and accounts to be found.
func (k Kind) ofLocks() bool { return k.Rests() >= OnPairs }

// OnAbsence reports whether the kind says that no account claims a lock.
func (k Kind) OnAbsence() bool { return k.Rests() == OnAbsence }

func (k Kind) handsOut() bool { return k.row().handsOut }

// kindOf is the kind of a lock's verdict; empty where that is no fault.
func kindOf(v dynamo.Verdict) Kind {
	for _, row := range kinds {
		if row.verdict != "" && row.verdict == v {
			return row.name
		}
	}
	return ""
}
