package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

func (cc Constraint) build() (*layout.Constraint, error) {
	con := &layout.Constraint{
		Name: cmp.Or(cc.Name, cc.Attribute), Attribute: cc.Attribute, Table: cc.Table, Is: cc.Is.discriminator(),
		Owner: cc.Owner, Index: cc.Index, Moves: cc.Moves, MultiTransaction: cc.MultiTransaction,
		Shared: cc.Shared, Lapses: cc.Lapses,
		Origin: cc.origin,
	}
	switch {
	case con.Attribute == "":
		return nil, errors.New("attribute is missing: the account's attribute with the value")
	case cc.Unique:
		con.Answers = new(layout.Answers)
		return con, cc.unlocked(con)
	case cc.PK == "":
		return nil, errors.New(
			"pk is missing: the template of the lock's partition key, with {v} in place of the value. If there are no locks, set unique = true",
		)
	}
	var err error
	if con.PK, con.SK, err = keyTemplates(cc.PK, cc.SK); err != nil {
		return nil, err
	}
	if !con.PK.Uses(layout.ValueVariable) && !con.SK.Uses(layout.ValueVariable) {
		return nil, mistake.Errorf("pk", "pk %q and sk %q have no {v}: write {v} in place of %s", cc.PK, cc.SK,
			meantValue(con))
	}
	if err := errors.Join(cc.Is.check(), named("attribute", cc.Attribute), named("owner", cc.Owner)); err != nil {
		return nil, err
	}
	if err := con.CheckDigests(); err != nil {
		return nil, mistake.At("pk", err)
	}
	if len(cc.Scope) > 0 {
		return nil, mistake.Errorf("scope",
			"scope needs unique = true. For locks, write the attribute into pk or sk, as in TENANT#{tenant}#{v}")
	}
	if con.Also, err = cc.also(con); err != nil {
		return nil, err
	}
	if con.OwnerForm, err = cc.ownerForm(); err != nil {
		return nil, err
	}
	if con.Reserved, err = cc.reservation(); err != nil {
		return nil, err
	}
	if err := cc.answers(con); err != nil {
		return nil, err
	}
	con.Normalise, err = parseNormalisers(cc.Normalise)
	return con, err
}

// answers copies the answers about items outside the layout and about other tables into con.
func (cc Constraint) answers(con *layout.Constraint) error {
	con.Answers = new(layout.Answers)
	var holders []layout.Holder
	for n, h := range cc.Holders {
		place := layout.Place{Table: h.Table, Items: h.Items, Attribute: h.Attribute, Exact: h.Exact}
		if err := checkPlace(place, fmt.Sprintf("holders[%d]", n)); err != nil {
			return err
		}
		holders = append(holders, layout.Holder{Place: place, PutsLock: h.PutsLock})
	}
	for n, place := range cc.NoHolders {
		if err := checkPlace(place, fmt.Sprintf("no_holders[%d]", n)); err != nil {
			return err
		}
	}
	con.Answers.Set(holders, cc.NoHolders, cc.NowhereElse)
	if cc.AlsoIn != nil {
		con.AlsoIn = append([]string{}, *cc.AlsoIn...)
	}
	return nil
}

func checkPlace(p layout.Place, setting string) error {
	if p.Table == "" || p.Items == "" || p.Attribute == "" {
		return mistake.Errorf(setting, "%s needs a table, items and an attribute: write { table = \"…\", items = \"…\", attribute = \"…\" }",
			setting)
	}
	return nil
}

// meantValue returns the variable in the lock's key that looks like the value: {value}, {V}, or the attribute's
// name. Without such a variable, it returns "the value".
func meantValue(c *layout.Constraint) string {
	for _, said := range append(c.PK.Variables(), c.SK.Variables()...) {
		last := c.Attribute[strings.LastIndexByte(c.Attribute, '.')+1:]
		if strings.EqualFold(said, layout.ValueVariable) || strings.EqualFold(said, "value") ||
			strings.EqualFold(said, last) {
			return "{" + said + "}"
		}
	}
	return "the value"
}

// named refuses a text that cannot be the name of an attribute, for example a template.
func named(setting, attribute string) error {
	if strings.ContainsAny(attribute, "{}") || (attribute != "" && strings.TrimSpace(attribute) == "") {
		return mistake.Errorf(setting, "%s: %q is not the name of an attribute: write only the name", setting, attribute)
	}
	return nil
}

