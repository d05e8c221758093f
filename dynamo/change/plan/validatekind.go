package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// otherKind returns the reason why a step of a stored plan does not belong to the plan's kind; empty if all
// steps do.
func (p *Plan) otherKind() string {
	op, known := operations[p.Kind]
	if !known {
		return fmt.Sprintf("its plan is of the kind %q, and there is none", p.Kind)
	}
	for _, s := range p.Steps {
		if s.Name == journal.StepMark || s.Name == journal.StepUnmark {
			w := s.Writes[0]
			if len(s.Writes) != 1 || w.Verb != client.Update || len(w.Set) != 1 || w.Set[0].Attribute() != schema.MarkAttribute {
				return "the step " + string(s.Name) + " of its plan writes more than a marker"
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
			return fmt.Sprintf("the step %s of its plan does not do what a %s does: %s", s.Name, p.Kind, have)
		}
		for _, w := range s.Writes {
			if why := p.otherNumber(w); why != "" {
				return why
			}
		}
	}
	return ""
}

// are reports whether the actions match the wanted counts.
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

// otherNumber returns the reason why an action sets a counter to another number than the plan's; empty if it
// does not.
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
		return fmt.Sprintf("its plan names the number %s, and an action has %q", want, number.Text)
	}
	return ""
}

// OffTarget returns the reason why an action of a stored plan is not on the plan's subject, as the layout reads
// the action's key. It is empty if all actions are on the subject. It is also empty if there is no layout, for
// example after a table's only counter was removed.
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
					"its plan is to %s, and the layout %s finds nothing of that in %s, on which its step %s has a %s", p,
					t.Layout.Name, w.Key, s.Name, w.Verb,
				)
			}
		}
	}
	return ""
}

// isAbout reports whether an action is on the plan's subject. claims are the claims of the plan's account.
func (p *Plan) isAbout(t *dynamo.Table, w client.Write, claims []layout.Claim) bool {
	schema, key, item := t.SchemaOf(w.Table), w.Key, p.seen(w)
	if own, ok := schema.KeyOf(key.Item()); !ok || !own.Equal(key) {
		return false
	}
	switch op := operations[p.Kind]; op.about {
	case aboutLock:
		rel, err := t.LockAt(p.Constraint, w.Table, item)
		return err == nil &&
			(rel.Value == p.Value || op.respells && rel.Constraint.Spelling(rel.Value) == rel.Constraint.Spelling(p.Value))
	case aboutLocks, aboutAccount:
		if w.Table == t.Name && t.Layout.KindOf(t.Schema, item) != nil {
			return op.about == aboutAccount && key.Hash.Value.Display() == p.Account
		}
		return slices.ContainsFunc(claims, func(c layout.Claim) bool {
			return t.LockTable(c.Constraint) == w.Table && c.Calls(key)
		})
	}
	return slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool {
		return w.Table == t.Name && l.Matches(schema, item) && l.NameOf(t.Name, schema, key) == p.Counter &&
			writesOnly(w, l.Attribute)
	})
}

// writesOnly reports whether an update changes only the named attribute; true for every other action.
func writesOnly(w client.Write, attribute string) bool {
	return w.Verb != client.Update || len(w.Set) == 1 && w.Set[0].Attribute() == attribute
}

// seen returns the item of an action: the item that it puts, otherwise the image of the item, otherwise its key
// alone.
func (p *Plan) seen(w client.Write) attr.Item {
	if w.Verb == client.Put {
		return w.Item
	}
	if item, _ := p.Image(w.Table, w.Key); item != nil {
		return item
	}
	return w.Key.Item()
}

// claims returns the claims of the plan's account before and after an action; empty if the action is on another
// item.
func (p *Plan) claims(t *dynamo.Table, w client.Write) (all []layout.Claim) {
	if w.Table != t.Name {
		return nil
	}
	for _, item := range []attr.Item{p.seen(w), itemAfter(w, p.seen(w))} {
		kind := t.Layout.KindOf(t.Schema, item)
		if key, ok := t.Schema.KeyOf(item); ok && kind != nil && key.Hash.Value.Display() == p.Account {
			all = append(all, t.ClaimsBy(kind, item)...)
		}
	}
	return all
}
