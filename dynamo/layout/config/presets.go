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

// Preset is a layout known by name: a pattern of locks or of a counter.
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
	// As is the constraint's name where the key does not say it.
	As string `toml:"as"`
}

type counterPattern struct {
	Keys []attr.Kind `toml:"keys"`
	// Telling: the attribute's name is found nowhere else.
	Telling bool `toml:"telling"`
	Counter
}

// Presets lists the layouts known by name. They are everybody's: nobody changes them.
func Presets() ([]Preset, error) { return presets() }

// presets reads them once: each table that is recognised asks for them, and more than once.
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

// CounterIn makes the preset's counter for a table with these keys; false where it has
// none, or it cannot be there.
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
	// A pattern is either for keys that are the number, or for attributes.
	if err != nil || (of.PK == "{number}") != c.KeyIsValue(s) {
		return nil, false
	}
	return c, true
}

// CounterKeys lists the keys under which a preset's counter would stand in a
// table: a few point reads tell which of them do.
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

// On is the layout that a preset means in a table, by the preset's keys alone: it is taken even
// if nothing of the table was read. It is empty if the preset does not know its accounts' keys,
// or if the table's keys are of another kind.
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

// account makes the preset's accounts and constraints for a table; nil if it cannot.
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
		return nil // the presets are tested
	}
	return l.Accounts[0]
}

// Complete adds the preset's constraints of which a sample showed no lock to a recognised layout.
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

// Fits reports whether a layout's locks are the preset's.
func (p Preset) Fits(l *layout.Layout) bool {
	pk, err := layout.ParseTemplate(p.Lock.PK)
	return err == nil && p.Lock.PK != "" && len(l.Constraints()) > 0 &&
		!slices.ContainsFunc(l.Constraints(), func(c *layout.Constraint) bool {
			if c.SK.String() == "" && pk.Prefix() == "" {
				return true // any key would fit
			}
			return !pk.Fits(example(c.PK)) || c.SK.String() != "" && !slices.Contains(p.Lock.SK, c.SK.String())
		})
}

// example is the template with each variable's name for what it stands for.
func example(t layout.Template) string {
	text := ""
	for _, p := range t.Pieces() {
		text += cmp.Or(p.Literal, p.Variable)
	}
	return text
}
