package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Standing is the limit that the evidence sets to a constraint's verdicts.
type Standing string

// The standings.
const (
	Supported    Standing = "supported"    // a person answers for the constraint
	Thin         Standing = "thin"         // the constraint is only guessed
	Contradicted Standing = "contradicted" // the constraint explains no item of the table
)

// Judgment is a standing with its numbers in words.
type Judgment struct {
	Standing Standing
	Text     string
}

// Alternative is another setting for one line of a constraint.
type Alternative struct {
	Line string // as a line of the config
	// At is the position in the config file of the line that this alternative replaces; empty if the layout was
	// not read from a file.
	At       string
	Fits, Of int // Fits of Of values have the lock that it expects
}

// String says how well the alternative fits.
func (a Alternative) String() string { return fmt.Sprintf("%s fits %d of %d", a.Line, a.Fits, a.Of) }

// Evidence counts the items of one constraint in a sample of a table, or in the whole table. It has
// no estimates. People see it. It limits a verdict only if it shows that the constraint explains no
// item.
type Evidence struct {
	Whole    bool // everything was read
	Items    int  // items that were read
	Accounts int  // items that are accounts with this constraint
	Locks    int  // items that parse as its locks, except reserved ones
	Reserved int  // locks whose accounts may still come
	// Clustered: accounts have few partition keys, so a sample may miss all of them.
	Clustered bool
	// Values counts the different values of accounts, and Locked those values that have a lock.
	// Claims counts pairs of an account and its value.
	Values, Locked, Claims int
	// Lapses: locks may expire while their accounts stay, so most values may be without a lock.
	Lapses bool
	// Better is a setting that would fit better. Its Line is empty if there is none.
	Better Alternative
	// Named counts the locks whose owners were read. Right counts those that name an existing
	// account which claims the lock. Kinds counts the kinds of accounts that a lock may name.
	// Unnamed counts locks that name nobody, an account of unclear kind, or a text that makes no
	// key.
	Named, Right, Kinds, Unnamed int
	// Gone lists the locks that name a missing account, by schema.LockID.
	Gone []string
	// Met counts values whose lock names an account. MetRight counts those whose lock names the
	// account that holds the value.
	Met, MetRight int
	// Held has the attributes of locks that an account claims.
	Held *LockTraits
	// HeldLocks are some locks that an account claims, each of another account.
	HeldLocks []attr.Item
}

// The least numbers for a judgment.
const (
	enoughHits  = 5  // values with a lock, for a supported rule
	enoughOdd   = 5  // locks or values, if none fits, for a contradicted rule
	enoughLocks = 10 // locks of a sample without any account, for a contradicted rule
)

// EnoughBetter is the least number of hits by which an alternative must beat the layout.
const EnoughBetter = 2

// Fit is a constraint's State with its Evidence.
type Fit struct {
	Evidence
	State State
	// Rule judges whether values have the locks that the layout expects. Owner judges whether locks
	// name the accounts that hold their values.
	Rule, Owner Judgment
}

// Judge judges the evidence for the constraint with this name.
func (e Evidence) Judge(name string) Fit {
	return Fit{Evidence: e, Rule: e.rule(name), Owner: e.owner(name)}
}

// Standing returns the limit for the constraint's verdicts.
func (f Fit) Standing() Standing {
	switch {
	case f.Rule.Standing == Contradicted:
		return Contradicted
	case f.State.Sure():
		return Supported
	}
	return Thin
}

// Why returns the reason that the verdicts are unsure; empty if they are sure.
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

// OwnersExist reports whether locks other than this one name accounts, and all of these accounts
// exist. Then the layout finds the accounts that locks name. lock is the schema.LockID of this
// lock.
func (f Fit) OwnersExist(lock string) bool {
	others := f.Named
	if slices.Contains(f.Gone, lock) {
		others--
	}
	return f.Kinds == 1 && others > 0 && !slices.ContainsFunc(f.Gone, func(gone string) bool { return gone != lock })
}

// rule judges the locks. They contradict the constraint only if it explains no item.
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
