// Package config reads, writes and edits a layout as TOML. It also has the presets: layouts that
// the program knows by name, in presets.toml. Errors have the path of the wrong setting
// (mistake.Path). Start at Layout and Build. Of and TOML write a layout.
package config

import (
	"cmp"
	"fmt"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

// Layout is one [[layout]] of the config file, or of a preset.
type Layout struct {
	Name string `toml:"name"` // people choose the layout by this name
	// Tables lists the account tables that the layout is for. If it is empty, the layout is used only if a person
	// names it.
	Tables []string `toml:"tables,omitempty"`
	// WrittenIn is the only Region in which the application writes a table with replicas.
	WrittenIn string    `toml:"written_in,omitempty"`
	Accounts  []Account `toml:"account,omitempty"`
	Counters  []Counter `toml:"counter,omitempty"`
	// Ignore names the suggested constraints and counters to hide.
	Ignore []string `toml:"ignore,omitempty"`
}

// Account is one kind of account item.
type Account struct {
	Model       string         `toml:"model,omitempty"`
	PK          string         `toml:"pk"`
	SK          string         `toml:"sk,omitempty"`
	Is          *Discriminator `toml:"is,inline,omitempty"`
	Version     string         `toml:"version,omitempty"`
	Constraints []Constraint   `toml:"constraint,omitempty"`
	Derived     []Derived      `toml:"derived,omitempty"`
	origin      layout.Origin
}

// Discriminator is an attribute with a value. All items of one kind have this value in the
// attribute, and no other items do.
type Discriminator struct {
	Attribute string `toml:"attribute"`
	Value     string `toml:"value"`
}

func (d *Discriminator) discriminator() layout.Discriminator {
	if d == nil {
		return layout.Discriminator{}
	}
	return layout.Discriminator(*d)
}

// Constraint is one uniqueness rule.
type Constraint struct {
	Name      string `toml:"name"`
	Attribute string `toml:"attribute"`
	Table     string `toml:"table,omitempty"`
	// Unique: no two accounts may hold the same value, but the application puts no locks.
	Unique bool `toml:"unique,omitempty"`
	// Scope is only for a rule without locks. It lists attributes of the account, such as the
	// tenant. A value must be unique only among the accounts that have equal texts in these
	// attributes.
	Scope []string `toml:"scope,omitempty"`
	PK    string   `toml:"pk,omitempty"`
	SK    string   `toml:"sk,omitempty"`
	// Also lists other forms of a lock's key. An account needs only one lock for a value. The
	// lock's key may have any of the forms.
	Also      []LockKey      `toml:"also,inline,omitempty"`
	Is        *Discriminator `toml:"is,inline,omitempty"`
	Normalise []string       `toml:"normalise,omitempty"`
	Owner     string         `toml:"owner,omitempty"`
	// OwnerForm is the template of the owner in a lock, such as "user#{id}".
	OwnerForm        string `toml:"owner_form,omitempty"`
	Index            string `toml:"index,omitempty"`
	Moves            bool   `toml:"moves,omitempty"`
	MultiTransaction bool   `toml:"two_steps,omitempty"`
	Shared           bool   `toml:"shared,omitempty"`
	// Lapses: locks may expire before their accounts do.
	Lapses bool `toml:"lapses,omitempty"`
	// ReservedFor is the longest time that a lock may exist before its account. ReservedSince is the
	// lock's attribute with the time of the put.
	ReservedFor   string `toml:"reserved_for,omitempty"`
	ReservedSince string `toml:"reserved_since,omitempty"`
	// Holders are places outside the layout that hold values. NoHolders are places that only seem
	// to hold values.
	Holders   []Holder       `toml:"holders,inline,omitempty"`
	NoHolders []layout.Place `toml:"no_holders,inline,omitempty"`
	// AlsoIn lists other account tables whose locks are in the same lock table. nil means that
	// nobody has listed these tables.
	AlsoIn *[]string `toml:"also_in,omitempty"`
	// NowhereElse: a person has said that no item outside the layout holds values.
	NowhereElse bool `toml:"nowhere_else,omitempty"`
	origin      layout.Origin
}

// LockKey is a further form of the key of a constraint's locks, an entry of Also.
type LockKey struct {
	PK string `toml:"pk"`
	SK string `toml:"sk,omitempty"`
}

// Holder is a layout.Holder in a config.
type Holder struct {
	Table     string `toml:"table"`
	Items     string `toml:"items"`
	Attribute string `toml:"attribute"`
	PutsLock  bool   `toml:"puts_lock,omitempty"`
	Exact     bool   `toml:"exact,omitempty"`
}

// Counter is one counter. Its numbers are strings, so that no TOML reader rounds a number.
type Counter struct {
	Name      string         `toml:"name,omitempty"`
	PK        string         `toml:"pk"`
	SK        string         `toml:"sk,omitempty"`
	Is        *Discriminator `toml:"is,inline,omitempty"`
	Attribute string         `toml:"attribute"`
	Semantics string         `toml:"semantics"`
	Start     string         `toml:"start,omitempty"`
	Step      string         `toml:"step,omitempty"`
	Offset    string         `toml:"offset,omitempty"`
	Max       string         `toml:"max,omitempty"`
	Modulo    string         `toml:"modulo,omitempty"`
	// Resets is the schedule that resets the counter: hourly, daily, weekly, monthly or yearly.
	Resets string `toml:"resets,omitempty"`
	IDs    []IDs  `toml:"ids,omitempty"`
	origin layout.Origin
}

// Locate sets the origin of each part of the config. at returns the origin of the section with a
// path, such as "account[1].constraint[0]".
func (c *Layout) Locate(at func(path string) layout.Origin) {
	for n := range c.Accounts {
		a := &c.Accounts[n]
		path := fmt.Sprintf("account[%d]", n)
		a.origin = at(path)
		for m := range a.Constraints {
			a.Constraints[m].origin = at(fmt.Sprintf("%s.constraint[%d]", path, m))
		}
	}
	for n := range c.Counters {
		c.Counters[n].origin = at(fmt.Sprintf("counter[%d]", n))
	}
}

// Check builds all layouts of a config file and refuses conflicts: a name or a table in two layouts, or two
// constraints of one kind of account with the same lock keys (see apart).
func Check(layouts []Layout) error {
	names, tables := map[string]bool{}, map[string]string{}
	for n, c := range layouts {
		at := fmt.Sprintf("layout[%d]", n)
		if _, err := c.Build(); err != nil {
			return mistake.At(at, err)
		}
		if names[c.Name] {
			return mistake.Errorf(at+".name", "two layouts have the name %q: give them different names", c.Name)
		}
		names[c.Name] = true
		for m, table := range c.Tables {
			if other := tables[table]; other != "" {
				return mistake.Errorf(fmt.Sprintf("%s.tables[%d]", at, m),
					"the layouts %s and %s both name the table %s, but a table can have only one layout", other, c.Name, table)
			}
			tables[table] = c.Name
		}
		for m, a := range c.Accounts {
			if err := a.apart(); err != nil {
				return mistake.At(fmt.Sprintf("%s.account[%d]", at, m), fmt.Errorf("layout %s: %w", c.Name, err))
			}
		}
	}
	return nil
}

// apart refuses two constraints of one kind of account that have the same lock keys: the key may be
// a mistaken copy. It allows them if they have different attributes and both have shared = true.
// A constraint with unique = true has no lock keys.
func (ac Account) apart() error {
	for n, one := range ac.Constraints {
		for _, other := range ac.Constraints[:n] {
			same := !one.Unique && one.Table == other.Table && one.PK == other.PK && one.SK == other.SK
			if same && !(one.Shared && other.Shared && one.Attribute != other.Attribute) {
				return mistake.Errorf(fmt.Sprintf("constraint[%d].pk", n),
					"the constraints %s and %s use the same lock keys, pk %q and sk %q. So a value can be in only one of the two"+
						" constraints. If you want this, set shared = true in both constraints",
					cmp.Or(other.Name, other.Attribute), cmp.Or(one.Name, one.Attribute), one.PK, one.SK)
			}
		}
	}
	return nil
}

// within adds a path to an error, and puts words before its text.
func within(path, words string, err error) error {
	if err == nil {
		return nil
	}
	return mistake.At(path, fmt.Errorf("%s: %w", words, err))
}
