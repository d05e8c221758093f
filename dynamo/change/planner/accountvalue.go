package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// ChangeValue plans to change the value of a relation in its account. The account may have other values in the same
// attribute. One transaction puts the new value's lock, deletes the old value's lock and updates the account. If
// both values share a lock, as after a change of case, the lock is kept. ChangeValue returns a *plan.Refusal if
// another account has the new value, or if the account no longer has the old value. It returns an error of the kind
// client.Usage if the new value is invalid.
func ChangeValue(ctx context.Context, t *dynamo.Table, rel *verdict.Relation, to string) (*plan.Plan, error) {
	if rel.Account == nil {
		return nil, plan.Refuse(plan.Absent, "no account was found that holds the %s \"%s\"", rel.Constraint.Name, rel.Value)
	}
	if rel.Constraint.Lockless() {
		return nil, plan.Refuse(plan.ByHand, "no locks keep the %s unique, so only the application can change it safely", rel.Constraint.Name)
	}
	kind, a, _, err := readAccount(ctx, t, rel.Account.Key)
	if err != nil {
		return nil, err
	}
	c := rel.Constraint
	if err := checkNewValue(t, kind, c, to); err != nil {
		return nil, err
	}
	for _, text := range layout.Texts(a.Item.At(c.Attribute)) {
		if normal := c.Normalised(text); normal != rel.Value && normal == c.Normalised(to) {
			return nil, plan.Refuse(plan.InOrder, "%s holds the %s \"%s\" already", a.Key, c.Name, text)
		}
	}
	v, from, err := replaceValue(c, a.Item.At(c.Attribute), rel.Value, to)
	if err != nil {
		return nil, err
	}
	if from == "" {
		return nil, plan.Refuse(plan.Changed, "%s no longer holds the %s \"%s\"", a.Key, c.Name, rel.Value)
	}
	after := plan.WithAttribute(a.Item, c.Attribute, v)
	m, err := diffClaims(t, kind, a, after)
	if err != nil {
		return nil, err
	}
	if err := refuseKeyed(ctx, t, kind, c, a, after, to); err != nil {
		return nil, err
	}
	d := newDraft(t, plan.KindValue, t.Name)
	d.Constraint, d.Value, d.Account, d.Before, d.After = c.Name, rel.Value, a.Key.Hash.Value.Display(), from, to
	d.AccountValue = accountValue(rel)
	d.undo = "restores the old value, if nobody has taken it"
	d.Title, d.Button = "Change a value", "Change it"
	d.Sentence = fmt.Sprintf("%s gets the %s \"%s\" instead of \"%s\".", d.Account, c.Name, to, from)
	d.Done = fmt.Sprintf("%s has the %s \"%s\"", d.Account, c.Name, to)
	d.Live.Request = plan.Request{Account: a.Key.Item(), Constraint: c.Name, Value: rel.Value, To: to}
	if err := d.updateAccount(kind, a, v, m); err != nil {
		return nil, err
	}
	if err := d.moveLocks(ctx, a, m); err != nil {
		return nil, err
	}
	if how := unusual(c, to, t.Sample.Texts(c, a.Key)); how != "" {
		d.AddLine(plan.LabelSpelt, how)
	}
	d.mentions(a, c, from)
	if err := d.noteSimilar(ctx, c, to, m.keys()...); err != nil {
		return nil, err
	}
	return d.plan()
}

// badValue returns the error of a value that an account cannot have.
func badValue(c *layout.Constraint, to string, why error) error {
	op := fmt.Sprintf("changing the %s to \"%s\"", c.Name, to)
	return &client.Error{Kind: client.Usage, Op: op, Why: why.Error(), Do: "give another value", Err: why}
}

// checkNewValue returns an error if the new value can only be a mistake, or if the attribute is part of the
// account's key.
func checkNewValue(t *dynamo.Table, kind *layout.Account, c *layout.Constraint, to string) error {
	normal := c.Normalised(to)
	switch {
	case strings.TrimSpace(to) == "" || normal == "":
		return badValue(c, to, errors.New("the new value is empty"))
	case layout.Nonsense(strings.TrimSpace(to)) || layout.Nonsense(normal):
		return badValue(c, to, errors.New("programs write this text if a value is missing"))
	case strings.ContainsFunc(to, unicode.IsControl):
		return badValue(c, to, errors.New("the new value contains a control character"))
	case t.Schema.IsKey(c.Attribute) || kind.PK.Uses(c.Attribute) || kind.SK.Uses(c.Attribute):
		return &client.Error{
			Kind: client.Usage,
			Op:   "changing the " + c.Name,
			Why:  "this attribute is part of the account's key, and a key cannot change",
			Do:   "the application has to move the account",
		}
	}
	return nil
}

