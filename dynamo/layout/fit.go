package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Standing says how well the items of a table support a constraint, and how far its verdicts can be trusted.
type Standing string

// The standings, as Fit.Standing returns them. In a Judgment, Supported means that enough items
// fit, and Thin means that too few items fit or were read.
const (
	Supported    Standing = "supported"    // a person has confirmed the constraint, and the table does not disprove it
	Thin         Standing = "thin"         // the constraint is only guessed
	Contradicted Standing = "contradicted" // the table disproves the constraint: no item fits it
)

// Judgment is a standing with the sentence that explains it.
type Judgment struct {
	Standing Standing
	Text     string
}

// Alternative is another value for one setting of a constraint.
type Alternative struct {
	Line string // the setting as a line of the config
	// At names the line of the config file to replace. It is empty if the layout does not come from a
	// file.
	At       string
	Fits, Of int // Of counts the values; Fits counts the values with a lock under this setting
}

// String returns the alternative and the number of values that it fits: "… fits 9 of 10".
func (a Alternative) String() string { return fmt.Sprintf("%s fits %d of %d", a.Line, a.Fits, a.Of) }

// Evidence counts the items of one constraint in a sample of a table, or in the whole table. All
// numbers are counted, none is estimated. People see the numbers. The numbers limit a verdict only
// if no item fits the constraint.
type Evidence struct {
	Whole    bool // the whole table was read
	Items    int  // items that were read
	Accounts int  // accounts with this constraint
	Locks    int  // locks of this constraint, except the reserved ones
	Reserved int  // locks that may exist before their accounts do
	// Clustered: the accounts are in few partitions, so a sample may miss all accounts.
	Clustered bool
	// Values counts the different values of accounts. Locked counts the values that have a lock. Claims
	// counts pairs of an account and a value.
	Values, Locked, Claims int
	// Lapses: locks may expire before their accounts do. Then most values may have no lock.
	Lapses bool
	// Better is another setting with which more values have a lock. Its Line is empty if there is
	// none.
	Better Alternative
	// Named counts the locks whose owner was looked up. Right counts the locks whose owner exists
	// and claims the lock. Kinds counts the kinds of accounts that a lock may name. Unnamed counts
	// the locks that name no account to look up: the owner is empty, makes no valid key, or may be
	// of several kinds.
	Named, Right, Kinds, Unnamed int
	// Gone lists the locks whose owner does not exist, by schema.LockID.
	Gone []string
	// Met counts the values whose lock names an account. MetRight counts the values whose lock names the
	// account that holds the value.
	Met, MetRight int
	// Held describes the attributes of the locks that accounts claim.
	Held *LockTraits
	// HeldLocks are examples of locks that accounts claim, at most one for each account.
	HeldLocks []attr.Item
}

// The least counts for a judgment.
const (
	enoughHits  = 5  // this many values with a lock support the rule, if they are at least half of the values
	enoughOdd   = 5  // if the sample has accounts, fewer locks or fewer values cannot contradict the rule
	enoughLocks = 10 // if the sample has no accounts, fewer locks cannot contradict the rule
)

// EnoughBetter is the least advantage of an alternative, in values that it fits. With a smaller advantage,
// the program does not suggest it.
const EnoughBetter = 2

// Fit is the evidence of a constraint with its judgments.
type Fit struct {
	Evidence
	State State
	// Rule says whether values have the locks that the layout expects. Owner says whether locks name the
	// accounts that hold their values.
	Rule, Owner Judgment
}

// Judge judges the evidence. name is the constraint's name for the sentences.
func (e Evidence) Judge(name string) Fit {
	return Fit{Evidence: e, Rule: e.rule(name), Owner: e.owner(name)}
}

// Standing returns one standing for the constraint, from Rule and State.
func (f Fit) Standing() Standing {
	switch {
	case f.Rule.Standing == Contradicted:
		return Contradicted
	case f.State.Sure():
		return Supported
	}
	return Thin
}

// Why returns the reason why the constraint's verdicts are not sure. It returns "" if they are
// sure.
func (f Fit) Why() string {
	switch f.Standing() {
	case Contradicted:
		return f.Rule.Text
	case Thin:
		return "the layout is only guessed"
	case Supported:
	}
	return ""
}

// OwnerTold reports whether owners can be trusted: at least half of the locks that name an account
// name the account that holds the value.
func (f Fit) OwnerTold() bool { return f.MetRight > 0 && 2*f.MetRight >= f.Met }

// OwnersExist reports whether the owners of all other locks exist. Then the layout reads owners
// correctly: if the owner of this lock is missing, its account is gone. lock is the schema.LockID
// of this lock. OwnersExist reports false if no other lock names an account, or if a lock may name
// several kinds of accounts.
func (f Fit) OwnersExist(lock string) bool {
	others := f.Named
	if slices.Contains(f.Gone, lock) {
		others--
	}
	return f.Kinds == 1 && others > 0 && !slices.ContainsFunc(f.Gone, func(gone string) bool { return gone != lock })
}

// rule judges whether values have the locks that the layout expects. The evidence contradicts the
// constraint only if no item fits it.
func (e Evidence) rule(name string) Judgment {
	sampled := "sampled "
	if e.Whole {
		sampled = ""
	}
	said := fmt.Sprintf("%d of %d %s%s values have the lock that the layout expects", e.Locked, e.Values, sampled, name)
	locks := phrase.Count(e.Locks, "lock")
	against := func(format string, args ...any) Judgment {
		text := fmt.Sprintf(format, args...)
		if e.Better.Line != "" {
			text += "; " + e.Better.String()
		}
		return Judgment{Contradicted, text}
	}
	switch {
	case e.Accounts == 0 && e.Items > 0 && (e.Locks > 0 || e.Reserved == 0) &&
		(e.Whole || e.Locks >= enoughLocks && !e.Clustered):
		return against("no account with %s was read, but the table has %s of %[1]s", name, locks)
	case e.Accounts > 0 && e.Values == 0 && e.Locks >= enoughOdd && e.Kinds <= 1:
		return against("none of %s has a value of %s, but the table has %s of %[2]s",
			phrase.Count(e.Accounts, sampled+"account"), name, locks)
	case e.Values >= enoughOdd && e.Locked == 0 && e.Locks >= enoughOdd && !e.Lapses:
		return against("%s, but the table has %s of %s", said, locks, name)
	case 2*e.Locked >= e.Values && (e.Locked >= enoughHits || e.Whole && e.Locked > 0):
		return Judgment{Supported, said}
	case e.Items == 0:
		return Judgment{Thin, "no item that was read shows whether the layout fits"}
	case e.Values == 0 && e.Accounts == 0:
		return Judgment{Thin, fmt.Sprintf("no item that was read shows whether the layout fits the %s", name)}
	case e.Values == 0:
		return Judgment{Thin, fmt.Sprintf("none of %s has a value of %s", phrase.Count(e.Accounts, sampled+"account"), name)}
	}
	return Judgment{Thin, said}
}

func (e Evidence) owner(name string) Judgment {
	if e.Named == 0 {
		return Judgment{Thin, ""}
	}
	said := fmt.Sprintf("%d of %d %s locks name an account that exists and holds the value", e.Right, e.Named, name)
	if 2*e.Right >= e.Named {
		return Judgment{Supported, said}
	}
	return Judgment{Thin, said}
}
