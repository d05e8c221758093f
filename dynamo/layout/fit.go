package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/phrase"
)

// Standing says how well a claim of a layout agrees with what was seen of a table.
type Standing string

// The standings.
const (
	Supported    Standing = "supported"
	Thin         Standing = "thin" // too little was seen to tell
	Contradicted Standing = "contradicted"
)

// Judgment is a standing with its numbers in words.
type Judgment struct {
	Standing Standing
	Text     string
}

// Evidence is what was counted of one constraint, in a sample of a table or in all of
// it. Nothing of it is an estimate.
type Evidence struct {
	Whole    bool // everything was read, and not a sample
	Items    int  // that were looked at
	Accounts int  // items that the layout takes for accounts with this constraint
	Locks    int  // items that parse as its locks
	// Clustered: accounts stand under few partition keys, and a sample may pass them by.
	Clustered bool
	// Values are the different values of those accounts that were rendered, Locked how
	// many of their locks exist, and Claims how many accounts hold them.
	Values, Locked, Claims int
	// Better is another reading that explains more; it has no Line where there is none.
	Better Alternative
	// Held are unclaimed locks whose value items of the shape Shape hold under
	// Attribute, where nobody has said what those items are.
	Held             int
	Shape, Attribute string
	// Rivals hold the accounts' values as those do, and nobody has said what they are.
	Rivals []Rival
	// Named are the locks whose owners were looked for: Right name an account that
	// exists and holds the value. Kinds is how many kinds of account may be meant, and
	// Unnamed how many locks name nobody though others do.
	Named, Right, Kinds, Unnamed int
	// Met are the values whose lock names somebody, and MetRight those whose lock names
	// the account that holds them.
	Met, MetRight int
	// Mismatched are the locks, by their keys' IDs, whose owner is not Right, but for those
	// whose value, where all was read, nothing holds at all.
	Mismatched []string
	// HeldAttributes are the attributes that locks have which an account claims.
	HeldAttributes map[string]bool
	// Inferred: nobody has described the constraint. LockWord: a word of its locks says that
	// they are such. AttributeWord: their keys name the attribute, and nothing else.
	Inferred, LockWord, AttributeWord bool
	// Unclaimed of UnclaimedOf locks, where all was read, are called for by no account.
	Unclaimed, UnclaimedOf int
	// Traits are those of accounts whose locks exist.
	Traits *Traits
}

// The numbers that a judgment takes.
const (
	enoughHits   = 5  // locks that exist, for a rule to be supported
	enoughValues = 20 // values or locks, for none to hit to contradict it
	enoughLocks  = 10 // locks of a sample that has no account
	enoughHeld   = 3  // unclaimed locks that items of one shape hold
	enoughOwners = 20
	fewClaims    = 50 // accounts whose values may repeat without saying anything
	fewUnclaimed = 2  // locks without an account, of which a table may always have some
	// One in unclaimedShare locks may be left behind, and one in missingShare values have none.
	unclaimedShare, missingShare = 5, 20
)

// EnoughBetter is how many hits another reading of a line must have more than the
// layout, for that to be contradicted.
const EnoughBetter = 2

// Fit is how well one constraint agrees with what was seen of its table. No verdict
// is stronger than it. The zero Fit is thin: nothing was seen.
type Fit struct {
	Evidence
	// Rule: the locks are those that the accounts claim. Kinds: all kinds of
	// accounts that claim them are known. Owner: locks name their accounts.
	Rule, Kinds, Owner Judgment
	// Trusted: a person has said for this run that the layout is right. Accepted: they
	// have said so of the claims that speak against it, once and for all.
	Trusted, Accepted bool
}

// Judge says what the evidence amounts to.
func (e Evidence) Judge(name string) Fit {
	return Fit{Evidence: e, Rule: e.rule(name), Kinds: e.kinds(name), Owner: e.owner(name)}
}

// Standing is that of the constraint: what its verdicts may be at most.
func (f Fit) Standing() Standing {
	switch {
	case f.Trusted:
		return Supported
	case f.Accepted:
		return Supported
	case f.Against() != "":
		return Contradicted
	case f.Rule.Standing == Supported:
		return Supported
	}
	return Thin
}

// Why says what speaks against the constraint, or how little for it; empty where it
// is supported.
func (f Fit) Why() string {
	switch {
	case f.Standing() == Supported:
		return ""
	case f.Against() != "":
		return f.Against()
	case f.Rule.Text == "":
		return "nothing was read that could show whether the layout fits"
	}
	return f.Rule.Text
}

// Against is what contradicts the constraint, whoever trusts it; empty where nothing does.
func (f Fit) Against() string {
	for _, j := range []Judgment{f.Rule, f.Kinds, f.Owner} {
		if j.Standing == Contradicted {
			return j.Text
		}
	}
	return ""
}

// OwnerSupported reports whether the owner that locks name may be relied on, given
// the lock that is asked about, which may be the one that is broken.
func (f Fit) OwnerSupported(lock string) bool {
	if f.Kinds.Standing == Contradicted || f.Evidence.Kinds != 1 {
		return false
	}
	others := len(f.Mismatched)
	if !f.Whole && slices.Contains(f.Mismatched, lock) {
		others-- // where all was read, something holds the value of one that is left
	}
	return others == 0 && (f.Right >= enoughOwners || (f.Whole && f.Right > 0))
}

