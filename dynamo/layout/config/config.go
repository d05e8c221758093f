// Package config reads, writes and edits a layout as TOML, and has the presets: the layouts known
// by name. Its errors have the path of the wrong setting (mistake.Path). Start at Layout and Build;
// presets.toml has the presets. Of and TOML write a layout.
package config

import (
	"cmp"
	"fmt"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

// Layout is one [[layout]] of the config file, or of a preset.
type Layout struct {
	Name   string   `toml:"name"`             // the layout is chosen by this name
	Tables []string `toml:"tables,omitempty"` // account tables; if empty, the layout can only be chosen by name
	// WrittenIn is the only Region in which a table with replicas is written.
	WrittenIn string    `toml:"written_in,omitempty"`
	Accounts  []Account `toml:"account,omitempty"`
	Counters  []Counter `toml:"counter,omitempty"`
	// Ignore names suggestions to hide: constraints and counters.
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

// Discriminator is an attribute and its value that only items of one kind have.
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
	// Unique: a rule without locks: no two accounts may hold one value.
	Unique bool `toml:"unique,omitempty"`
	// Scope lists attributes of the account, for a rule without locks: no two accounts for which
	// these attributes are equal may hold one value.
	Scope []string `toml:"scope,omitempty"`
	PK    string   `toml:"pk,omitempty"`
	SK    string   `toml:"sk,omitempty"`
	// Also lists other forms of a lock's key: an account needs one lock, in any form.
	Also      []LockKey      `toml:"also,inline,omitempty"`
	Is        *Discriminator `toml:"is,inline,omitempty"`
	Normalise []string       `toml:"normalise,omitempty"`
	Owner     string         `toml:"owner,omitempty"`
	// OwnerForm is the form of the owner in a lock: "user#{id}".
	OwnerForm string `toml:"owner_form,omitempty"`
	Index     string `toml:"index,omitempty"`
	Moves     bool   `toml:"moves,omitempty"`
	TwoSteps  bool   `toml:"two_steps,omitempty"`
	Shared    bool   `toml:"shared,omitempty"`
	// Lapses: locks may expire while their accounts stay.
	Lapses bool `toml:"lapses,omitempty"`
	// ReservedFor is how long a lock may exist before its account does. ReservedSince is the lock's
	// attribute with the time when it was put.
	ReservedFor   string `toml:"reserved_for,omitempty"`
	ReservedSince string `toml:"reserved_since,omitempty"`
	// Holders are places of items that hold values although they are not accounts. NoHolders are
	// places of items that only seem to hold values.
	Holders   []Holder       `toml:"holders,inline,omitempty"`
	NoHolders []layout.Place `toml:"no_holders,inline,omitempty"`
	// AlsoIn lists other tables whose applications put locks into Table. It is nil if nobody has
	// named them.
	AlsoIn *[]string `toml:"also_in,omitempty"`
	// NowhereElse: no item outside the layout holds the values.
	NowhereElse bool `toml:"nowhere_else,omitempty"`
	origin      layout.Origin
}

// LockKey is another form of a lock's key.
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

// Counter is one counter. Its numbers are texts, so that none is rounded.
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
	// Resets is how often a schedule sets the counter back: hourly, daily, weekly, monthly or yearly.
	Resets string `toml:"resets,omitempty"`
	IDs    []IDs  `toml:"ids,omitempty"`
	origin layout.Origin
}

// Locate sets the origin of each part of the config. at returns the origin of a section by its
// path: "account[1].constraint[0]".
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

// Check builds the layouts of a config file and refuses conflicts between them: a name or a table
// used twice, and constraints with the same lock keys.
func Check(layouts []Layout) error {
	names, tables := map[string]bool{}, map[string]string{}
	for n, c := range layouts {
		at := fmt.Sprintf("layout[%d]", n)
		if _, err := c.Build(); err != nil {
			return mistake.At(at, err)
		}
		if names[c.Name] {
			return mistake.Errorf(at+".name", "two layouts are called %q, give them names of their own", c.Name)
		}
		names[c.Name] = true
		for m, table := range c.Tables {
			if other := tables[table]; other != "" {
				return mistake.Errorf(fmt.Sprintf("%s.tables[%d]", at, m),
					"the layouts %s and %s are both for the table %s: a table has one", other, c.Name, table)
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

// apart refuses constraints of one kind of account whose locks have the same keys: a key may have
// been copied by mistake. It allows them if both say shared.
func (ac Account) apart() error {
	for n, one := range ac.Constraints {
		for _, other := range ac.Constraints[:n] {
			same := one.Table == other.Table && one.PK == other.PK && one.SK == other.SK
			if same && !(one.Shared && other.Shared && one.Attribute != other.Attribute) {
				return mistake.Errorf(fmt.Sprintf("constraint[%d].pk", n),
					"the constraints %s and %s have the same keys, pk %q and sk %q: one value could have one of them only; if that is meant, say shared = true of both",
					cmp.Or(other.Name, other.Attribute), cmp.Or(one.Name, one.Attribute), one.PK, one.SK)
			}
		}
	}
	return nil
}

// within adds a path to an error, and words before it.
func within(path, words string, err error) error {
	if err == nil {
		return nil
	}
	return mistake.At(path, fmt.Errorf("%s: %w", words, err))
}
