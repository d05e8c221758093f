package change

import (
	"cmp"
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
)

// stored is a plan from the journal. It is not trusted: it may have been edited by hand.
type stored struct{ *Plan }

// unsound says why a stored plan cannot be acted on: it is not one that this program made;
// empty if it is sound.
func (p stored) unsound() string {
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
		for name, v := range i.Key {
			if i.Item != nil && !i.Item[name].Equal(v) {
				return "its plan has seen an item under another key than its own"
			}
		}
	}
	return cmp.Or(p.unsoundMark(), p.otherKind())
}

// unsoundWrite says what is wrong with one action.
func (p stored) unsoundWrite(w client.Write) string {
	key := w.Key
	switch w.Verb {
	case client.Put:
		key = w.Item
	case client.Update, client.Delete, client.Check:
	default:
		return fmt.Sprintf("has an action %q", w.Verb)
	}
	if _, known := p.Tables[w.Table]; !known {
		return fmt.Sprintf("writes %q, which is none of its tables", w.Table)
	}
	if _, ok := assignments(w); w.Verb == client.Update && !ok {
		return "has an update that cannot be read"
	}
	if len(key) == 0 || w.Condition == "" {
		return "has an action without a key or a condition"
	}
	return ""
}

// unsoundMark says what is wrong with the steps of a release by mark: it must mark, delete if
// the mark is there, and take off that mark and no other.
func (p stored) unsoundMark() string {
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
	mark := set.Values[":mark"]
	if mark.Kind != attr.S || mark.Text == "" || !off.Values[":mark"].Equal(mark) || remove.Verb != client.Delete ||
		!restsOn(remove, mark) || !restsOn(off, mark) || !remove.Key.Equal(set.Key) || !off.Key.Equal(set.Key) ||
		remove.Table != set.Table || off.Table != set.Table {
		return "its deletion does not rest on its marker"
	}
	return ""
}

// restsOn reports whether an action is refused if the lock does not have a mark.
func restsOn(w client.Write, mark attr.Value) bool {
	for _, term := range strings.Split(w.Condition, " AND ") {
		if attribute, want := parseTerm(w, term); attribute == dynamo.MarkAttribute && want.Equal(mark) {
			return true
		}
	}
	return false
}
