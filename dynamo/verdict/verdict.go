// Package verdict judges a value and its lock by facts that other packages have read. It does no I/O.
// Start at Judge. The subject of a judgement is a Relation. JudgeItems judges findings without a lock.
package verdict

// A Verdict is the state of a value and its lock.
type Verdict string

// NeedsAbsence reports whether the verdict is true only if no account claims the lock.
func (v Verdict) NeedsAbsence() bool { return v == Orphaned || v == Stale || v == Malformed }

// The verdicts.
const (
	Held      Verdict = "held"      // one account claims the lock, and the lock names this account or none
	Orphaned  Verdict = "orphaned"  // the lock exists, and no account uses its value
	Stale     Verdict = "stale"     // the lock names an account that exists and holds another value
	Foreign   Verdict = "foreign"   // the lock names one account, and another account holds the value
	Duplicate Verdict = "duplicate" // two or more accounts claim the lock
	Malformed Verdict = "malformed" // only a mistake can have made the lock's key, or no lock can be made for the value
	Missing   Verdict = "missing"   // an account holds the value, and the value has no lock
	Reserved  Verdict = "reserved"  // no account uses the lock's value yet, but the application may still write it
	Free      Verdict = "free"      // no lock, and no account holds the value
	InUse     Verdict = "in use"    // the value is in use without a lock, and this is no fault
	Unknown   Verdict = "unknown"   // the readings do not decide it
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

// OfValue returns the verdict in words for an account's value: "locked" instead of "held".
func (v Verdict) OfValue() string {
	if v == Held {
		return "locked"
	}
	return string(v)
}
