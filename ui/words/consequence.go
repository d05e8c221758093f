package words

import (
	"cmp"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
)

// Consequence says what a verdict does to people.
func Consequence(r *dynamo.Relation) string {
	v := phrase.Quote(r.Value)
	switch {
	case r.Constraint.Lockless():
		return cmp.Or(locklessConsequence(r), r.Why)
	case r.Impossible() != nil:
		return r.Impossible().Error()
	case r.Lock.Mark != "":
		return "a release of it was begun and not finished; the marker that is left is harmless, and a new release takes it over"
	}
	//exhaustive:enforce
	switch r.Verdict {
	case dynamo.Held:
		return "a sign-up as " + v + ` is rightly told "already in use"`
	case dynamo.Orphaned, dynamo.Malformed:
		return "a sign-up as " + v + ` is told "already in use"`
	case dynamo.Stale:
		return "a sign-up as " + v + ` is told "already in use", though nobody uses it`
	case dynamo.Foreign:
		return holder(r) + " cannot free or change what it holds"
	case dynamo.Duplicate:
		return shared(len(r.Claimants), r.Constraint.Name)
	case dynamo.Missing:
		if r.Spelt != nil {
			return "somebody else can sign up as " + v + "; its lock is there in another spelling, " + r.Spelt.Lock.Key.String()
		}
		return "somebody else can sign up as " + v
	case dynamo.Reserved:
		return "until then only the sign-up in progress can take it; any other is told \"already in use\""
	case dynamo.Free:
		return "anybody can sign up as " + v
	case dynamo.InUse, dynamo.Unknown:
	}
	return r.Why
}

// holder is the account that holds a value, by its key.
func holder(r *dynamo.Relation) string {
	if a := r.Holder(); a != nil {
		return a.Key.Hash.Value.Display()
	}
	return "an account"
}

// locklessConsequence is Consequence of a value that no locks keep; empty if nothing follows.
func locklessConsequence(r *dynamo.Relation) string {
	switch r.Verdict {
	case dynamo.Duplicate:
		return shared(len(r.Claimants), r.Constraint.Name)
	case dynamo.InUse:
		return "the application alone decides whether a second account may take it"
	case dynamo.Free:
		return "anybody can sign up as " + phrase.Quote(r.Value)
	}
	return ""
}
