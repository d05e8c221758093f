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
	cols    columns
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

// columns are where the columns stand.
type columns struct{ what, value, who, sure int }

func columnsOf(width int) columns {
	c := columns{what: 4, value: 14, sure: width - 14}
	who := 14
	if extra := width - 90; extra > 0 {
		who = min(who+extra/3, 34)
	}
	c.who = c.sure - who - 1
	return c
}

func (s list) Draw(l *kit.Line, n int, _ bool) {
	g, i := s.at(n)
	if i < 0 {
		kit.FoldMark(l, s.Folded(n))
		s.head(l, g)
		return
	}
	row, c := g.rows[i], s.cols
	l.Put(kit.Faint, kit.TreeGlyph(i, len(g.rows)))
	l.To(c.what)
	what, value := words.Subject(row.f)
	l.Fit(kit.Muted, what, c.value-c.what-1)
	l.To(c.value)
	k := kit.Strong
	switch {
	case row.done():
		k = kit.Muted
	case !row.f.Confirmed:
		k = kit.Text
	}
	l.Fit(k, value, c.who-c.value-1)
	l.To(c.who)
	drawWho(l, s.table, row.f, c.sure-c.who-1)
	l.To(c.sure)
	s.sure(l, row)
}

// sure writes how certain a finding is, or what became of it.
func (s list) sure(l *kit.Line, row *row) {
	switch {
	case row.mended != nil:
		row.mended.sign.Draw(l)
	case row.f.Confirmed:
		l.Put(kit.Good, kit.GlyphYes)
		l.Put(kit.Muted, " confirmed")
	case words.Unknown(row.f):
		words.Finding(row.f).Draw(l)
	case s.running:
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

// drawWho writes into w cells who holds a finding's value, or what stands in the
// counter.
func drawWho(l *kit.Line, t *dynamo.Table, f check.Finding, w int) {
	switch {
	case f.Kind == check.CounterMissing:
		l.Words(kit.Absent, "no counter", w)
	case f.Kind == check.CounterNotNumber:
		l.Fit(kit.Text, strconv.Quote(f.Seen.Display()), w)
	case f.ID != "":
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
		l.Middle(kit.Text, words.Account(t, f.Accounts[0]), w)
	case f.Owner != "":
		l.Words(kit.Absent, "owner gone", w)
	case words.Unknown(f):
		l.Words(kit.Absent, "not known", w)
	default:
		l.Words(kit.Absent, "no account", w)
	}
}
