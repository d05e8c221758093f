package findings

import (
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// list is the findings in groups of one kind, as a list.
type list struct {
	kit.Groups

	groups  []group
	columns *kit.Table[shown]
	table   *dynamo.Table
	marked  map[*row]bool
	running bool
}

// at is the group and the place in it of line n; place −1 is the group's head, or
// no line.
func (s list) at(n int) (group, int) {
	g, i, ok := s.At(n)
	if !ok {
		return group{}, -1
	}
	return s.groups[g], i
}

func (s list) Problem(n int) bool {
	g, i := s.at(n)
	return i >= 0 && !g.rows[i].done()
}

func (s list) Marked(n int) bool {
	if len(s.marked) == 0 {
		return false
	}
	g, i := s.at(n)
	return i >= 0 && s.marked[g.rows[i]]
}

// shown is a row as it is drawn: a finding of a table, and its place among those of its group.
type shown struct {
	*row
	table     *dynamo.Table
	place, of int
	running   bool // it may still be confirmed
}

// columns are those of the list: a column is a line here, and nothing elsewhere.
var columns = []kit.Column[shown]{
	{Head: "FINDING", Cells: 11, Draw: drawWhat},
	{Head: "VALUE", Cells: 48, Min: 16, Grow: 2, Draw: drawValue},
	{Head: "ACCOUNT", Cells: 14, Max: 34, Grow: 1, Draw: drawWho},
	{Head: "SURE", Cells: 14, Draw: drawSure},
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	g, i := s.at(n)
	if i < 0 {
		kit.FoldMark(l, s.Folded(n))
		s.head(l, g)
		return
	}
	s.columns.Draw(l, shown{g.rows[i], s.table, i, len(g.rows), s.running})
}

func drawWhat(l *kit.Line, r shown, w int) {
	what, _ := words.Subject(r.f)
	l.Put(kit.Faint, kit.TreeGlyph(r.place, r.of))
	l.Put(kit.Text, " ")
	l.Fit(kit.Muted, what, w-2)
}

func drawValue(l *kit.Line, r shown, w int) {
	_, value := words.Subject(r.f)
	k := kit.Strong
	switch {
	case r.done():
		k = kit.Muted
	case !r.f.Confirmed:
		k = kit.Text
	}
	l.Fit(k, value, w)
}

// drawSure writes how certain a finding is, or what became of it.
func drawSure(l *kit.Line, r shown, _ int) {
	switch {
	case r.mended != nil:
		r.mended.sign.Draw(l)
	case r.f.Confirmed:
		l.Put(kit.Good, kit.GlyphYes)
		l.Put(kit.Muted, " confirmed")
	case words.Unknown(r.f):
		words.Finding(r.f).Draw(l)
	case r.running:
		l.Put(kit.Absent, "not yet")
	default:
		l.Put(kit.Absent, "not confirmed")
	}
}

func (s list) head(l *kit.Line, g group) {
	sign := words.Kind(g.kind)
	k := sign.Style
	name := kit.Text
	if g.sure > 0 {
		k, name = k|kit.Bold, kit.Heading
	}
	l.Put(k, sign.Glyph)
	l.Put(name, " "+string(g.kind))
	l.To(countColumn)
	said := phrase.Number(len(g.rows))
	if len(g.rows) < g.total {
		said += " of " + phrase.Number(g.total)
	}
	if s.running {
		said += " so far"
	}
	if unsure := len(g.rows) - g.sure; unsure > 0 && !s.running {
		said += ", " + phrase.Number(unsure) + " not confirmed"
	}
	if g.done > 0 {
		said += ", " + phrase.Number(g.done) + " mended"
	}
	l.Words(kit.Muted, said, l.Width-l.At-1)
}

// countColumn is the column in which the findings of a kind are counted.
const countColumn = 30

// drawWho writes who holds a finding's value, or what stands in the counter.
func drawWho(l *kit.Line, r shown, w int) {
	switch f := r.f; {
	case f.Kind == check.CounterMissing:
		l.Words(kit.Absent, "no counter", w)
	case f.Kind == check.CounterNotNumber:
		l.Fit(kit.Text, strconv.Quote(f.Seen.Display()), w)
	case f.Number() != "":
		l.Words(kit.Text, phrase.Count(len(f.Items), "item"), w)
	case f.Counter != "":
		said := ""
		if f.HighestID != "" {
			said = phrase.Group(f.Seen.Text) + ", " + phrase.Group(f.HighestID) + " in use"
		}
		if said == "" || kit.Width(said) > w {
			said = words.FitNumber(f.Seen.Text, w) // never cut: the detail has both
		}
		l.Words(kit.Text, said, w)
	case len(f.Accounts) > 1:
		l.Words(kit.Text, phrase.Count(len(f.Accounts), "account"), w)
	case len(f.Accounts) == 1:
		l.Middle(kit.Text, words.Account(r.table, f.Accounts[0]), w)
	case f.Owner != "":
		l.Words(kit.Absent, "owner gone", w)
	case words.Unknown(f):
		l.Words(kit.Absent, "not known", w)
	default:
		l.Words(kit.Absent, "no account", w)
	}
}
