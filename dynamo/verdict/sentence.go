package verdict

import (
	"cmp"
	"fmt"
	"strings"

	"tallylock/dynamo/phrase"
)

// Sentence describes the verdict: the account that holds the value, and the state of the lock. The text may
// contain control characters, so the caller must sanitise it for a terminal.
func (r *Relation) Sentence() string {
	s := r.sentence()
	if r.regional {
		return strings.TrimSuffix(s, ".") + ", in this Region."
	}
	return s
}

func (r *Relation) sentence() string {
	name, v := r.Constraint.Name, r.Shown()
	if r.Constraint.Lockless() {
		return r.locklessSentence()
	}
	if r.Impossible != nil {
		return fmt.Sprintf("%s holds the %s %s, which cannot have a lock.", r.holder(), name, phrase.Quote(v))
	}
	switch {
	case r.Unjudged && r.Lock.Unread: // only the lock is unread
		return fmt.Sprintf("%s holds the %s %s.", r.holder(), name, phrase.Quote(v))
	case r.Unjudged:
		return fmt.Sprintf("%s holds the %s %s. Its lock is not checked yet.", r.holder(), name, phrase.Quote(v))
	}
	//exhaustive:enforce
	switch r.Verdict {
	case Held:
		if r.HeldBy != nil {
			return fmt.Sprintf("%s. A person has said so.", r.HeldBy)
		}
		return fmt.Sprintf("%s holds the %s %s and its lock.", r.holder(), name, phrase.Quote(v))
	case Orphaned:
		if r.Lock.Owner != "" {
			return r.ownerWords(Orphaned) + "."
		}
		return fmt.Sprintf("No account holds the %s %s, but its lock exists.", name, phrase.Quote(v))
	case Stale:
		return r.ownerWords(Stale) + "."
	case Foreign:
		return fmt.Sprintf("The lock names %s, but %s holds %s.", r.Lock.Owner, r.holder(), phrase.Quote(v))
	case Duplicate:
		return fmt.Sprintf("%s hold the %s %s.", r.claimantWords(), name, phrase.Quote(v))
	case Malformed:
		return fmt.Sprintf("The lock on %s can only come from a mistake.", phrase.Quote(v))
	case Missing:
		return fmt.Sprintf("%s holds the %s %s, which has no lock.", r.holder(), name, phrase.Quote(v))
	case Reserved:
		return fmt.Sprintf("No account holds the %s %s yet: it is reserved until %s.", name, phrase.Quote(v), r.UntilWords())
	case Free:
		return fmt.Sprintf("The %s %s is free.", name, phrase.Quote(v))
	case InUse:
		if r.HeldBy != nil {
			return fmt.Sprintf("%s, and the value has no lock.", r.HeldBy)
		}
		return fmt.Sprintf("%s holds the %s %s. Its lock has expired.", r.holder(), name, phrase.Quote(v))
	case Unknown:
	}
	if r.Lock.Table == "" {
		return fmt.Sprintf("The key of the lock needs more than the %s %s.", name, phrase.Quote(v))
	}
	switch {
	case r.seemed == Missing:
		return fmt.Sprintf("%s holds the %s %s, which has no lock.", r.holder(), name, phrase.Quote(v))
	case r.Lock.Owner != "" && (r.seemed == Stale || r.seemed == Orphaned):
		return r.ownerWords(r.seemed) + ". Another account may have the value."
	case r.seemed == Malformed:
		return fmt.Sprintf("The lock on %s looks like a mistake. An account may still have this value.", phrase.Quote(v))
	case r.Asks != nil && r.Lock.Exists:
		return fmt.Sprintf("A lock keeps %s. No account claims it, but another item holds the value.", phrase.Quote(v))
	case r.Lock.Exists:
		return fmt.Sprintf("A lock keeps %s. It is unknown whether an account has it.", phrase.Quote(v))
	}
	return fmt.Sprintf("No lock keeps the %s %s. It is unknown whether an account has it.", name, phrase.Quote(v))
}

// claimantWords returns "2 accounts", or "2 accounts or more" if there may be more.
func (r *Relation) claimantWords() string {
	many := phrase.Count(r.ClaimantCount(), "account")
	if r.More {
		many += " or more"
	}
	return many
}

// locklessSentence is Sentence for a constraint without locks.
func (r *Relation) locklessSentence() string {
	what := r.Constraint.Name + " " + phrase.Quote(r.Shown())
	switch many := r.claimantWords(); {
	case r.Verdict == Duplicate:
		return fmt.Sprintf("%s hold the %s.", many, what)
	case r.Verdict == InUse && len(r.Claimants) > 1:
		return fmt.Sprintf("%s hold the %s, each with a different %s. No locks keep it unique.", many, what,
			phrase.List(r.Constraint.Within))
	case r.Verdict == InUse:
		return fmt.Sprintf("%s holds the %s. No locks keep it unique.", r.Claimants[0].Key.Hash.Value.Display(), what)
	case r.Verdict == Free:
		return "No account holds the " + what + "."
	}
	return "It is unknown whether an account holds the " + what + "."
}

// ownerWords describes the problem with the account that the lock names. v is Orphaned or Stale.
func (r *Relation) ownerWords(v Verdict) string {
	what := "but this account does not exist"
	switch {
	case v == Stale && r.scanned && r.ownerHolds() == "":
		what = "but no reading found the value in that account"
	case v == Stale:
		what = "but that account holds " + cmp.Or(r.ownerHolds(), "no "+r.Constraint.Name)
	case r.scanned:
		what = "but no reading found an account with this value"
	}
	return fmt.Sprintf("The lock on %s names %s, %s", phrase.Quote(r.Shown()), r.Lock.Owner, what)
}

// Limited explains why no reading can prove the verdict: other Regions write the table, or the table has no
// transactions. It is empty if neither limits the verdict.
func (r *Relation) Limited() string {
	if r.limited {
		return r.Why
	}
	return ""
}

func (r *Relation) holder() string {
	switch {
	case r.Account != nil:
		return r.Account.Key.Hash.Value.Display()
	case len(r.Claimants) > 0:
		return r.Claimants[0].Key.Hash.Value.Display()
	}
	return "an account"
}

// ownerHolds returns the value of the account that the lock names. It is empty if that account was not
// read or has no value.
func (r *Relation) ownerHolds() string {
	if r.OwnerAccount != nil {
		if v := r.OwnerAccount.Item.At(r.Constraint.Attribute); v.Exists() {
			return phrase.Quote(v.Display())
		}
	}
	return ""
}

// UntilWords returns the end of the reservation, to the minute.
func (j Judgement) UntilWords() string { return j.Until.UTC().Format("2006-01-02 15:04 UTC") }
