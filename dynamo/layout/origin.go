package layout

import (
	"cmp"
	"fmt"

	"tallylock/dynamo/mistake"
)

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

// Locate gives each part of the config its origin. at gives that of a section by its
// path: "account[1].constraint[0]".
func (c *Config) Locate(at func(path string) Origin) {
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

// Check says what in the layouts of a config file cannot be meant, besides what Build
// refuses of each.
func Check(layouts []Config) error {
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

// apart refuses constraints of one kind of account whose locks have the same keys,
// unless they say that this is meant: a key that was copied is.
func (ac AccountConfig) apart() error {
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

// within puts words before an error in a section.
func within(path, words string, err error) error {
	if err == nil {
		return nil
	}
	return mistake.At(path, fmt.Errorf("%s: %w", words, err))
}
