package words

import (
	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/ui/kit"
)

// Finding is the sign of a finding: quiet, and asking, until it is confirmed. Where somebody may
// hold the lock's value it is that of the lock's verdict.
func Finding(f check.Finding) kit.Sign {
	if Unknown(f) {
		return Verdict(dynamo.Unknown, false)
	}
	s := Kind(f.Kind)
	if !f.Confirmed {
		s.Word += "?"
		s.Quiet = true
	}
	return s
}

// Unknown reports whether a finding is of a lock of which it is not known whether an account
// has its value.
func Unknown(f check.Finding) bool {
	return !f.Confirmed && f.Kind.OnAbsence() && f.Relation != nil && f.Relation.Verdict == dynamo.Unknown
}

// Subject is what a finding is about: a constraint and a value, an id, or a counter.
func Subject(f check.Finding) (what, value string) {
	switch {
	case f.Kind == check.DriftedKey:
		return f.Attribute, f.Seen.Display()
	case f.Number() != "":
		return "id", f.Number()
	case f.Counter != "":
		return "counter", f.Counter
	}
	return f.Constraint, f.Value
}

// Account is an account as a list shows it, by its key.
func Account(t *dynamo.Table, key attr.Item) string {
	if k, ok := t.Schema.KeyOf(key); ok {
		return k.Hash.Value.Display()
	}
	return ""
}

// Suspect says that there are very many findings like this one.
const Suspect = "very many are like this: look at some before you mend them together"
