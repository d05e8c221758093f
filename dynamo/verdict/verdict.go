// Package verdict judges a lock and its value by facts that other packages have read. It reads nothing.
// Start at Judge. A Relation is the subject of a judgement. JudgeItems judges findings without a lock.
package verdict

// A Verdict classifies a value and its lock.
type Verdict string

// NeedsAbsence reports whether the verdict requires that no account claims the lock.
func (v Verdict) NeedsAbsence() bool { return v == Orphaned || v == Stale || v == Malformed }

// The verdicts of a lock, and of an account's value.
const (
	Held      Verdict = "held"      // one account claims the lock; an owner that the lock names is this account
	Orphaned  Verdict = "orphaned"  // the lock exists and no account uses its value
	Stale     Verdict = "stale"     // the account that the lock names exists and holds another value
	Foreign   Verdict = "foreign"   // the lock names one account, and only another account holds the value
	Duplicate Verdict = "duplicate" // two or more accounts claim the lock
	Malformed Verdict = "malformed" // the lock's key can only come from a mistake
	Missing   Verdict = "missing"   // no lock, and an account claims the value
	Reserved  Verdict = "reserved"  // no account uses its value yet, and one may still come
	Free      Verdict = "free"      // no lock and no claimant
	InUse     Verdict = "in use"    // one account holds the value, and no lock keeps it or has to
	Unknown   Verdict = "unknown"   // the readings do not decide
)

// Broken reports whether the verdict is a fault in the table.
func (v Verdict) Broken() bool {
	//exhaustive:enforce
	switch v {
	case Orphaned, Stale, Foreign, Duplicate, Malformed, Missing:
		return true
	case Held, Reserved, Free, InUse, Unknown:
	}
	return false
}

// OfValue returns the verdict in the words for an account's value: "locked" if the lock is held.
func (v Verdict) OfValue() string {
	if v == Held {
		return "locked"
	}
	return string(v)
}
