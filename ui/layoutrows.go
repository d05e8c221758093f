package ui

import (
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// layoutRow is a line of the layout's screen: a setting, or what could become one.
type layoutRow struct {
	head    string // a heading, which cannot be selected
	name    string // what it is the heading of
	sign    kit.Sign
	part    layout.Part
	setting layout.Setting
	text    string // what was seen
	unsure  bool
	shape   *dynamo.ItemShape
	near    *infer.Candidate
	note    string // how the layout that a sample shows differs
}

// selectable reports whether the cursor can be on it.
func (r layoutRow) selectable() bool { return r.setting.Name != "" || r.shape != nil || r.near != nil }

// layoutRows makes the rows of the draft, and of what else was seen of the table.
func (s *layoutScreen) layoutRows() (rows layoutRows) {
	for _, note := range s.app.differs.of(s.table) {
		if len(rows) == 0 {
			rows = append(rows, layoutRow{head: "A SAMPLE SHOWS ANOTHER LAYOUT NOW", text: "it is not used"})
		}
		rows = append(rows, layoutRow{note: note})
	}
	seen := map[[2]string]dynamo.LineEvidence{}
	for _, line := range dynamo.LinesOf(s.table) {
		seen[[2]string{line.Section, line.Setting}] = line
	}
	for _, part := range s.draft.Parts() {
		rows = append(rows, s.heading(part))
		for _, setting := range part.Settings {
			if !s.all && !usual(part, setting, s.table) {
				continue
			}
			line := seen[[2]string{part.Path, setting.Name}]
			rows = append(rows, layoutRow{part: part, setting: setting, text: line.Text, unsure: line.Unsure})
		}
	}
	if s.near == nil {
		return append(rows, s.shapes("OTHER ITEMS")...)
	}
	if !s.corrected() {
		for n := range s.near.Nearest {
			if n == 0 {
				rows = append(rows, layoutRow{head: "WHAT CAME NEAREST"})
			}
			rows = append(rows, layoutRow{near: &s.near.Nearest[n]})
		}
	}
	title := "OTHER ITEMS"
	if s.table.Layout.Empty() {
		title = "ITEMS"
	}
	return append(rows, s.shapes(title)...)
}

// mostShapes is how many kinds of other items are listed.
const mostShapes = 20

// shapes are the items that are nothing in the layout.
func (s *layoutScreen) shapes(title string) (rows []layoutRow) {
	others := s.table.Others()
	for n := range others[:min(len(others), mostShapes)] {
		if n == 0 {
			rows = append(rows, layoutRow{head: title})
		}
		rows = append(rows, layoutRow{shape: &others[n]})
	}
	return rows
}

// usual reports whether a setting is shown: one that says something, or that most layouts
// have.
func usual(part layout.Part, setting layout.Setting, t *dynamo.Table) bool {
	switch setting.Name {
	case "sk":
		return setting.Set || t.Schema.RangeName != ""
	case "normalise", "owner":
		return setting.Set || part.Kind == "constraint"
	case "name", "model": // the heading has it
		return false
	}
	return setting.Set || setting.Name == "pk"
}

// heading says what a part is, and how it stands.
func (s *layoutScreen) heading(part layout.Part) layoutRow {
	row := layoutRow{head: strings.ToUpper(part.Kind), name: called(part)}
	if part.Kind != "constraint" {
		return row
	}
	c := s.constraint(part)
	if c == nil {
		row.text = "no locks: a check tells which values come twice"
		return row
	}
	fit := s.table.Fit.Of(c)
	row.sign = standingSign(fit)
	if fit.Values > 0 {
		row.text = phrase.Number(fit.Locked) + " of " + phrase.Count(fit.Values, "value") + " have their lock"
		if miss := fit.Values - fit.Locked; miss > 0 {
			row.text += ", " + words.Plural(miss, "has", "have") + " none"
		}
	}
	return row
}

// constraint is the rule that a part describes; nil where it has no locks, or is none.
func (s *layoutScreen) constraint(part layout.Part) *layout.Constraint {
	if part.Kind != "constraint" {
		return nil
	}
	_, c := s.table.Layout.Constraint(part.Name)
	return c
}

// standingSign is how a rule fits, as a sign.
func standingSign(f layout.Fit) kit.Sign {
	switch f.Standing() {
	case layout.Supported:
		if f.Accepted || f.Trusted {
			return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "accepted", Quiet: true}
		}
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported", Quiet: true}
	case layout.Contradicted:
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}
	}
	return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "thin"}
}

