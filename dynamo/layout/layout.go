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

// Layout is how one table keeps accounts, locks and counters.
type Layout struct {
	// Name is the preset's, or what the config calls it; of a layout that was recognised
	// and is no preset's, the table's.
	Name string
	// Preset is the preset that it was recognised as, or that somebody has named.
	Preset   string
	Accounts []*Account
	Counters []*Counter
	// Keyed are kinds of items that are neither, with keys that are made of their
	// attributes: a check alone asks for them. No config describes them.
	Keyed []*Account
	// WrittenIn is the only Region in which a table with replicas is written; empty
	// where nobody has said that there is one.
	WrittenIn string
	// Configured: a person described it. Otherwise it was inferred, and what
	// speaks against it is to be minded.
	Configured bool
	// Ignore names suggested constraints and counters that are not listed.
	Ignore []string
}

// Account is one kind of account item: the key it has and the values it
// protects.
type Account struct {
	Model       string // what the application calls it; "account" unless it says
	PK, SK      Template
	Is          Discriminator
	Constraints []*Constraint
	// Unlocked are rules without locks: they say which values no two accounts may
	// hold, and nothing in the table keeps them.
	Unlocked []*Constraint
	// Derived are keys that are made of other attributes of the account.
	Derived []*Derived
	// Version is the attribute that the application counts an account's writes
	// in (optimistic locking). Empty where it keeps none.
	Version string
	// Origin is where the config describes it.
	Origin Origin
}

// Discriminator is an attribute that an item must carry to be of a kind. With
// no Attribute every item is.
type Discriminator struct {
	Attribute, Value string
}

// Holds reports whether an item carries it.
func (d Discriminator) Holds(item attr.Fields) bool {
	return d.Attribute == "" || item.At(d.Attribute).Display() == d.Value
}

// Constraint is one uniqueness rule: values of an attribute, each kept by a
// lock item.
type Constraint struct {
	Name      string // "email"
	Attribute string // where the account holds the value: a name, a path ("contact.email"), a string or a set
	// Table is the locks' table where it is not the accounts' own.
	Table string
	LockKeys
	Is        Discriminator
	Normalise []Normaliser
	// Owner is the attribute of the lock that names its account, by id or by
	// whole partition key. Empty where locks name nobody.
	Owner string
	// OwnerForm is how a lock writes its owner. It is empty if locks write the id or the whole
	// partition key.
	OwnerForm OwnerForm
	// Within are attributes of the account, for a rule without locks: no two accounts may hold
	// one value if these attributes are equal, too.
	Within Scope
	// Lapses: locks may expire while their accounts stay. Then no lock is missing.
	Lapses bool
	// Index is a global secondary index of the account table whose partition
	// key is Attribute, unnormalised. It finds claimants; it never proves that
	// there are none.
	Index string
	// Moves says that the application breaks the gain rule: it moves values
	// between accounts without putting the lock again.
	Moves bool
	// TwoSteps says that a sign-up or a deletion takes more than one
	// transaction: the settle time must then cover all of its steps.
	TwoSteps bool
	// Shared: other constraints of the account keep their values under the same keys,
	// and that is meant.
	Shared bool
	// Reserved says how long a lock may stand before its account does.
	Reserved Reservation
	// State says who answers for it.
	State State
	// Answers are what people have said of items that hold values where the layout does not say so.
	Answers *Answers
	// AlsoIn are other tables whose applications put locks into Table; nil if nobody has said
	// which, empty if there are none.
	AlsoIn []string
	// Origin is where the config describes it.
	Origin Origin
}

// Empty reports whether the layout knows nothing about its table.
func (l *Layout) Empty() bool { return l == nil || (len(l.Accounts) == 0 && len(l.Counters) == 0) }

// Ignores reports whether a suggestion is not to be listed: by its name, by the shape of its
// keys, or by a word of that.
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

// LockTable is the table that the constraint's locks live in, given the
// accounts' table.
func (c *Constraint) LockTable(accounts string) string {
	if c.Table != "" {
		return c.Table
	}
	return accounts
}

// IDTables lists the other tables that ids stand in, given the counters' table.
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

// AlsoTables lists the other tables whose applications put locks where the constraints' are.
func (l *Layout) AlsoTables() []string {
	var tables []string
	for _, c := range l.Constraints() {
		tables = append(tables, c.AlsoIn...)
	}
	return tables
}

// LockTables lists the tables that locks live in, given the accounts' table.
func (l *Layout) LockTables(accounts string) []string {
	var tables []string
	for _, c := range l.Constraints() {
		if t := c.LockTable(accounts); !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	return tables
}

// State says who answers for a constraint or a counter.
type State string

// The states. A guess confirms nothing and writes nothing.
const (
	Guessed   State = "guessed"   // a sample or a preset suggests it; the zero State means the same
	Accepted  State = "accepted"  // a person said "this is how our application does it"
	Described State = "described" // the config has it
)

// Sure reports whether a person answers for it.
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

// State is the weakest state of the constraints and counters; Guessed if there are none.
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

// Origin is where in a config file something is described. It is empty for what was
// not read from one.
type Origin struct {
	File string
	Line int            // of its section
	Keys map[string]int // of its settings, by name
}

// Of says where a setting is: "line 12 of /home/sam/config.toml"; the section's line
// where the setting is not there, and nothing where the origin is not known.
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
