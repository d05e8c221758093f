package layout

import "tallylock/dynamo/attr"

// Derived is a key of an account, in the table or in an index. The application makes it from other
// attributes of the same item, such as GSI1PK from USER#{email}.
type Derived struct {
	Attribute string
	Template  Template // its variables are attributes of the item
	Normalise []Normaliser
}

// Drift compares the derived key that an item has with the key that its attributes make now
// (should). drifted is true if the keys differ. compared is false if the key or one of the
// attributes is missing. It is also false if the key does not fit the template, as in items of
// another kind.
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

// Of lists the attributes that the template uses.
func (d *Derived) Of() []string { return d.Template.Variables() }
