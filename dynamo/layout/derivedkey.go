package layout

import "tallylock/dynamo/attr"

// Derived is a key of an account, in the table or in an index, that the application makes from
// other attributes of the same item: GSI1PK from USER#{email}.
type Derived struct {
	Attribute string
	Template  Template // its variables are names of attributes
	Normalise []Normaliser
}

// Drift compares a derived key with the key that the item's attributes make. compared is false if
// the item has no such key, if an attribute for it is missing, or if the key does not fit the
// template, as in items of other kinds. Then nothing shows a drift.
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
