package config

import (
	"errors"
	"slices"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

// Derived is the config of a layout.Derived.
type Derived struct {
	Attribute string   `toml:"attribute"`
	Template  string   `toml:"template"`
	Normalise []string `toml:"normalise,omitempty"`
}

// NewDerived checks and converts the config of a derived key.
func NewDerived(dc Derived) (*layout.Derived, error) { return dc.build() }

func (dc Derived) build() (*layout.Derived, error) {
	d := &layout.Derived{Attribute: dc.Attribute}
	if d.Attribute == "" {
		return nil, errors.New("attribute is missing: name the key attribute that is made from other attributes")
	}
	if dc.Template == "" {
		return nil, errors.New("template is missing: the form of the key, as in USER#{email}")
	}
	var err error
	if d.Template, err = layout.ParseTemplate(dc.Template); err != nil {
		return nil, within("template", "template", err)
	}
	switch names := d.Of(); {
	case d.Template.Computed():
		return nil, mistake.Errorf("template", "template %q: only keys of locks may have {len:…} and {sha256:…}",
			dc.Template)
	case len(names) == 0:
		return nil, mistake.Errorf("template", "template %q names no attribute: write an attribute in braces, as in USER#{email}",
			dc.Template)
	case len(names) > layout.MostVariables:
		return nil, mistake.Errorf("template", "template %q has %d variables, but at most %d are allowed", dc.Template,
			len(names), layout.MostVariables)
	case slices.Contains(names, d.Attribute), slices.Contains(names, layout.HashVariable):
		return nil, mistake.Errorf("template", "template %q: only other attributes of the item may be in braces", dc.Template)
	}
	if err := named("attribute", dc.Attribute); err != nil {
		return nil, err
	}
	d.Normalise, err = parseNormalisers(dc.Normalise)
	return d, err
}

func derivedConfig(d *layout.Derived) Derived {
	c := Derived{Attribute: d.Attribute, Template: d.Template.String()}
	for _, step := range d.Normalise {
		c.Normalise = append(c.Normalise, string(step))
	}
	return c
}