// layoutRows is the list.
type layoutRows []layoutRow

func (r layoutRows) Len() int { return len(r) }

func (r layoutRows) Row(n int) (int, int, bool) { return n, n, r[n].selectable() }

// Problem is a line that is not sure.
func (r layoutRows) Problem(n int) bool { return r[n].unsure }

func (r layoutRows) Name(n int) string {
	row := r[n]
	switch {
	case row.setting.Name != "":
		return "line " + row.part.Path + "." + row.setting.Name + " "
	case row.shape != nil:
		return "items " + row.shape.Keys
	case row.near != nil:
		return "near " + row.near.Account.Constraints[0].Attribute
	}
	return "head " + row.head + row.name
}

// place counts what can be selected.
func (r layoutRows) place(cursor int) (at, of int) {
	for n, row := range r {
		if row.selectable() {
			of++
			if n <= cursor {
				at = of
			}
		}
	}
	return at, of
}

func (r layoutRows) unsure() (n int) {
	for _, row := range r {
		if row.unsure {
			n++
		}
	}
	return n
}

type layoutColumns struct{ value, seen int }

// columns gives values the room that they need, and what was seen the rest.
func (r layoutRows) columns(width int) layoutColumns {
	wide := 12
	for _, row := range r {
		if row.setting.Set {
			wide = max(wide, kit.ValueWidth(row.setting.Text))
		}
		if row.near != nil {
			wide = max(wide, kit.ValueWidth(row.near.Account.Constraints[0].PK))
		}
	}
	return layoutColumns{16, 16 + min(wide, (width-18)/2) + 2}
}

func (r layoutRows) Draw(l *kit.Line, n int, _ bool) {
	row, cols := r[n], r.columns(l.Width)
	switch {
	case row.head != "":
		l.Put(kit.Muted, row.head+" ")
		l.Fit(kit.Heading, row.name, 30)
		l.Put(kit.Text, "  ")
		if row.sign.Word != "" {
			row.sign.Draw(l)
			l.Put(kit.Text, "  ")
		}
		l.Words(kit.Muted, row.text, l.Width-l.At-1)
	case row.note != "":
		l.To(4)
		look := kit.Muted
		if strings.HasPrefix(row.note, "+") {
			look = kit.Warn
		}
		l.Words(look, row.note, l.Width-l.At-1)
	case row.shape != nil:
		drawShape(l, row.shape, cols)
	case row.near != nil:
		drawNear(l, row.near, cols)
	default:
		drawSetting(l, row, cols)
	}
}

func drawSetting(l *kit.Line, row layoutRow, cols layoutColumns) {
	if row.unsure {
		l.Put(kit.Warn|kit.Bold, kit.GlyphUnknown)
	}
	l.To(4)
	l.Words(kit.Muted, row.setting.Name, cols.value-5)
	l.To(cols.value)
	if row.setting.Set {
		l.Fit(kit.Strong, row.setting.Text, cols.seen-cols.value-2)
	} else {
		l.Put(kit.Faint, kit.GlyphAbsent)
	}
	l.To(cols.seen)
	look := kit.Muted
	if row.unsure {
		look = kit.Text
	}
	l.Words(look, row.text, l.Width-l.At-1)
}

func drawShape(l *kit.Line, sh *dynamo.ItemShape, cols layoutColumns) {
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

func drawNear(l *kit.Line, c *infer.Candidate, cols layoutColumns) {
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
