package config

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

//go:embed presets.toml
var presetFile []byte

// Preset is a layout that the program knows by name. It describes locks or a counter.
type Preset struct {
	Name    string         `toml:"name"`
	About   string         `toml:"about"`
	Lock    lockPattern    `toml:"lock"`
	Account Account        `toml:"account"`
	Counter counterPattern `toml:"counter"`
}

type lockPattern struct {
	PK         string            `toml:"pk"`
	SK         []string          `toml:"sk"`
	Normalise  []string          `toml:"normalise"`
	Attributes map[string]string `toml:"attributes"`
	// As is the constraint's name if the lock's key does not contain it.
	As string `toml:"as"`
}

type counterPattern struct {
	Keys []attr.Kind `toml:"keys"`
	// Telling is true if the name of the counter's attribute is so special that an attribute with this name
	// is always a counter.
	Telling bool `toml:"telling"`
	Counter
}

// Presets lists the presets. All callers share the list, so no caller may change it.
func Presets() ([]Preset, error) { return presets() }

// presets parses the presets only once, since the recognition of each table needs the presets
// several times.
var presets = sync.OnceValues(func() ([]Preset, error) {
	var file struct {
		Presets []Preset `toml:"preset"`
	}
	dec := toml.NewDecoder(bytes.NewReader(presetFile)).DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("reading the presets: %w", err)
	}
	return file.Presets, nil
})

// CounterIn makes the preset's counter for a table with the key schema s. It reports false if the
// preset has no counter, or if the counter does not fit the schema.
func (p Preset) CounterIn(s attr.Schema) (*layout.Counter, bool) {
	of, kinds := p.Counter, []attr.Kind{s.HashKind}
	if s.RangeName == "" {
		of.SK, of.IDs = "", slices.Clone(of.IDs)
		for n := range of.IDs {
			of.IDs[n].SK = ""
		}
	} else {
		kinds = append(kinds, s.RangeKind)
	}
	if of.PK == "" || s.RangeName != "" && of.SK == "" || slices.Contains(kinds, attr.B) ||
		len(of.Keys) > 0 && !slices.Equal(kinds, of.Keys) {
		return nil, false
	}
	c, err := of.build()
	// The preset's partition key must be {number} if and only if the key itself is the counter's number.
	if err != nil || (of.PK == "{number}") != c.KeyIsValue(s) {
		return nil, false
	}
	return c, true
}

// CounterKeys lists the keys that the presets' counters with constant keys would have in a table. A
// read of these keys shows which of the counters exist.
func CounterKeys(presets []Preset, s attr.Schema) []attr.Key {
	var keys []attr.Key
	for _, p := range presets {
		c, ok := p.CounterIn(s)
		if !ok || !c.Fixed(s) {
			continue
		}
		k, err := c.Key(s)
		if err == nil && !slices.ContainsFunc(keys, k.Equal) {
			keys = append(keys, k)
		}
	}
	return keys
}

// On returns the preset's layout for a table with the key schema s. It uses no item of the table.
// The layout is empty if neither the preset's account nor its counter fits the schema. indexes maps
// an attribute to the name of the index on this attribute.
func (p Preset) On(s attr.Schema, indexes map[string]string) *layout.Layout {
	l := &layout.Layout{}
	if a := p.account(s, indexes); a != nil {
		l.Name, l.Preset, l.Accounts = p.Name, p.Name, []*layout.Account{a}
	}
	if c, ok := p.CounterIn(s); ok {
		l.Name, l.Preset, l.Counters = p.Name, p.Name, []*layout.Counter{c}
	}
	return l
}

// account makes the preset's kind of account, with its constraints, for a table with the key schema
// s. It returns nil if the preset has no account, or if the schema does not fit.
func (p Preset) account(s attr.Schema, indexes map[string]string) *layout.Account {
	if p.Lock.PK == "" || p.Account.PK == "" || s.HashKind != attr.S || s.RangeName != "" && s.RangeKind != attr.S {
		return nil
	}
	config := p.Account
	attributes := p.Lock.Attributes
	if p.Lock.As != "" {
		attributes = map[string]string{"": p.Lock.As}
	}
	for _, kind := range slices.Sorted(maps.Keys(attributes)) {
		config.Constraints = append(config.Constraints, Constraint{
			Name: attributes[kind], Attribute: attributes[kind], Index: indexes[attributes[kind]],
			PK: strings.ReplaceAll(p.Lock.PK, "{A}", kind), SK: p.Lock.SK[0], Normalise: p.Lock.Normalise,
		})
	}
	if s.RangeName == "" {
		config.SK = ""
		for n := range config.Constraints {
			config.Constraints[n].SK = ""
		}
	}
	l, err := Layout{Name: p.Name, Accounts: []Account{config}}.Build()
	if err != nil {
		return nil // impossible: a test builds all presets
	}
	return l.Accounts[0]
}

// Complete adds the preset's constraints that are missing in a guessed layout. They are missing if the
// sample had no locks of these constraints.
func (p Preset) Complete(l *layout.Layout, s attr.Schema, indexes map[string]string) {
	a := p.account(s, indexes)
	if a == nil || len(l.Accounts) != 1 || l.Accounts[0].PK.String() != a.PK.String() ||
		l.Accounts[0].SK.String() != a.SK.String() {
		return
	}
	known := l.Accounts[0]
	for _, c := range a.Constraints {
		if !slices.ContainsFunc(known.Constraints, func(o *layout.Constraint) bool { return o.Attribute == c.Attribute }) {
			c.SK = known.Constraints[0].SK
			known.Constraints = append(known.Constraints, c)
		}
	}
}

// Fits reports whether all lock keys of a layout have the form of the preset's lock key.
func (p Preset) Fits(l *layout.Layout) bool {
	pk, err := layout.ParseTemplate(p.Lock.PK)
	return err == nil && p.Lock.PK != "" && len(l.Constraints()) > 0 &&
		!slices.ContainsFunc(l.Constraints(), func(c *layout.Constraint) bool {
			if c.SK.String() == "" && pk.Prefix() == "" {
				return true // the preset's template fits every key
			}
			return !pk.Fits(example(c.PK)) || c.SK.String() != "" && !slices.Contains(p.Lock.SK, c.SK.String())
		})
}

// example renders a template. As the value of each variable, it uses the variable's name.
func example(t layout.Template) string {
	text := ""
	for _, p := range t.Pieces() {
		text += cmp.Or(p.Literal, p.Variable)
	}
	return text
}