// also parses and checks the other forms of a lock's key.
func (cc Constraint) also(con *layout.Constraint) ([]layout.LockKeys, error) {
	var all []layout.LockKeys
	for n, key := range cc.Also {
		at := fmt.Sprintf("also[%d]", n)
		pk, sk, err := keyTemplates(key.PK, key.SK)
		if err != nil {
			return nil, mistake.At(at, within("", "also", err))
		}
		form := layout.LockKeys{PK: pk, SK: sk}
		switch {
		case key.PK == "":
			err = mistake.Errorf(at, "also: pk is missing: the template of the lock's partition key")
		case con.Digests() || form.Digests():
			err = mistake.Errorf(at, "also: a lock with {sha256:…} can have only one form, because its value cannot be read from the digest")
		case !pk.Uses(layout.ValueVariable) && !sk.Uses(layout.ValueVariable):
			err = mistake.Errorf(at, "also: pk %q and sk %q have no {v}: write {v} in place of the value", key.PK, key.SK)
		case !sameNames(con.Scope(), form.Scope()):
			err = mistake.Errorf(at, "also: each form needs the same variables as pk and sk")
		case slices.ContainsFunc(append(all, con.LockKeys), func(have layout.LockKeys) bool {
			return have.PK.String() == pk.String() && have.SK.String() == sk.String()
		}):
			err = mistake.Errorf(at, "also: pk %q and sk %q are given twice", key.PK, key.SK)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, form)
	}
	return all, nil
}

// sameNames reports whether two lists have the same names in any order. Repeats do not count.
func sameNames(a, b []string) bool {
	once := func(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
	return slices.Equal(once(a), once(b))
}

func (cc Constraint) ownerForm() (layout.OwnerForm, error) {
	if cc.OwnerForm == "" {
		return layout.OwnerForm{}, nil
	}
	if cc.Owner == "" {
		return layout.OwnerForm{}, mistake.Errorf("owner_form",
			"owner_form needs owner: the lock's attribute that names the account")
	}
	form, err := layout.ParseTemplate(cc.OwnerForm)
	if err == nil && (form.Computed() || len(form.Variables()) != 1 || !form.Uses(layout.IDVariable)) {
		err = errors.New("write {id} once in place of the account's id, and no other variable, as in user#{id}")
	}
	return layout.OwnerForm{Template: form}, within("owner_form", "owner_form", err)
}

func (cc Constraint) reservation() (r layout.Reservation, err error) {
	switch {
	case cc.ReservedFor == "" && cc.ReservedSince == "":
		return r, nil
	case cc.ReservedFor == "":
		return r, mistake.Errorf("reserved_since",
			"reserved_since needs reserved_for: the longest time that a lock exists before its account, such as 48h")
	case cc.ReservedSince == "":
		return r, mistake.Errorf("reserved_for",
			"reserved_for needs reserved_since: the lock's attribute with the time when the lock was put")
	}
	if r.For, err = time.ParseDuration(cc.ReservedFor); err != nil || r.For <= 0 {
		return r, mistake.Errorf("reserved_for", "reserved_for: %q is not a time: write a time such as 48h or 30m", cc.ReservedFor)
	}
	r.Since = cc.ReservedSince
	return r, named("reserved_since", cc.ReservedSince)
}

// unlocked completes a rule without locks. It refuses settings that make sense only with locks.
func (cc Constraint) unlocked(con *layout.Constraint) error {
	for _, of := range []struct {
		setting string
		given   bool
	}{
		{"pk", cc.PK != ""},
		{"sk", cc.SK != ""},
		{"table", cc.Table != ""},
		{"is", cc.Is != nil},
		{"also", len(cc.Also) > 0},
		{"owner", cc.Owner != ""},
		{"owner_form", cc.OwnerForm != ""},
		{"lapses", cc.Lapses},
		{"moves", cc.Moves},
		{"two_steps", cc.MultiTransaction},
		{"shared", cc.Shared},
		{"reserved_for", cc.ReservedFor != ""},
		{"reserved_since", cc.ReservedSince != ""},
	} {
		if of.given {
			return mistake.Errorf(of.setting,
				"%s is about locks, but unique = true says that there are no locks: remove %[1]s or unique", of.setting)
		}
	}
	err := named("attribute", cc.Attribute)
	con.Within = cc.Scope
	for n, name := range cc.Scope {
		at := fmt.Sprintf("scope[%d]", n)
		switch {
		case name == "":
			err = errors.Join(err, mistake.Errorf(at, "scope: the name of an attribute is empty"))
		case name == cc.Attribute:
			err = errors.Join(err, mistake.Errorf(at, "scope: %s is the attribute of the value: name other attributes", name))
		case slices.Contains(cc.Scope[:n], name):
			err = errors.Join(err, mistake.Errorf(at, "scope: %s is named twice", name))
		}
		err = errors.Join(err, mistake.At(at, named("scope", name)))
	}
	var steps error
	if con.Normalise, steps = parseNormalisers(cc.Normalise); steps == nil && con.Encodes() {
		steps = mistake.Errorf("normalise",
			"normalise: without locks, values are only compared: remove each normaliser that encodes, such as sha256 or base64")
	}
	return errors.Join(err, steps)
}

func parseNormalisers(names []string) ([]layout.Normaliser, error) {
	var steps []layout.Normaliser
	known := layout.Normalisers()
	for n, name := range names {
		if !slices.Contains(known, name) {
			last := len(known) - 1
			return nil, mistake.Errorf(fmt.Sprintf("normalise[%d]", n), "unknown normaliser %q: use %s or %s%s", name,
				strings.Join(known[:last], ", "), known[last], mistake.Meant(name, known...))
		}
		steps = append(steps, layout.Normaliser(name))
	}
	return steps, nil
}