// OwnerTold reports whether what a lock says of its owner speaks of another account,
// where that is not the one that holds the value: in most locks it is.
func (f Fit) OwnerTold() bool {
	return f.Trusted || f.Accepted || (f.MetRight > 0 && 2*f.MetRight >= f.Met)
}

func (e Evidence) rule(name string) Judgment {
	said := fmt.Sprintf("%d of %d %s values have the lock that the layout expects", e.Locked, e.Values, name)
	if !e.Whole {
		said = fmt.Sprintf("%d of %d sampled %s values have the lock that the layout expects", e.Locked, e.Values, name)
	}
	against := func(format string, args ...any) Judgment { return Judgment{Contradicted, fmt.Sprintf(format, args...)} }
	seen := "a sample of " + phrase.Count(e.Items, "item")
	if e.Whole {
		seen = "the table"
	}
	sampled := "account"
	if !e.Whole {
		sampled = "sampled account"
	}
	switch {
	case e.Better.Line != "" && e.Values == 0:
		return against("%s fits %d of %d %s values, and the layout as it is fits none", e.Better.Line, e.Better.Fits,
			e.Better.Of, name)
	case e.Better.Line != "":
		return against("%s; %s fits %d of %d", said, e.Better.Line, e.Better.Fits, e.Better.Of)
	case e.Accounts == 0 && ((e.Locks >= enoughLocks && !e.Clustered) || (e.Whole && e.Locks > 0)):
		return against("%s has %s of %s, and no account as the layout describes it", seen, phrase.Count(e.Locks, "lock"),
			name)
	case e.Values >= enoughValues && e.Locked == 0 && e.Locks >= enoughValues:
		return against("%s, though %s has %s of %s", said, seen, phrase.Count(e.Locks, "lock"), name)
	case e.Accounts >= enoughValues && e.Values == 0 && e.Locks >= enoughValues && e.Kinds <= 1:
		return against("none of %s holds anything in the attribute of %s, though %s has %s of it",
			phrase.Count(e.Accounts, "account"), name, seen, phrase.Count(e.Locks, "lock"))
	case e.tooManyUnclaimed():
		return against("%s of %s %s locks keep values that no account holds, and nobody has said that these are locks",
			phrase.Number(e.Unclaimed), phrase.Number(e.UnclaimedOf), name)
	case e.Claims >= fewClaims && 2*e.Values <= e.Claims:
		return against(
			"%d items that the layout takes for accounts hold only %d different values of %s: they look like copies", e.Claims,
			e.Values, name,
		)
	case e.Claims > 2*e.Values:
		return Judgment{Thin, fmt.Sprintf("%s, and %d accounts share those values: they may be copies", said, e.Claims)}
	case e.Rival() != nil:
		return Judgment{Thin, said + ", and " + e.Rival().String()}
	case e.Locked >= enoughHits, e.Whole && e.Locked > 0 && 2*e.Locked >= e.Values:
		return Judgment{Supported, said}
	case e.Values == 0 && e.Accounts == 0:
		return Judgment{Thin, fmt.Sprintf("nothing that was read shows whether the layout fits the %s", name)}
	case e.Values == 0:
		return Judgment{
			Thin,
			fmt.Sprintf("none of %s holds anything that the layout calls %s", phrase.Count(e.Accounts, sampled), name),
		}
	}
	return Judgment{Thin, said}
}

// tooManyUnclaimed reports whether so many locks of a constraint that nobody has described keep
// what no account holds that they rather keep something of anybody: who logged in, who
// subscribed. A word for locks outweighs that: accounts that expire leave very many behind.
// So does the attribute's name, as long as hardly an account is without one.
func (e Evidence) tooManyUnclaimed() bool {
	complete := e.Values-e.Locked <= max(1, e.Values/missingShare)
	said := e.LockWord || e.AttributeWord && complete
	return e.Inferred && !said && e.Unclaimed > max(fewUnclaimed, e.UnclaimedOf/unclaimedShare)
}

// OwnersTell reports whether locks name the layout's accounts, and so tell them from other
// items that hold the same values.
func (e Evidence) OwnersTell() bool { return e.MetRight >= enoughHits && 2*e.MetRight >= e.Met }

func (e Evidence) kinds(name string) Judgment {
	if e.Held >= enoughHeld {
		return Judgment{
			Contradicted,
			fmt.Sprintf("%d %s locks that no account uses keep values that %s items hold under %s: are those accounts?", e.Held,
				name, e.Shape, e.Attribute),
		}
	}
	return Judgment{Thin, ""}
}

func (e Evidence) owner(name string) Judgment {
	if e.Named == 0 {
		return Judgment{Thin, ""}
	}
	said := fmt.Sprintf("%d of %d %s locks name an account that exists and holds the value", e.Right, e.Named, name)
	if e.Right == 0 && e.Named >= enoughLocks && e.Kinds == 1 {
		return Judgment{
			Contradicted,
			"none of " + phrase.Count(e.Named, name+" lock") + " names an account that exists and holds the value",
		}
	}
	if (Fit{Evidence: e}).OwnerSupported("") {
		return Judgment{Supported, said}
	}
	return Judgment{Thin, said}
}
