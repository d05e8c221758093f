package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
)

// Unsound returns the fault of a stored plan that this program cannot have made. A fault means that somebody edited
// the journal. Unsound returns the empty string if the plan has no fault.
func (p *Plan) Unsound() string {
	if len(p.Steps) == 0 && p.Kind.IsBackfill() { // no transaction was known at planning time
		return ""
	}
	if len(p.Steps) == 0 {
		return "the stored plan has no steps"
	}
	for _, s := range p.Steps {
		if len(s.Writes) == 0 {
			return "the step " + string(s.Name) + " of the stored plan has no actions"
		}
		for _, w := range s.Writes {
			if why := p.unsoundWrite(w); why != "" {
				return "the step " + string(s.Name) + " of the stored plan " + why
			}
		}
	}
	for _, text := range []string{p.Before, p.After} {
		if n, whole := attr.Integer(text); p.Counter != "" && text != "" && p.Kind != KindConvert &&
			(!whole || n.Sign() < 0) {
			return fmt.Sprintf("the stored plan has the counter value %q, which is not a whole number of 0 or more", text)
		}
	}
	for _, i := range p.Images {
		for name, v := range i.Key.Item() {
			if i.Item != nil && !i.Item[name].Equal(v) {
				return "the stored plan has an item under a key that is not the item's key"
			}
		}
	}
	return cmp.Or(p.unsoundMark(), p.otherKind())
}

// unsoundWrite returns the fault of one action; empty if the action is sound.
func (p *Plan) unsoundWrite(w client.Write) string {
	switch w.Verb {
	case client.Put, client.Update, client.Delete, client.Check:
	default:
		return fmt.Sprintf("has an action of the unknown kind %q", w.Verb)
	}
	if _, known := p.Tables[w.Table]; !known {
		return fmt.Sprintf("writes %q, a table that the plan does not list", w.Table)
	}
	if w.Key.Hash.Name == "" {
		return "has an action without a key"
	}
	if (w.Verb == client.Update) != (len(w.Set) > 0) {
		return "has an update that sets no attribute, or a put, delete or check that sets attributes"
	}
	for name, v := range w.Key.Item() {
		if w.Verb == client.Put && !w.Item[name].Equal(v) {
			return "puts an item under a key that is not the item's key"
		}
	}
	if slices.ContainsFunc(slices.Concat(w.If, w.Set), func(t client.Term) bool { return len(t.Path) == 0 }) {
		return "has a condition or a value without an attribute"
	}
	return ""
}

// unsoundMark returns the fault in the steps of a release by mark; empty if the steps are sound. The steps must set
// a mark, delete the lock only if it has this mark, and remove only this mark.
func (p *Plan) unsoundMark() string {
	names := make([]string, len(p.Steps))
	for n, s := range p.Steps {
		names[n] = string(s.Name)
	}
	switch said := strings.Join(names, ", "); {
	case said == "mark, delete, unmark":
	case len(p.Steps) == 1 && said != "mark" && said != "unmark":
		return ""
	default:
		return "the stored plan has unexpected steps: " + said
	}
	set, remove, off := p.Steps[0].Writes[0], p.Steps[1].Writes[0], p.Steps[2].Writes[0]
	mark := MarkIn(set.Set)
	if mark.Kind != attr.S || mark.Text == "" || remove.Verb != client.Delete ||
		!MarkIn(remove.If).Equal(mark) || !MarkIn(off.If).Equal(mark) || !remove.Key.Equal(set.Key) ||
		!off.Key.Equal(set.Key) ||
		remove.Table != set.Table || off.Table != set.Table {
		return "the deletion in the stored plan does not require the mark"
	}
	return ""
}

// CheckLayout returns an error if the table's layout differs from the layout that a stored change was planned with.
func (p *Plan) CheckLayout(t *dynamo.Table, op string) error {
	now := config.HashOf(t.Layout, p.Constraint)
	if p.Layout == "" || p.Layout == now {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: op,
		Why:    "the change was planned with the layout " + p.Layout + ", but " + t.Name + " now has the layout " + now,
		Remedy: remedy.Of(remedy.NamePlannedLayout),
	}
}

// otherKind returns the reason why a step of a stored plan does not fit the plan's kind; empty if all steps fit.
func (p *Plan) otherKind() string {
	op, known := operations[p.Kind]
	if !known {
		return fmt.Sprintf("the stored plan has the unknown kind %q", p.Kind)
	}
	for _, s := range p.Steps {
		if s.Name == journal.StepMark || s.Name == journal.StepUnmark {
			w := s.Writes[0]
			if len(s.Writes) != 1 || w.Verb != client.Update || len(w.Set) != 1 || w.Set[0].Attribute() != schema.MarkAttribute {
				return "the step " + string(s.Name) + " of the stored plan writes more than a mark"
			}
			continue
		}
		have := actions{}
		for _, w := range s.Writes {
			if w.Verb != client.Check {
				have[w.Verb]++
			}
		}
		if !slices.ContainsFunc(op.actions, have.are) {
			return fmt.Sprintf("the step %s of the stored plan has wrong actions for a %s: %s", s.Name, p.Kind, have)
		}
		for _, w := range s.Writes {
			if why := p.otherNumber(w); why != "" {
				return why
			}
		}
	}
	return ""
}

