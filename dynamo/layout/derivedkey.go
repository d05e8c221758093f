package layout

import "tallylock/dynamo/attr"

// Derived is a key of an account, of the table or of an index, that the application makes
// from other attributes of the same item: GSI1PK from USER#{email}.
type Derived struct {
	Attribute string
	Template  Template // its variables are attributes
	Normalise []Normaliser
}

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