// replaceValue returns a copy of an attribute with one value replaced. The caller gives the old value in its
// normalised form (value) and the new value (to). from is the spelling of the old value in the attribute; empty if
// the attribute does not have the old value.
func replaceValue(c *layout.Constraint, v attr.Value, value, to string) (changed attr.Value, from string, err error) {
	fresh := func(kind attr.Kind) (string, error) {
		if kind != attr.N {
			return to, nil
		}
		n, ok := attr.Decimal(to)
		if !ok {
			return "", badValue(c, to, errors.New("the old value is a number, but the new value is not"))
		}
		return n, nil
	}
	is := func(kind attr.Kind, text string) bool {
		if kind == attr.N {
			text = attr.CanonicalNumber(text)
		}
		if c.Normalised(text) != value {
			return false
		}
		from = text
		return true
	}
	switch v.Kind {
	case attr.S, attr.N, attr.B:
		if !is(v.Kind, v.Text) {
			return v, "", nil
		}
		v.Text, err = fresh(v.Kind)
	case attr.SS, attr.NS, attr.BS:
		kind := v.Kind[:1]
		set := slices.DeleteFunc(slices.Clone(v.Set), func(text string) bool { return is(kind, text) })
		text, bad := fresh(kind)
		if err = bad; !slices.Contains(set, text) {
			set = append(set, text)
		}
		v.Set = set
	case attr.L:
		var list []attr.Value
		for _, e := range v.List {
			switch {
			case !e.Scalar() || !is(e.Kind, e.Text):
				list = append(list, e)
			default:
				text, bad := fresh(e.Kind)
				err = errors.Join(err, bad)
				if !slices.ContainsFunc(list, func(have attr.Value) bool { return have.Scalar() && have.Text == text }) {
					list = append(list, attr.Value{Kind: e.Kind, Text: text})
				}
			}
		}
		v.List = list
	}
	return v, from, err
}

// claimDiff compares an account's claims before and after a change: put has the new claims, and free the dropped
// claims.
type claimDiff struct {
	put  []layout.Claim
	free []layout.Claim
	// kept lists the locks that the account claims before and after the change, with different spellings of the
	// value.
	kept []respelling
	// constraints lists the constraints of the claims in put, free and kept.
	constraints []*layout.Constraint
}

// respelling has an account's claim on one lock before and after a change.
type respelling struct{ from, to layout.Claim }

// diffClaims compares an account's claims before and after a change.
func diffClaims(t *dynamo.Table, kind *layout.Account, a *schema.Account, after attr.Item) (claimDiff, error) {
	var m claimDiff
	if after.Equal(a.Item) {
		return m, plan.Refuse(plan.InOrder, "%s already has that value", a.Key)
	}
	now, then := t.ClaimsBy(kind, a.Item), t.ClaimsBy(kind, after)
	for _, claim := range then {
		same := func(c layout.Claim) bool { return sameLock(t, c, claim) }
		switch n := slices.IndexFunc(now, same); {
		case claim.Err != nil:
			if slices.ContainsFunc(now,
				func(c layout.Claim) bool { return c.Constraint == claim.Constraint && c.Raw == claim.Raw }) {
				continue // the account had this value before, and the value has no lock
			}
			return m, badValue(claim.Constraint, claim.Raw, claim.Err)
		case n < 0 && !slices.ContainsFunc(m.put, same):
			m.put = append(m.put, claim)
		case n >= 0 && now[n].Raw != claim.Raw:
			m.kept = append(m.kept, respelling{now[n], claim})
		default:
			continue
		}
		m.touch(claim.Constraint)
	}
	for _, claim := range now {
		same := func(c layout.Claim) bool { return sameLock(t, c, claim) }
		if claim.Err == nil && !slices.ContainsFunc(then, same) && !slices.ContainsFunc(m.free, same) {
			m.free = append(m.free, claim)
			m.touch(claim.Constraint)
		}
	}
	return m, nil
}

