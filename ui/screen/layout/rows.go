package layout

import (
	"tallylock/dynamo"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// row is a line of the layout's screen: a setting, or what could become one.
type row struct {
	head    string // a heading, which cannot be selected
	name    string // what it is the heading of
	sign    kit.Sign
	part    layout.Part
	setting layout.Setting
	text    string // what was seen
	unsure  bool
	shape   *dynamo.ItemShape
	near    *infer.Candidate
	place   *dynamo.PlaceLine
}

// selectable reports whether the cursor can be on it.
func (r row) selectable() bool {
	return r.setting.Name != "" || r.shape != nil || r.near != nil || r.place != nil
}

// rows is the list.
type rows []row

func (r rows) Len() int { return len(r) }

func (r rows) Row(n int) (int, int, bool) { return n, n, r[n].selectable() }

// Problem is a line that is not sure.
func (r rows) Problem(n int) bool { return r[n].unsure }

func (r rows) Name(n int) string {
	row := r[n]
	switch {
	case row.setting.Name != "":
		return "line " + row.part.Path + "." + row.setting.Name + " "
	case row.shape != nil:
		return "items " + row.shape.Keys
	case row.place != nil:
		return "place " + row.place.Constraint.Name + " " + row.place.Items + " " + row.place.Attribute
	case row.near != nil:
		return "near " + row.near.Account.Constraints[0].Attribute
	}
	return "head " + row.head + row.name
}

// counted says where the cursor is among what can be selected, and how many lines are unsure.
func (r rows) counted(cursor int) []kit.Span {
	if len(r) == 0 {
		return nil
	}
	at, of := 0, 0
	for n, row := range r {
		if row.selectable() {
			of++
			if n <= cursor {
				at = of
			}
		}
	}
	out := []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
	if n := r.unsure(); n > 0 {
		out = append(out, kit.Muted.Of(" · "), (kit.Warn | kit.Bold).Of(phrase.Count(n, "line")+" not sure"))
	}
	return out
}

func (r rows) unsure() (n int) {
	for _, row := range r {
		if row.unsure {
			n++
		}
	}
	return n
}

// shape is the items at a row, or else the first that are nothing yet; nil where there are
// none.
func (r rows) shape(at row) *dynamo.ItemShape {
	if at.shape != nil {
		return at.shape
	}
	for _, one := range r {
		if one.shape != nil {
			return one.shape
		}
	}
	return nil
}
