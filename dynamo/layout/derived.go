package layout

import (
	"errors"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/mistake"
)

// Derived is a key of an account, of the table or of an index, that the application makes
// from other attributes of the same item: GSI1PK from USER#{email}.
type Derived struct {
	Attribute string
	Template  Template // its variables are attributes
	Normalise []Normaliser
}

// DerivedConfig is a derived key as a config has it.
type DerivedConfig struct {
	Attribute string   `toml:"attribute"`
	Template  string   `toml:"template"`
	Normalise []string `toml:"normalise,omitempty"`
}

// NewDerived makes a derived key of its config.
func NewDerived(dc DerivedConfig) (*Derived, error) { return dc.build() }

// Drift compares a derived key with what the item's attributes make of it. compared is
// false where there is no key, the key has another form than the template, as one of
// another kind may, or an attribute that it is made of is not there: then nothing
// contradicts anything.
func (d *Derived) Drift(item attr.Fields) (has attr.Value, should string, compared, drifted bool) {
	has = item.At(d.Attribute)
	if !has.Scalar() {
		return has, "", false, false
	}
	var vars bindings
	for _, p := range d.Template.parts {
		if p.name == "" {
			continue
		}
		if v := item.At(p.name); v.Scalar() {
			vars.add(p.name, Normalise(d.Normalise, v.Text))
		}
	}
	should, err := d.Template.render(&vars, "")
	if err != nil {
		return has, "", false, false
	}
	var own bindings
	if !d.Template.parse(has.Text, &own) {
		return has, "", false, false
	}
	return has, should, true, has.Text != should && !sameNumber(has.Kind, has.Text, should)
}

// Of lists the attributes that the key is made of.
func (d *Derived) Of() []string { return d.Template.Variables() }

func (dc DerivedConfig) build() (*Derived, error) {
	d := &Derived{Attribute: dc.Attribute}
	if d.Attribute == "" {
		return nil, errors.New("attribute, the key that is made of others, is missing")
	}
	if dc.Template == "" {
		return nil, errors.New("template, what the key is made of, is missing")
	}
	var err error
	if d.Template, err = ParseTemplate(dc.Template); err != nil {
		return nil, within("template", "template", err)
	}
	switch names := d.Of(); {
	case d.Template.computed:
		return nil, mistake.Errorf("template", "template %q: {len:…} and {sha256:…} are for the keys of locks alone",
			dc.Template)
	case len(names) == 0:
		return nil, mistake.Errorf("template", "template %q names no attribute: write one in braces, as in USER#{email}",
			dc.Template)
	case len(names) > room:
		return nil, mistake.Errorf("template", "template %q has %d variables, and %d is all that it may have", dc.Template,
			len(names), room)
	case slices.Contains(names, d.Attribute), slices.Contains(names, hashKey):
		return nil, mistake.Errorf("template", "template %q: its variables are the names of other attributes", dc.Template)
	}
	if err := named("attribute", dc.Attribute); err != nil {
		return nil, err
	}
	d.Normalise, err = parseNormalisers(dc.Normalise)
	return d, err
}

func (d *Derived) config() DerivedConfig {
	c := DerivedConfig{Attribute: d.Attribute, Template: d.Template.String()}
	for _, step := range d.Normalise {
		c.Normalise = append(c.Normalise, string(step))
	}
	return c
}
