// Package layout says how a table keeps accounts, locks and counters: templates that render and
// parse keys, normalisers, ids, the forms of a value, and how well a layout fits the table. It is
// pure: it reads and writes nothing. Start at Layout and Classify. Package config beneath it reads
// and writes a layout as TOML, and has the presets; package guess proposes one.
package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
)

// Layout describes how one table keeps accounts, locks and counters.
type Layout struct {
	// Name is the name of the preset, or the name in the config. A recognised layout that matches
	// no preset has the name of the table.
	Name string
	// Preset is the preset that the layout was recognised as, or that a person has named.
	Preset   string
	Accounts []*Account
	Counters []*Counter
	// Keyed lists kinds of items that are neither accounts nor counters, with keys made of their
	// attributes. Only a check uses them. No config describes them.
	Keyed []*Account
	// WrittenIn is the only Region in which a table with replicas is written; empty if nobody has
	// named one.
	WrittenIn string
	// Configured: a person described the layout. Otherwise it was inferred, and evidence against it
	// counts.
	Configured bool
	// Ignore names suggestions to hide: constraints and counters.
	Ignore []string
}

// Account is one kind of account item: its keys and the values that it protects.
type Account struct {
	Model       string // the application's name for this kind; "account" by default
	PK, SK      Template
	Is          Discriminator
	Constraints []*Constraint
	// Unlocked lists rules without locks: no two accounts may hold one value, and no item in the
	// table keeps the value.
	Unlocked []*Constraint
	// Derived lists keys that are made of other attributes of the account.
	Derived []*Derived
	// Version is the attribute in which the application counts an account's writes (optimistic
	// locking). It is empty if the application does not count them.
	Version string
	// Origin is the place in the config that describes this kind of account.
	Origin Origin
}

// Discriminator is an attribute and its value, which an item must carry to be of a kind. If
// Attribute is empty, every item is of the kind.
type Discriminator struct {
	Attribute, Value string
}

// Holds reports whether an item carries the attribute with the value.
func (d Discriminator) Holds(item attr.Fields) bool {
	return d.Attribute == "" || item.At(d.Attribute).Display() == d.Value
}

// Constraint is one uniqueness rule for the values of an attribute. A lock item keeps each value,
// except in a rule without locks.
type Constraint struct {
	Name      string // "email"
	Attribute string // of the account: a name or a path ("contact.email") of a string or a set
	// Table is the table of the locks; empty if it is the table of the accounts.
	Table string
	LockKeys
	Is        Discriminator
	Normalise []Normaliser
	// Owner is the attribute of the lock that names its account, by id or by whole partition key.
	// It is empty if no attribute does.
	Owner string
	// OwnerForm is the form of the owner in a lock. It is empty if locks have the id or the whole
	// partition key.
	OwnerForm OwnerForm
	// Within lists attributes of the account, for a rule without locks: no two accounts for which
	// these attributes are equal may hold one value.
	Within Scope
	// Lapses: locks may expire while their accounts stay. Then an account without its lock is no
	// problem.
	Lapses bool
	// Index is a global secondary index of the account table whose partition
	// key is Attribute, unnormalised. It finds claimants; it never proves that
	// there are none.
	Index string
	// Moves: the application breaks the gain rule: it moves values between accounts without putting
	// the lock again.
	Moves bool
	// TwoSteps: a sign-up or a deletion takes more than one transaction, so the settle time must
	// cover all of its steps.
	TwoSteps bool
	// Shared: other constraints of the account keep their values under the same keys on purpose.
	Shared bool
	// Reserved is how long a lock may exist before its account does.
	Reserved Reservation
	// State says whether a person answers for the constraint.
	State State
	// Answers are the answers of people about items outside the layout that hold values of the
	// constraint.
	Answers *Answers
	// AlsoIn lists other tables whose applications put locks into Table. It is nil if nobody has
	// named them, and empty if there are none.
	AlsoIn []string
	// Origin is the place in the config that describes the constraint.
	Origin Origin
}

