package layout

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo/mistake"
)

// region is what Regions are called.
var region = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-[0-9]+$`)

// Build checks a config and makes the layout of it. Its errors know in which setting
// they are (mistake.Path).
func (c Config) Build() (*Layout, error) {
	if c.Name == "" {
		return nil, errors.New("a layout needs a name")
	}
	l, err := c.build()
	if err != nil {
		return nil, within("", "layout "+c.Name, err)
	}
	return l, nil
}

func (c Config) build() (*Layout, error) {
	l := &Layout{Name: c.Name, WrittenIn: c.WrittenIn, Configured: true, Ignore: c.Ignore}
	if len(c.Accounts) == 0 && len(c.Counters) == 0 {
		return nil, errors.New("it has neither an account nor a counter")
	}
	if c.WrittenIn != "" && !region.MatchString(c.WrittenIn) {
		return nil, mistake.Errorf("written_in", "written_in: %q is not a Region: write it as eu-west-1", c.WrittenIn)
	}
	for n, table := range c.Tables {
		switch at := fmt.Sprintf("tables[%d]", n); {
		case table == "":
			return nil, mistake.Errorf(at, "tables: a table without a name")
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
					"two constraints are called %q, give them names of their own", name)
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
	l.SetState(Described)
	return l, l.sameReservations(append(c.Tables, "")[0])
}

// build makes a kind of account.
func (ac AccountConfig) build() (*Account, error) {
	a := &Account{Model: cmp.Or(ac.Model, "account"), Is: ac.Is.discriminator(), Version: ac.Version, Origin: ac.origin}
	if err := ac.keys(a); err != nil {
		return nil, within("", "account "+a.Model, err)
	}
	for n, cc := range ac.Constraints {
		con, err := cc.build()
		switch {
		case err != nil:
			err = within("", strings.TrimSpace("constraint "+cmp.Or(cc.Name, cc.Attribute)), err)
		case con.Attribute == a.Version:
			err = mistake.Errorf("attribute", "account %s: version and the constraint %s have one attribute, %s", a.Model,
				con.Name, con.Attribute)
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

// keys are the templates of an account's keys.
func (ac AccountConfig) keys(a *Account) (err error) {
	if ac.PK == "" {
		return errors.New("pk, the template of its partition key, is missing")
	}
	if a.PK, a.SK, err = plainTemplates(ac.PK, ac.SK); err != nil {
		return err
	}
	if err := errors.Join(ac.Is.check(), named("version", ac.Version)); err != nil {
		return err
	}
	for _, key := range []struct {
		name string
		of   Template
	}{{"pk", a.PK}, {"sk", a.SK}} {
		for _, said := range key.of.Variables() {
			if said != identity && strings.EqualFold(said, identity) && !a.PK.Uses(identity) && !a.SK.Uses(identity) {
				return mistake.Errorf(key.name, "%s %q says {%s}: the account's id is written {id}", key.name, key.of, said)
			}
		}
	}
	if a.PK.Constant() && (a.SK.Constant() || a.SK.text == samePK) {
		return mistake.Errorf("pk", "pk %q and sk %q are the key of one item: write {id} where the account's id stands",
			ac.PK, ac.SK)
	}
	return nil
}

func (cc ConstraintConfig) build() (*Constraint, error) {
	con := &Constraint{
		Name: cmp.Or(cc.Name, cc.Attribute), Attribute: cc.Attribute, Table: cc.Table, Is: cc.Is.discriminator(),
		Owner: cc.Owner, Index: cc.Index, Moves: cc.Moves, TwoSteps: cc.TwoSteps, Shared: cc.Shared, Lapses: cc.Lapses,
		Origin: cc.origin,
	}
	switch {
	case con.Attribute == "":
		return nil, errors.New("attribute, where the account holds the value, is missing")
	case cc.Unique:
		con.Answers = new(Answers)
		return con, cc.unlocked(con)
	case cc.PK == "":
		return nil, errors.New(
			"pk, the template of a lock's partition key, is missing: write {v} where the value stands, or unique = true where there are no locks",
		)
	}
	var err error
	if con.PK, con.SK, err = keyTemplates(cc.PK, cc.SK); err != nil {
		return nil, err
	}
	if !con.PK.Uses(value) && !con.SK.Uses(value) {
		return nil, mistake.Errorf("pk", "neither pk %q nor sk %q says {v}, where the value stands%s", cc.PK, cc.SK,
			meantValue(con))
	}
	if err := errors.Join(cc.Is.check(), named("attribute", cc.Attribute), named("owner", cc.Owner)); err != nil {
		return nil, err
	}
	if err := con.digests(); err != nil {
		return nil, mistake.At("pk", err)
	}
	if len(cc.Scope) > 0 {
		return nil, mistake.Errorf("scope",
			"scope is of rules without locks: write the attribute into pk or sk, as in TENANT#{tenant}#{v}, or unique = true")
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

// answers reads what the config says of other items that hold the constraint's values.
func (cc ConstraintConfig) answers(con *Constraint) error {
	con.Answers = new(Answers)
	var holders []Holder
	for n, h := range cc.Holders {
		place := Place{h.Table, h.Items, h.Attribute, h.Exact}
		if err := place.check(fmt.Sprintf("holders[%d]", n)); err != nil {
			return err
		}
		holders = append(holders, Holder{place, h.PutsLock})
	}
	for n, place := range cc.NoHolders {
		if err := place.check(fmt.Sprintf("no_holders[%d]", n)); err != nil {
			return err
		}
	}
	con.Answers.Set(holders, cc.NoHolders, cc.NowhereElse)
	if cc.AlsoIn != nil {
		con.AlsoIn = append([]string{}, *cc.AlsoIn...)
	}
	return nil
}

// check refuses a place that lacks a part.
func (p Place) check(setting string) error {
	if p.Table == "" || p.Items == "" || p.Attribute == "" {
		return mistake.Errorf(setting, "%s: write { table = \"…\", items = \"…\", attribute = \"…\" }: all three are needed",
			setting)
	}
	return nil
}

// meantValue is the variable of a lock's key that is written as {v} is not.
func meantValue(c *Constraint) string {
	for _, said := range append(c.PK.Variables(), c.SK.Variables()...) {
		last := c.Attribute[strings.LastIndexByte(c.Attribute, '.')+1:]
		if strings.EqualFold(said, value) || strings.EqualFold(said, "value") || strings.EqualFold(said, last) {
			return fmt.Sprintf(": write {v} for {%s}", said)
		}
	}
	return ""
}

// named refuses what can be no attribute's name: a template.
func named(setting, attribute string) error {
	if strings.ContainsAny(attribute, "{}") || (attribute != "" && strings.TrimSpace(attribute) == "") {
		return mistake.Errorf(setting, "%s: %q is not an attribute: write its name alone", setting, attribute)
	}
	return nil
}

// check refuses a half of what tells items from others.
func (d *DiscriminatorConfig) check() error {
	switch {
	case d == nil || (d.Attribute == "") == (d.Value == ""):
		return nil
	case d.Attribute == "":
		return mistake.Errorf("is", "is: the value %q is given, and not the attribute that has it", d.Value)
	}
	return mistake.Errorf("is", "is: the attribute %s is given, and not the value that it has", d.Attribute)
}

func (cc CounterConfig) build() (*Counter, error) {
	c := &Counter{
		Name:      cc.Name,
		Is:        cc.Is.discriminator(),
		Attribute: cc.Attribute,
		Semantics: Semantics(cc.Semantics),
		Resets:    cc.Resets,
		Origin:    cc.origin,
	}
	if c.Attribute == "" {
		return nil, errors.New("attribute, where the number stands, is missing")
	}
	switch c.Semantics {
	case Last, Next, Tally:
	case "":
		c.Semantics = Last
	default:
		return nil, mistake.Errorf("semantics", "unknown semantics %q: use last, next or tally%s", cc.Semantics,
			mistake.Meant(cc.Semantics, "last", "next", "tally"))
	}
	if cc.PK == "" {
		return nil, errors.New("pk, the template of its partition key, is missing")
	}
	var err error
	if c.PK, c.SK, err = plainTemplates(cc.PK, cc.SK); err != nil {
		return nil, err
	}
	if c.Start, err = number(cc.Start, "0"); err != nil {
		return nil, within("start", "start", err)
	}
	if c.Step, err = number(cc.Step, "1"); err != nil {
		return nil, within("step", "step", err)
	}
	if c.Step.Sign() <= 0 {
		return nil, mistake.Errorf("step", "step %s: it must be at least 1, a counter only rises", c.Step)
	}
	if c.Offset, err = number(cc.Offset, "0"); err != nil {
		return nil, within("offset", "offset", err)
	}
	if err := errors.Join(cc.Is.check(), named("attribute", cc.Attribute), cc.ceiling(c), cc.checkResets()); err != nil {
		return nil, err
	}
	for n, ic := range cc.IDs {
		ids, err := ic.build(c)
		if err != nil {
			return nil, within(fmt.Sprintf("ids[%d]", n), "ids", err)
		}
		c.IDs = append(c.IDs, ids)
	}
	if len(c.IDs) > 0 && c.Semantics == Tally {
		return nil, mistake.Errorf("semantics", "ids: a tally mints none")
	}
	if c.Resets != "" {
		c.IDs, c.uncompared = nil, c.IDs
	}
	return c, nil
}

func keyTemplates(pk, sk string) (Template, Template, error) {
	p, err := ParseTemplate(pk)
	if err != nil {
		return p, p, within("pk", "pk", err)
	}
	s, err := ParseTemplate(sk)
	if err != nil {
		return p, s, within("sk", "sk", err)
	}
	if n := len(p.Variables()) + len(s.Variables()); n > room-2 {
		return p, s, mistake.Errorf("pk", "pk %q and sk %q have %d variables together, and %d is all that they may have", pk,
			sk, n, room-2)
	}
	return p, s, nil
}

// plainTemplates are those of keys from which everything can be read: of all but locks.
func plainTemplates(pk, sk string) (Template, Template, error) {
	p, s, err := keyTemplates(pk, sk)
	switch {
	case err != nil:
	case p.digested() != nil:
		err = mistake.Errorf("pk", "pk %q: {sha256:…} is for the keys of locks alone", pk)
	case s.digested() != nil:
		err = mistake.Errorf("sk", "sk %q: {sha256:…} is for the keys of locks alone", sk)
	}
	return p, s, err
}
