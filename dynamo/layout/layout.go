// Package layout describes how a table keeps accounts, locks and counters. Templates render and
// parse keys. Normalisers convert values to the form in keys. Evidence counts the items that fit a
// layout. The package does no I/O. Start at Layout and Classify. Package config reads and writes a
// layout as TOML, and has the presets. Package guess proposes a layout.
package layout

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
)

// Layout describes how one table keeps accounts, locks and counters.
type Layout struct {
	// Name is the name of the preset, or the name in the config. If a layout was guessed and
	// matches no preset, Name is the name of the table.
	Name string
	// Preset is the name of the preset that the table matches, or that a person chose.
	Preset   string
	Accounts []*Account
	Counters []*Counter
	// Keyed lists kinds of items that have derived keys but are neither accounts nor counters. A
	// check compares these keys with the attributes. Keyed is always guessed: no config describes
	// it.
	Keyed []*Account
	// WrittenIn is the only Region in which the application writes a table with replicas. It is
	// empty if the Region is unknown.
	WrittenIn string
	// Configured: a person described the layout. If Configured is false, the layout was guessed,
	// and items of the table can disprove the guess.
	Configured bool
	// Ignore names the suggested constraints and counters to hide.
	Ignore []string
}

// Account describes one kind of account item: its keys and the values that it protects.
type Account struct {
	Model       string // the application's name for this kind; "account" by default
	PK, SK      Template
	Is          Discriminator
	Constraints []*Constraint
	// Unlocked lists the rules without locks. Such a rule says that no two accounts may hold the
	// same value, but the application puts no lock for the value.
	Unlocked []*Constraint
	// Derived lists the keys that the application makes from other attributes of the account.
	Derived []*Derived
	// Version is the attribute in which the application counts an account's writes (optimistic
	// locking). It is empty if the application does not count them.
	Version string
	// Origin is the place in the config that describes this kind of account.
	Origin Origin
}

// Discriminator distinguishes the items of one kind from other items. Every item of the kind has Value in Attribute. If
// Attribute is empty, every item is of the kind.
type Discriminator struct {
	Attribute, Value string
}

// Holds reports whether an item is of the kind: it has Value in Attribute, or Attribute is empty.
func (d Discriminator) Holds(item attr.Fields) bool {
	return d.Attribute == "" || item.At(d.Attribute).Display() == d.Value
}

// Lacks returns the words for an item of another kind, such as: its type is not "lock".
func (d Discriminator) Lacks() string {
	return fmt.Sprintf("its %s is not \"%s\"", d.Attribute, d.Value)
}

// Constraint is one uniqueness rule: no two accounts may hold the same value of an attribute. Each
// value has a lock item, unless the rule has no locks.
type Constraint struct {
	Name      string // "email"
	Attribute string // the account's attribute with the values: a name, or a path ("contact.email")
	// Table is the table of the locks; empty if it is the table of the accounts.
	Table string
	LockKeys
	Is        Discriminator
	Normalise []Normaliser
	// Owner is the attribute in which a lock names its account, by the account's id or whole
	// partition key. Owner is empty if locks have no such attribute.
	Owner string
	// OwnerForm is the template of the text in Owner, such as "user#{id}". If OwnerForm is empty,
	// the text is the account's id or its whole partition key.
	OwnerForm OwnerForm
	// Within is only for a rule without locks. It lists attributes of the account, such as the
	// tenant. A value must be unique only among the accounts that have equal texts in these
	// attributes.
	Within Scope
	// Lapses: locks may expire before their accounts do. Then an account without its lock is no
	// problem.
	Lapses bool
	// Index is a global secondary index of the account table. Its partition key is Attribute, not
	// normalised. A query of the index finds accounts that hold a value. It never proves that no
	// account holds the value.
	Index string
	// Moves: the application moves a value from one account to another and does not put the lock
	// again. This breaks the gain rule (docs/truth.md §1).
	Moves bool
	// MultiTransaction: a sign-up or a deletion takes more than one transaction, so the settle time must
	// cover all of its steps.
	MultiTransaction bool
	// Shared: other constraints of the account use the same lock keys on purpose.
	Shared bool
	// Reserved says how long a lock may exist before its account does.
	Reserved Reservation
	// State says whether the constraint is guessed, or a person has confirmed it.
	State State
	// Answers are people's answers to one question: do certain items outside the layout hold values
	// of the constraint?
	Answers *Answers
	// AlsoIn lists other account tables whose locks are in the same lock table. nil means that
	// nobody has listed these tables. An empty list means that there are none.
	AlsoIn []string
	// Origin is the place in the config that describes the constraint.
	Origin Origin
}

// Empty reports whether the layout has neither accounts nor counters.
func (l *Layout) Empty() bool { return l == nil || (len(l.Accounts) == 0 && len(l.Counters) == 0) }

// Ignores reports whether the layout hides the suggestion with this name. An entry of l.Ignore
// hides it if the entry is the whole name or one word of the name. The name may be the shape of the
// suggestion's keys.
func Ignores(l *Layout, name string) bool {
	return slices.ContainsFunc(l.Ignore, func(ignored string) bool {
		return ignored == name || slices.Contains(shapeTokens(name), ignored)
	})
}

// Constraints lists the constraints of all kinds of accounts, in order. It leaves out the rules
// without locks.
func (l *Layout) Constraints() []*Constraint {
	var all []*Constraint
	for _, a := range l.Accounts {
		all = append(all, a.Constraints...)
	}
	return all
}

// Constraint returns the constraint with this name, and its kind of account. It ignores rules
// without locks. It returns nil if no constraint has the name.
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

// IDTables lists the other tables whose items contain ids from the layout's counters. counters is
// the name of the counters' own table, which IDTables leaves out.
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

// AlsoTables lists the tables in AlsoIn of all constraints.
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

// State says whether a constraint or a counter is guessed, or a person has confirmed it.
type State string

// The states. The program never confirms or changes anything because of a guess.
const (
	Guessed   State = "guessed"   // a sample or a preset suggests it; the zero State counts as Guessed
	Accepted  State = "accepted"  // a person said "this is how our application does it"
	Described State = "described" // the config describes it
)

// Sure reports whether a person has confirmed the constraint or counter.
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

// State returns the weakest state of all constraints and counters: Guessed is weaker than Accepted,
// and Accepted is weaker than Described. If there are none, State returns Guessed.
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
// file describes the part.
type Origin struct {
	File string
	Line int            // the line of the section's heading
	Keys map[string]int // the lines of the section's settings, by name
}

// Of returns the place of a setting: "line 12 of /home/sam/config.toml". If the section lacks the
// setting, Of returns the place of the section. If the origin is unknown, Of returns "".
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