func (m *claimDiff) touch(c *layout.Constraint) {
	if !slices.Contains(m.constraints, c) {
		m.constraints = append(m.constraints, c)
	}
}

// keys returns the keys of all locks that the change touches.
func (m claimDiff) keys() []attr.Key {
	var keys []attr.Key
	for _, claim := range append(slices.Clone(m.put), m.free...) {
		keys = append(keys, claim.Key)
	}
	for _, r := range m.kept {
		keys = append(keys, r.to.Key)
	}
	return keys
}

func sameLock(t *dynamo.Table, a, b layout.Claim) bool {
	return a.Err == nil && b.Err == nil && t.LockTable(a.Constraint) == t.LockTable(b.Constraint) &&
		a.Key.Equal(b.Key)
}

// updateAccount adds the update of the account: its changed attribute, and its version.
func (d *draft) updateAccount(kind *layout.Account, a *schema.Account, v attr.Value, m claimDiff) error {
	_, c := d.t.Layout.Constraint(d.Constraint)
	e := d.ownAccountUnchanged(kind, a, append([]*layout.Constraint{c}, m.constraints...)...)
	e.set(c.Attribute, v)
	set := fmt.Sprintf("%s › %s = %s", a.Key, c.Attribute, v.Display())
	if kind.Version != "" {
		next, err := nextVersion(kind, a)
		if err != nil {
			return err
		}
		e.set(kind.Version, next)
		set += fmt.Sprintf(", %s = %s", kind.Version, next.Text)
	}
	d.add(e.write(client.Update, d.t.Name, a.Key), a.Item)
	longer := plan.WithAttribute(a.Item, c.Attribute, v)
	d.Price.WriteUnits += max(0, client.WriteUnits(longer.Size())-client.WriteUnits(a.Item.Size()))
	d.AddLine(plan.LabelSet, set)
	d.onlyIf = append(d.onlyIf, unchangedWords(kind, a, "still holds "+displayAttribute(a, c.Attribute)))
	return nil
}

// mentions adds lines about other attributes of the account that contain the old value. The plan leaves these
// attributes unchanged: only the application may change them.
func (d *draft) mentions(a *schema.Account, c *layout.Constraint, from string) {
	for _, name := range a.Item.Names() {
		if v := a.Item[name]; v.Kind == attr.S && name != c.Attribute && !d.t.Schema.IsKey(name) &&
			segment(v.Text, from) >= 0 {
			d.AddLine("stays",
				fmt.Sprintf("%s › %s is \"%s\": only the application may change it", a.Key.Hash.Value.Display(), name, v.Text))
		}
	}
}

// enoughNeighbours is the minimum number of other accounts' values. With fewer of them, unusual does not compare
// spelling habits.
const enoughNeighbours = 5

// unusual returns a warning about a new value; empty if nothing is unusual. It warns if the value contains look-alike
// characters. It warns if the lock would spell the value differently, while at least half of the other values equal the
// spelling in their locks. It also warns if the value breaks a spelling habit that all other accounts share.
func unusual(c *layout.Constraint, to string, others []string) string {
	if looks := layout.LookAlike(to); looks != "" {
		return looks
	}
	changed := 0
	for _, other := range others {
		if c.Respelled(other) != other {
			changed++
		}
	}
	if kept := c.Respelled(to); kept != to && 2*changed <= len(others) {
		return fmt.Sprintf("the account gets \"%s\" as you typed it; the lock gets \"%s\"", to, kept)
	}
	if len(others) < enoughNeighbours {
		return ""
	}
	for _, habit := range habits {
		if !habit.has(to) && !slices.ContainsFunc(others, func(other string) bool { return !habit.has(other) }) {
			return fmt.Sprintf("%d %s values of other accounts are written %s, unlike \"%s\"", len(others), c.Name, habit.words, to)
		}
	}
	return ""
}

// habits are common ways to spell values.
var habits = []struct {
	words string
	has   func(string) bool
}{
	{"without spaces", func(v string) bool { return !strings.ContainsFunc(v, unicode.IsSpace) }},
	{"in lower case", func(v string) bool { return v == strings.ToLower(v) }},
	{"in upper case", func(v string) bool { return v == strings.ToUpper(v) }},
	{"with an @", func(v string) bool { return strings.Contains(v, "@") }},
	{"in plain ASCII", func(v string) bool {
		return !strings.ContainsFunc(v, func(r rune) bool { return r > unicode.MaxASCII })
	}},
}