// are reports whether the actions have the wanted counts.
func (have actions) are(want actions) bool {
	for _, verb := range []client.Verb{client.Put, client.Update, client.Delete} {
		switch n := want[verb]; {
		case n == any0:
		case n == many && have[verb] == 0, n != many && have[verb] != n:
			return false
		}
	}
	return true
}

// String lists the actions: "1 delete, 2 put".
func (have actions) String() string {
	var said []string
	for _, verb := range slices.Sorted(maps.Keys(have)) {
		said = append(said, fmt.Sprintf("%d %s", have[verb], verb))
	}
	if len(said) == 0 {
		return "nothing is written"
	}
	return strings.Join(said, ", ")
}

// otherNumber returns the fault of an action that sets a counter to another number than the plan's; empty if the
// number is right.
func (p *Plan) otherNumber(w client.Write) string {
	want, number := p.After, attr.Value{}
	switch {
	case !operations[p.Kind].numbers:
		return ""
	case w.Verb == client.Update && len(w.Set) == 1:
		number = w.Set[0].Value
	case w.Verb == client.Put:
		number = w.Key.Hash.Value
	case w.Verb == client.Delete:
		want, number = p.Before, w.Key.Hash.Value
	case w.Verb == client.Check:
		return ""
	}
	if number.Kind != attr.N || attr.CanonicalNumber(number.Text) != want {
		return fmt.Sprintf("the stored plan has the number %s, but one of its actions has %q", want, number.Text)
	}
	return ""
}

// OffTarget returns the fault of a stored plan that writes an item outside its subject. The layout recognises the
// items of the subject by their keys. OffTarget returns the empty string if the plan writes only its subject, or if
// there is no layout, for example after a table's only counter was removed.
func (p *Plan) OffTarget(t *dynamo.Table) string {
	if t.Layout.Empty() {
		return ""
	}
	var claims []layout.Claim
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			claims = append(claims, p.claims(t, w)...)
		}
	}
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			if w.Verb != client.Check && !p.isAbout(t, w, claims) {
				return fmt.Sprintf(
					"the stored plan is to %s, but its step %s has another action: %s %s. By the layout %s, this item does not belong to the change", p,
					s.Name, w.Verb, w.Key, t.Layout.Name,
				)
			}
		}
	}
	return ""
}

// isAbout reports whether an action writes the plan's subject: a lock, an account or a counter. claims lists the
// claims of the plan's account.
func (p *Plan) isAbout(t *dynamo.Table, w client.Write, claims []layout.Claim) bool {
	schema, key, item := t.SchemaOf(w.Table), w.Key, p.seen(w)
	if own, ok := schema.KeyOf(key.Item()); !ok || !own.Equal(key) {
		return false
	}
	switch op := operations[p.Kind]; op.about {
	case aboutLock:
		rel, err := t.LockAt(p.Constraint, w.Table, item)
		return err == nil &&
			(p.HasValue(rel.Value) || op.respells && rel.Constraint.Spelling(rel.Value) == rel.Constraint.Spelling(p.Value))
	case aboutLocks, aboutAccount:
		if w.Table == t.Name && t.Layout.KindOf(t.Schema, item) != nil {
			return op.about == aboutAccount && key.Hash.Value.Display() == p.Account
		}
		return slices.ContainsFunc(claims, func(c layout.Claim) bool {
			return t.LockTable(c.Constraint) == w.Table && c.IsLock(key)
		})
	}
	return slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool {
		return w.Table == t.Name && l.Matches(schema, item) && l.NameOf(t.Name, schema, key) == p.Counter &&
			writesOnly(w, l.Attribute)
	})
}

// writesOnly reports whether an update changes only the named attribute. It returns true for an action that is no
// update.
func writesOnly(w client.Write, attribute string) bool {
	return w.Verb != client.Update || len(w.Set) == 1 && w.Set[0].Attribute() == attribute
}

// seen returns the item of an action. For a put, this is the item that the action puts. For other actions, it is the
// plan's copy of the item; if there is none, only the key.
func (p *Plan) seen(w client.Write) attr.Item {
	if w.Verb == client.Put {
		return w.Item
	}
	if item, _ := p.Image(w.Table, w.Key); item != nil {
		return item
	}
	return w.Key.Item()
}

// claims returns the claims that the plan's account has before and after an action; none if the action is on
// another item.
func (p *Plan) claims(t *dynamo.Table, w client.Write) (all []layout.Claim) {
	if w.Table != t.Name {
		return nil
	}
	for _, item := range []attr.Item{p.seen(w), ItemAfter(w, p.seen(w))} {
		kind := t.Layout.KindOf(t.Schema, item)
		if key, ok := t.Schema.KeyOf(item); ok && kind != nil && key.Hash.Value.Display() == p.Account {
			all = append(all, t.ClaimsBy(kind, item)...)
		}
	}
	return all
}
