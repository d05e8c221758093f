package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

// region matches the name of a Region.
var region = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-[0-9]+$`)

// Build checks a config and converts it to a layout. Its errors have the path of the wrong setting
// (mistake.Path).
func (c Layout) Build() (*layout.Layout, error) {
	if c.Name == "" {
		return nil, errors.New("a layout has no name: add a name")
	}
	l, err := c.build()
	if err != nil {
		return nil, within("", "layout "+c.Name, err)
	}
	return l, nil
}

func (c Layout) build() (*layout.Layout, error) {
	l := &layout.Layout{Name: c.Name, WrittenIn: c.WrittenIn, Configured: true, Ignore: c.Ignore}
	if len(c.Accounts) == 0 && len(c.Counters) == 0 {
		return nil, errors.New("there is neither an account nor a counter")
	}
	if c.WrittenIn != "" && !region.MatchString(c.WrittenIn) {
		return nil, mistake.Errorf("written_in", "written_in: %q is not a Region: write a Region such as eu-west-1", c.WrittenIn)
	}
	for n, table := range c.Tables {
		switch at := fmt.Sprintf("tables[%d]", n); {
		case table == "":
			return nil, mistake.Errorf(at, "tables: the name of a table is empty")
		case slices.Contains(c.Tables[:n], table):
			return nil, mistake.Errorf(at, "tables: %s is named twice", table)
		}
	}
	names := map[string]bool{}
	for n, ac := range c.Accounts {
		a, err := ac.build()
		if err != nil {
			return nil, mistake.At(fmt.Sprintf("account[%d]", n), err)
		}
		for m, cc := range ac.Constraints {
			name := cmp.Or(cc.Name, cc.Attribute)
			if names[name] {
				return nil, mistake.Errorf(fmt.Sprintf("account[%d].constraint[%d].name", n, m),
					"two constraints have the name %q: give them different names", name)
			}
			names[name] = true
		}
		l.Accounts = append(l.Accounts, a)
	}
	for n, cc := range c.Counters {
		counter, err := cc.build()
		if err != nil {
			return nil, within(fmt.Sprintf("counter[%d]", n), strings.TrimSpace("counter "+cmp.Or(cc.Name, cc.Attribute)), err)
		}
		l.Counters = append(l.Counters, counter)
	}
	l.SetState(layout.Described)
	return l, sameReservations(l, append(c.Tables, "")[0])
}

func (ac Account) build() (*layout.Account, error) {
	a := &layout.Account{
		Model: cmp.Or(ac.Model, "account"), Is: ac.Is.discriminator(), Version: ac.Version, Origin: ac.origin,
	}
	if err := ac.keys(a); err != nil {
		return nil, within("", "account "+a.Model, err)
	}
	for n, cc := range ac.Constraints {
		con, err := cc.build()
		switch {
		case err != nil:
			err = within("", strings.TrimSpace("constraint "+cmp.Or(cc.Name, cc.Attribute)), err)
		case con.Attribute == a.Version:
			err = mistake.Errorf("attribute", "account %s: version and the constraint %s use the same attribute, %s: correct one of them",
				a.Model, con.Name, con.Attribute)
		}
		if err != nil {
			return nil, mistake.At(fmt.Sprintf("constraint[%d]", n), err)
		}
		if con.Lockless() {
			a.Unlocked = append(a.Unlocked, con)
			continue
		}
		a.Constraints = append(a.Constraints, con)
	}
	for n, dc := range ac.Derived {
		d, err := dc.build()
		if err != nil {
			return nil, within(fmt.Sprintf("derived[%d]", n), strings.TrimSpace("derived "+dc.Attribute), err)
		}
		a.Derived = append(a.Derived, d)
	}
	return a, nil
}

func (ac Account) keys(a *layout.Account) (err error) {
	if ac.PK == "" {
		return errors.New("pk is missing: the template of the account's partition key")
	}
	if a.PK, a.SK, err = plainTemplates(ac.PK, ac.SK); err != nil {
		return err
	}
	if err := errors.Join(ac.Is.check(), named("version", ac.Version)); err != nil {
		return err
	}
	for _, key := range []struct {
		name string
		of   layout.Template
	}{{"pk", a.PK}, {"sk", a.SK}} {
		for _, said := range key.of.Variables() {
			if said != layout.IDVariable && strings.EqualFold(said, layout.IDVariable) &&
				!a.PK.Uses(layout.IDVariable) && !a.SK.Uses(layout.IDVariable) {
				return mistake.Errorf(key.name, "%s %q has {%s}: write {id} for the account's id", key.name, key.of, said)
			}
		}
	}
	if a.PK.Constant() && (a.SK.Constant() || a.SK.String() == layout.RepeatedHash) {
		return mistake.Errorf("pk", "pk %q and sk %q can be the key of only one account: write {id} in place of the account's id",
			ac.PK, ac.SK)
	}
	return nil
}

// check refuses a discriminator with an attribute but no value, or a value but no attribute.
func (d *Discriminator) check() error {
	switch {
	case d == nil || (d.Attribute == "") == (d.Value == ""):
		return nil
	case d.Attribute == "":
		return mistake.Errorf("is", "is: the value %q needs an attribute: add attribute", d.Value)
	}
	return mistake.Errorf("is", "is: the attribute %s needs a value: add value", d.Attribute)
}

func keyTemplates(pk, sk string) (layout.Template, layout.Template, error) {
	p, err := layout.ParseTemplate(pk)
	if err != nil {
		return p, p, within("pk", "pk", err)
	}
	s, err := layout.ParseTemplate(sk)
	if err != nil {
		return p, s, within("sk", "sk", err)
	}
	if n := len(p.Variables()) + len(s.Variables()); n > layout.MostVariables-2 {
		return p, s, mistake.Errorf("pk", "pk %q and sk %q together have %d variables, but at most %d are allowed", pk,
			sk, n, layout.MostVariables-2)
	}
	return p, s, nil
}

// plainTemplates parses the templates of keys and refuses digests: only lock keys may have them.
func plainTemplates(pk, sk string) (layout.Template, layout.Template, error) {
	p, s, err := keyTemplates(pk, sk)
	switch {
	case err != nil:
	case p.Digests():
		err = mistake.Errorf("pk", "pk %q: only keys of locks may have {sha256:…}", pk)
	case s.Digests():
		err = mistake.Errorf("sk", "sk %q: only keys of locks may have {sha256:…}", sk)
	}
	return p, s, err
}

// sameReservations refuses two constraints with the same lock keys and different reservations: a
// lock does not show its constraint, so the reservation of a lock would be unknown.
func sameReservations(l *layout.Layout, accounts string) error {
	for n, c := range l.Constraints() {
		for _, other := range l.Constraints()[:n] {
			if c.SharesKeys(accounts, other) && c.Reserved != other.Reserved {
				return errors.New(
					"the constraints " + other.Name + " and " + c.Name +
						" use the same lock keys: give both constraints the same reserved_for and reserved_since",
				)
			}
		}
	}
	return nil
}
