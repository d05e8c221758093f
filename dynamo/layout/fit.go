package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Standing is what a constraint's verdicts may be at most.
type Standing string

// The standings.
const (
	Supported    Standing = "supported"    // a person answers for the constraint
	Thin         Standing = "thin"         // the constraint is only guessed
	Contradicted Standing = "contradicted" // it explains nothing of the table
)

// Judgment is a standing with its numbers in words.
type Judgment struct {
	Standing Standing
	Text     string
}

// Alternative is one line of a constraint read otherwise.
type Alternative struct {
	Line string // as the config would have it
	// At is the place in the config file of the line that would change; empty if the layout was
	// not read from a config file.
	At       string
	Fits, Of int // it hits Fits of Of values
}

// String says in words how well the alternative fits.
func (a Alternative) String() string { return fmt.Sprintf("%s fits %d of %d", a.Line, a.Fits, a.Of) }

// Evidence counts what a sample of a table, or all of the table, has of one constraint. Nothing
// of it is an estimate. It is shown to people; a verdict rests on it only if it shows that the
// constraint explains nothing.
type Evidence struct {
	Whole    bool // everything was read
	Items    int  // items that were read
	Accounts int  // items that are accounts with this constraint
	Locks    int  // items that parse as its locks, but for reserved ones
	Reserved int  // locks whose accounts may still come
	// Clustered: accounts have few partition keys, so a sample may miss all of them.
	Clustered bool
	// Values counts different values of accounts, Locked those of them that have a lock, and
	// Claims the accounts that hold them.
	Values, Locked, Claims int
	// Lapses: locks may expire while their accounts stay, so that most values may have none.
	Lapses bool
	// Better is a hint: a line that would fit better. It has no Line if there is none.
	Better Alternative
	// Named counts the locks whose owners were read: Right name an account that exists and holds
	// the value. Kinds counts the kinds of accounts that a lock may name, and Unnamed the locks
	// that name nobody although others do.
	Named, Right, Kinds, Unnamed int
	// Gone are the locks, by their keys' IDs, that name an account which does not exist.
	Gone []string
	// Met counts values whose lock names somebody, and MetRight those whose lock names the
	// account that holds the value.
	Met, MetRight int
	// Held are the attributes of locks that an account claims.
	Held *LockTraits
	// HeldLocks are some of these locks, each of another account.
	HeldLocks []attr.Item
}

// The numbers that a judgment takes.
const (
	enoughHits  = 5  // locks that exist, for a rule to be supported
	enoughOdd   = 5  // locks or values, of which none fits
	enoughLocks = 10 // locks of a sample without any account
)

// EnoughBetter is how many hits more than the layout another reading of a line has.
const EnoughBetter = 2

// Fit is a constraint's State with its Evidence.
type Fit struct {
	Evidence
	State State
	// Rule: the locks are those that the accounts claim. Owner: locks name their accounts.
	Rule, Owner Judgment
}

// Judge says in words what the evidence amounts to.
func (e Evidence) Judge(name string) Fit {
	return Fit{Evidence: e, Rule: e.rule(name), Owner: e.owner(name)}
}

// Standing is what the constraint's verdicts may be at most.
func (f Fit) Standing() Standing {
	switch {
	case f.Rule.Standing == Contradicted:
		return Contradicted
	case f.State.Sure():
		return Supported
	}
	return Thin
}

// Why says why the verdicts are not sure; empty if they are.
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

// OwnerTold reports whether most locks name the account that holds their value.
func (f Fit) OwnerTold() bool { return f.MetRight > 0 && 2*f.MetRight >= f.Met }

// OwnersExist reports whether other locks than this one were read that name accounts, and each of
// these accounts exists. It tells that the layout finds the accounts that locks name.
func (f Fit) OwnersExist(lock string) bool {
	others := f.Named
	if slices.Contains(f.Gone, lock) {
		others--
	}
	return f.Kinds == 1 && others > 0 && !slices.ContainsFunc(f.Gone, func(gone string) bool { return gone != lock })
}

// rule is contradicted only if the constraint explains nothing.
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
		return against("no item that was read is an account of %s, and the table has %s of it", name, locks)
	case e.Accounts > 0 && e.Values == 0 && e.Locks >= enoughOdd && e.Kinds <= 1:
		return against("none of %s has a value of %s, and the table has %s of it",
			phrase.Count(e.Accounts, sampled+"account"), name, locks)
	case e.Values >= enoughOdd && e.Locked == 0 && e.Locks >= enoughOdd && !e.Lapses:
		return against("%s, and the table has %s of it", said, locks)
	case e.Locked >= enoughHits, e.Whole && e.Locked > 0 && 2*e.Locked >= e.Values:
		return Judgment{Supported, said}
	case e.Items == 0:
		return Judgment{Thin, "no item was read that could show whether the layout fits"}
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