// Empty reports whether the layout knows nothing about its table.
func (l *Layout) Empty() bool { return l == nil || (len(l.Accounts) == 0 && len(l.Counters) == 0) }

// Ignores reports whether the layout's Ignore hides a suggestion: by its name, or by a word of its
// name. The name may be the shape of its keys.
func Ignores(l *Layout, name string) bool {
	return slices.ContainsFunc(l.Ignore, func(ignored string) bool {
		return ignored == name || slices.Contains(shapeTokens(name), ignored)
	})
}

// Constraints lists the constraints of all accounts, in order.
func (l *Layout) Constraints() []*Constraint {
	var all []*Constraint
	for _, a := range l.Accounts {
		all = append(all, a.Constraints...)
	}
	return all
}

// Constraint finds a constraint by name, with the kind of account that has it.
func (l *Layout) Constraint(name string) (*Account, *Constraint) {
	for _, a := range l.Accounts {
		for _, c := range a.Constraints {
			if c.Name == name {
				return a, c
			}
		}
	}
	return nil, nil
}

// LockTable returns the table of the constraint's locks. accounts is the table of the accounts.
func (c *Constraint) LockTable(accounts string) string {
	if c.Table != "" {
		return c.Table
	}
	return accounts
}

// IDTables lists the tables, besides the table of the counters, whose items have ids of counters.
func (l *Layout) IDTables(counters string) []string {
	var tables []string
	for _, c := range l.Counters {
		for _, ids := range c.IDs {
			if t := ids.TableOf(counters); t != counters && !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		}
	}
	return tables
}

// AlsoTables lists the tables that AlsoIn of the constraints names.
func (l *Layout) AlsoTables() []string {
	var tables []string
	for _, c := range l.Constraints() {
		tables = append(tables, c.AlsoIn...)
	}
	return tables
}

// LockTables lists the tables that have locks. accounts is the table of the accounts.
func (l *Layout) LockTables(accounts string) []string {
	var tables []string
	for _, c := range l.Constraints() {
		if t := c.LockTable(accounts); !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	return tables
}

// State says whether a person answers for a constraint or a counter.
type State string

// The states. A guess confirms nothing and writes nothing.
const (
	Guessed   State = "guessed"   // a sample or a preset suggests it; the zero State means the same
	Accepted  State = "accepted"  // a person said "this is how our application does it"
	Described State = "described" // the config has it
)

// Sure reports whether a person answers for the constraint or counter.
func (s State) Sure() bool { return s == Accepted || s == Described }

// SetState sets the state of all constraints and counters.
func (l *Layout) SetState(s State) {
	for _, c := range l.Rules() {
		c.State = s
		if c.Answers == nil {
			c.Answers = new(Answers)
		}
	}
	for _, c := range l.Counters {
		c.State = s
	}
}

// State returns the weakest state of the constraints and counters; Guessed if there are none.
func (l *Layout) State() State {
	var all []State
	for _, c := range l.Rules() {
		all = append(all, c.State)
	}
	for _, c := range l.Counters {
		all = append(all, c.State)
	}
	switch {
	case len(all) == 0 || slices.ContainsFunc(all, func(s State) bool { return !s.Sure() }):
		return Guessed
	case slices.Contains(all, Accepted):
		return Accepted
	}
	return Described
}

// Origin is the place in a config file that describes a part of a layout. It is empty if no config
// file does.
type Origin struct {
	File string
	Line int            // of its section
	Keys map[string]int // of its settings, by name
}

// Of returns the place of a setting: "line 12 of /home/sam/config.toml". If the section lacks the
// setting, it is the section's line. If the origin is unknown, it is empty.
func (o Origin) Of(setting string) string {
	line := o.Line
	if own := o.Keys[setting]; own > 0 {
		line = own
	}
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("line %d of %s", line, o.File)
}
