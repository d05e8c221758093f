package findings

import (
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// list is the groups as a list: a head each, and under it the findings
// unless the group is folded.
type list struct {
	groups  []group
	folded  map[check.Kind]bool
	cols    columns
	table   *dynamo.Table
	marked  map[*row]bool
	running bool
}

// Len counts the lines.
func (s list) Len() int {
	n := 0
	for _, g := range s.groups {
		n += s.count(g)
	}
	return n
}

func (s list) count(g group) int {
	if s.folded[g.kind] {
		return 1
	}
	return 1 + len(g.rows)
}

// at is the group and the place in it of line n; place −1 is the group's head, or
// no line.
func (s list) at(n int) (group, int) {
	for _, g := range s.groups {
		if lines := s.count(g); n < lines {
			return g, n - 1
		} else {
			n -= lines
		}
	}
	return group{}, -1
}

func (s list) Row(n int) (int, int, bool) { return n, n, true }

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

// place is the number of the finding at a line among all, from 1, and how many
// there are.
func (s list) place(n int) (at, of int) {
	for _, g := range s.groups {
		if lines := s.count(g); n >= 0 && n < lines {
			at = of + max(n, 1)
			n = -1
		} else if n >= 0 {
			n -= lines
		}
		of += len(g.rows)
	}
	return at, of
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
	case s.running:
		l.Put(kit.Absent, "not yet")
	default:
		l.Put(kit.Absent, "not confirmed")
	}
}

func (s list) head(l *kit.Line, g group) {
	mark := kit.GlyphOpen
	if s.folded[g.kind] {
		mark = kit.GlyphMark
	}
	l.Put(kit.Muted, mark)
	l.Put(kit.Text, " ")
	sign := words.Kind(g.kind)
	k := sign.Style
	name := kit.Text
	if g.sure > 0 {
		k, name = k|kit.Bold, kit.Heading
	}
	l.Put(k, sign.Glyph)
	l.Put(name, " "+string(g.kind))
	l.To(countColumn)
	said := words.Number(len(g.rows))
	if len(g.rows) < g.total {
		said += " of " + words.Number(g.total)
	}
	if s.running {
		said += " so far"
	}
	if unsure := len(g.rows) - g.sure; unsure > 0 && !s.running {
		said += ", " + words.Number(unsure) + " not confirmed"
	}
	if g.done > 0 {
		said += ", " + words.Number(g.done) + " mended"
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
	default:
		l.Words(kit.Absent, "no account", w)
	}
}
