package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"
)

// Unsound returns the reason why a plan from the journal is unusable: this program did not make it, since
// somebody edited the journal. It is empty if the plan is sound.
func (p *Plan) Unsound() string {
	if len(p.Steps) == 0 {
		return "its plan has no steps"
	}
	for _, s := range p.Steps {
		if len(s.Writes) == 0 {
			return "the step " + string(s.Name) + " of its plan has no actions"
		}
		for _, w := range s.Writes {
			if why := p.unsoundWrite(w); why != "" {
				return "the step " + string(s.Name) + " of its plan " + why
			}
		}
	}
	for _, text := range []string{p.Before, p.After} {
		if n, whole := attr.Integer(text); p.Counter != "" && text != "" && p.Kind != KindConvert &&
			(!whole || n.Sign() < 0) {
			return fmt.Sprintf("its plan has a counter say %q", text)
		}
	}
	for _, i := range p.Images {
		for name, v := range i.Key.Item() {
			if i.Item != nil && !i.Item[name].Equal(v) {
				return "its plan has seen an item under another key than its own"
			}
		}
	}
	return cmp.Or(p.unsoundMark(), p.otherKind())
}

// unsoundWrite returns the fault of one action; empty if it has none.
func (p *Plan) unsoundWrite(w client.Write) string {
	switch w.Verb {
	case client.Put, client.Update, client.Delete, client.Check:
	default:
		return fmt.Sprintf("has an action %q", w.Verb)
	}
	if _, known := p.Tables[w.Table]; !known {
		return fmt.Sprintf("writes %q, which is none of its tables", w.Table)
	}
	if w.Key.Hash.Name == "" {
		return "has an action without a key"
	}
	if (w.Verb == client.Update) != (len(w.Set) > 0) {
		return "has an update that changes nothing, or another action that does"
	}
	for name, v := range w.Key.Item() {
		if w.Verb == client.Put && !w.Item[name].Equal(v) {
			return "puts an item under another key than its own"
		}
	}
	if slices.ContainsFunc(slices.Concat(w.If, w.Set), func(t client.Term) bool { return len(t.Path) == 0 }) {
		return "has a term without an attribute"
	}
	return ""
}

// unsoundMark returns the fault in the steps of a release by mark; empty if they have none. The steps must set
// a mark, delete the lock if that mark is there, and remove that mark and no other.
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
		return "its plan has the steps " + said
	}
	set, remove, off := p.Steps[0].Writes[0], p.Steps[1].Writes[0], p.Steps[2].Writes[0]
	mark := MarkIn(set.Set)
	if mark.Kind != attr.S || mark.Text == "" || remove.Verb != client.Delete ||
		!MarkIn(remove.If).Equal(mark) || !MarkIn(off.If).Equal(mark) || !remove.Key.Equal(set.Key) ||
		!off.Key.Equal(set.Key) ||
		remove.Table != set.Table || off.Table != set.Table {
		return "its deletion does not rest on its marker"
	}
	return ""
}

// CheckLayout returns an error if a stored change was planned with another layout than the table has now.
func (p *Plan) CheckLayout(t *dynamo.Table, op string) error {
	now := config.HashOf(t.Layout, p.Constraint)
	if p.Layout == "" || p.Layout == now {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: op,
		Why:    "it was made by another layout (" + p.Layout + ") than " + t.Name + " has now (" + now + ")",
		Remedy: remedy.Of(remedy.NamePlannedLayout),
	}
}
