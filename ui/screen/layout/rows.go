package layout

import (
	"strings"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// row is a line of the screen: a setting, or something seen in the table that could become one.
type row struct {
	head    string // a heading, which cannot be selected
	name    string // the name after the heading
	sign    kit.Sign
	part    config.Part
	setting config.Setting
	text    string // the evidence
	unsure  bool
	shape   *guess.ItemShape
	near    *guess.Candidate
	place   *answers.PlaceLine
}

// selectable reports whether the cursor can be on the row.
func (r row) selectable() bool {
	return r.setting.Name != "" || r.shape != nil || r.near != nil || r.place != nil
}

// rows are the rows of the list.
type rows []row

func (r rows) Len() int { return len(r) }

func (r rows) Row(n int) (int, int, bool) { return n, n, r[n].selectable() }

// Problem reports whether a line is unsure.
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

// counted says where the cursor is among the selectable rows, and how many lines are unsure.
func (r rows) counted(cursor int) []kit.Span {
	if len(r) == 0 {
		return nil
	}
	at, of := kit.Position(r, cursor)
	out := []kit.Span{kit.Muted.Of(say.Position(at, of, false))}
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

// shape returns the kind of items at a row, or else the first kind that the layout does not cover;
// nil if there is none.
func (r rows) shape(at row) *guess.ItemShape {
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

// columns are the columns in which the values and the evidence begin.
type columns struct{ value, seen int }

// columns gives the values the room that they need, and the evidence the rest.
func (r rows) columns(width int) columns {
	wide := 12
	for _, row := range r {
		if row.setting.Set {
			wide = max(wide, kit.ValueWidth(row.setting.Text))
		}
		if row.near != nil {
			wide = max(wide, kit.ValueWidth(row.near.Account.Constraints[0].PK))
		}
	}
	return columns{16, 16 + min(wide, (width-18)/2) + 2}
}

func (r rows) Draw(l *kit.Line, n int, _ bool) {
	at, cols := r[n], r.columns(l.Width)
	switch {
	case at.head != "":
		l.Put(kit.Muted, at.head+" ")
		l.Fit(kit.Heading, at.name, 30)
		l.Put(kit.Text, "  ")
		if at.sign.Word != "" {
			at.sign.Draw(l)
			l.Put(kit.Text, "  ")
		}
		l.Words(kit.Muted, at.text, l.Width-l.At-1)
	case at.shape != nil:
		drawShape(l, at.shape, cols)
	case at.near != nil:
		drawNear(l, at.near, cols)
	case at.place != nil:
		drawPlace(l, at, cols)
	default:
		drawSetting(l, at, cols)
	}
}

func drawSetting(l *kit.Line, at row, cols columns) {
	if at.unsure {
		l.Put(kit.Warn|kit.Bold, kit.GlyphUnknown)
	}
	l.To(4)
	l.Words(kit.Muted, at.setting.Name, cols.value-5)
	l.To(cols.value)
	if at.setting.Set {
		l.Fit(kit.Strong, at.setting.Text, cols.seen-cols.value-2)
	} else {
		l.Put(kit.Faint, kit.GlyphAbsent)
	}
	l.To(cols.seen)
	look := kit.Muted
	if at.unsure {
		look = kit.Text
	}
	l.Words(look, at.text, l.Width-l.At-1)
}

func drawShape(l *kit.Line, sh *guess.ItemShape, cols columns) {
	l.To(4)
	l.Fit(kit.Strong, strings.Replace(sh.Keys, "/", " / ", 1), cols.seen-6)
	l.To(cols.seen)
	l.Put(kit.Text, phrase.Count(sh.Items, "item"))
	hash, sort := sh.Masked()
	if sort != "" {
		hash += " / " + sort
	}
	l.Words(kit.Muted, ", such as "+hash, l.Width-l.At-1)
}

func drawPlace(l *kit.Line, at row, cols columns) {
	if at.unsure {
		l.Put(kit.Warn|kit.Bold, kit.GlyphUnknown)
	}
	l.To(4)
	l.Fit(kit.Strong, strings.Replace(at.place.Items, "/", " / ", 1)+" · "+at.place.Attribute, cols.seen-6)
	l.To(cols.seen)
	l.Words(kit.Text, at.text, l.Width-l.At-1)
}

func drawNear(l *kit.Line, c *guess.Candidate, cols columns) {
	con := c.Account.Constraints[0]
	l.Put(kit.Warn|kit.Bold, kit.GlyphUnknown)
	l.To(4)
	l.Fit(kit.Muted, con.Attribute, cols.value-5)
	l.To(cols.value)
	if con.Unique {
		l.Put(kit.Text, "no locks")
		l.To(cols.seen)
		l.Words(kit.Muted, "it has an index: may two have the same?", l.Width-l.At-1)
		return
	}
	l.Fit(kit.Strong, con.PK, cols.seen-cols.value-2)
	l.To(cols.seen)
	l.Words(kit.Text, phrase.Number(c.Hits)+" of "+phrase.Count(c.Values, "value")+" have such a lock", l.Width-l.At-1)
}
