package layout

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/attr"
)

//go:embed presets.toml
var presetFile []byte

// Preset is a layout known by name: a pattern of locks or of a counter.
type Preset struct {
	Name    string         `toml:"name"`
	About   string         `toml:"about"`
	Lock    lockPattern    `toml:"lock"`
	Account AccountConfig  `toml:"account"`
	Counter counterPattern `toml:"counter"`
	// Whole: the keys of its accounts and locks are known in full, so that a table is
	// recognised before an account and its lock are seen together.
	Whole bool `toml:"whole"`
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
	CounterConfig
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
func (p Preset) CounterIn(s attr.Schema) (*Counter, bool) {
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
