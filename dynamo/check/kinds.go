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

// rests is what a kind of finding rests on.
type rests int

// From the least to the most that has to be read.
const (
	// onItem: one item alone.
	onItem rests = iota - 1
	// onCounters: a counter and the ids in use.
	onCounters
	// onPairs: a lock and the accounts that hold its value.
	onPairs
	// onAbsence: no account of the whole table claims a lock.
	onAbsence
)

// kind is a row of the table of kinds: all that this package knows of one besides the
// place where it is found.
type kind struct {
	name  Kind
	rests rests
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
	{name: OrphanedLock, rests: onAbsence, verdict: dynamo.Orphaned}, // no account claims the lock, and its owner, if it names one, is gone
	{name: StaleLock, rests: onAbsence, verdict: dynamo.Stale},       // its owner exists and holds another value
	{name: MissingLock, rests: onPairs, verdict: dynamo.Missing, same: sameHolders},
	{name: ForeignLock, rests: onPairs, verdict: dynamo.Foreign}, // it names one account, and only another holds the value
	{name: DuplicateValue, rests: onPairs, verdict: dynamo.Duplicate, same: sameHolders},
	{name: UnnormalisedLock, rests: onPairs}, // an account and a lock meet only when case and the like are folded
	{name: MalformedLock, rests: onAbsence, verdict: dynamo.Malformed},
	{name: ExpiringAccount, rests: onPairs, same: sameAccounts}, // DynamoDB will delete the account and not its lock, or the reverse
	{name: CounterBehind, handsOut: true},                       // an id above the counter is in use
	{name: CounterMissing, handsOut: true},                      // ids exist, and the counter does not
	{name: CounterNotNumber},                                    // text, a fraction or a negative number
	{name: CounterUnsafe},                                       // above 2^53 − 1
	{name: CounterOffStep},                                      // the counter is between two of its numbers
	{name: DuplicateID, same: sameItems},                        // two items carry one id
	{name: DriftedKey, rests: onItem, same: sameKey},            // a key is not what the attributes make of it that it is made of
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

// rests is what the kind rests on; of one that is not known, counters.
func (k Kind) rests() rests { return k.row().rests }

// ofLocks reports whether the kind takes a join of locks and accounts to be found.
func (k Kind) ofLocks() bool { return k.rests() >= onPairs }

// onAbsence reports whether the kind says that no account claims a lock.
func (k Kind) onAbsence() bool { return k.rests() == onAbsence }

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
