// Package verdict says what a lock and its value are, from facts that others have read. It reads nothing.
// Start at Judge; Relation is what is judged.
package verdict

// Verdict is what is known of a value and its lock.
type Verdict string

// NeedsAbsence reports whether the verdict rests on nobody calling for the lock.
func (v Verdict) NeedsAbsence() bool { return v == Orphaned || v == Stale || v == Malformed }

// The verdicts of a lock, and of an account's value.
const (
	Held      Verdict = "held"      // one claimant, and the owner, if named, is it
	Orphaned  Verdict = "orphaned"  // the lock exists and no account uses its value
	Stale     Verdict = "stale"     // its owner exists and holds another value
	Foreign   Verdict = "foreign"   // it names one account, and only another holds the value
	Duplicate Verdict = "duplicate" // two claimants or more
	Malformed Verdict = "malformed" // its key can only come from a mistake
	Missing   Verdict = "missing"   // no lock, and an account claims the value
	Reserved  Verdict = "reserved"  // no account uses its value yet, and one may still come
	Free      Verdict = "free"      // no lock and no claimant
	InUse     Verdict = "in use"    // one account holds it, and no lock does, nor has to
	Unknown   Verdict = "unknown"   // nothing that was read decides it
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

// OfValue is the verdict in the words used of an account's value: locked where
// the lock is held, free of faults.
func (v Verdict) OfValue() string {
	if v == Held {
		return "locked"
	}
	return string(v)
}
