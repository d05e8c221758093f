package findings

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// found is what a check has found, grouped by kind, with where the cursor is and what is
// looked for.
type found struct {
	table   *dynamo.Table
	columns kit.Table[shown] // that they are listed in
	running bool             // more may be found
	all     []*row
	sure    int // of all: confirmed, and not mended
	marked  map[*row]bool
	// suspicious are the constraints whose layout may be what is wrong.
	suspicious []string
	groups     []group // those that something was found of, in the order of the kinds
	folded     map[finding.Kind]bool
	list       kit.List
	kept       spot // what the cursor was on, where that is not among the findings
	look       screen.Filter
}

func newFound(t *dynamo.Table) found {
	return found{
		table:   t,
		columns: kit.Table[shown]{Columns: columns},
		running: true,
		folded:  map[finding.Kind]bool{},
		marked:  map[*row]bool{},
	}
}

// note takes a finding in.
func (f *found) note(x *row) {
	f.all = append(f.all, x)
	if x.f.Confirmed && !x.done() {
		f.sure++
	}
	if x.f.SuspectLayout && !slices.Contains(f.suspicious, x.f.Constraint) {
		f.suspicious = append(f.suspicious, x.f.Constraint)
	}
}

// wanted reports whether the filter leaves a finding.
func (f *found) wanted(x *row) bool {
	want := f.look.Want()
	return want == "" || strings.Contains(x.find, want) || strings.HasPrefix(string(x.f.Kind), want)
}

// add puts a finding into its group.
func (f *found) add(x *row) {
	at, known := slices.BinarySearchFunc(f.groups, x.order, func(g group, order int) int {
		return slices.Index(finding.Kinds(), g.kind) - order
	})
	if !known {
		f.groups = slices.Insert(f.groups, at, group{kind: x.f.Kind})
	}
	g := &f.groups[at]
	g.total++
	if f.wanted(x) {
		g.rows = append(g.rows, x)
		if x.f.Confirmed {
			g.sure++
		}
		if x.done() {
			g.done++
		}
	}
}

// markedRows are the findings that are marked, in their order.
func (f *found) markedRows() []*row {
	var rows []*row
	for _, x := range f.all {
		if f.marked[x] {
			rows = append(rows, x)
		}
	}
	return rows
}

// filter groups all findings anew: what is looked for has changed, or their
// order. The cursor stays on its finding, or goes to the first.
func (f *found) filter() {
	f.regroup()
	f.list.Lost = false // it is the person who left it out
}

// regroup groups all findings anew. The cursor stays on its finding, if it is there.
func (f *found) regroup() {
	keep := f.spot()
	f.groups = nil
	for _, x := range f.all {
		f.add(x)
	}
	f.groups = slices.DeleteFunc(f.groups, func(g group) bool { return len(g.rows) == 0 })
	if f.list.Put(0); len(f.groups) > 0 && !f.folded[f.groups[0].kind] {
		f.list.Put(1)
	}
	if !keep.top {
		f.back(keep)
	}
}

// spot is where the cursor stands, whatever the lines are.
type spot struct {
	top  bool // where it was put, before anybody moved it
	kind finding.Kind
	row  *row // nil on a head
}

func (f *found) spot() spot {
	if f.list.Lost {
		return f.kept
	}
	g, n := f.lines().Of(f.list.Cursor)
	at := spot{top: f.list.Cursor == 0 && !f.list.Moved, kind: g.kind}
	if n >= 0 {
		at.row = g.rows[n]
	}
	return at
}

// back puts the cursor where it was, if that is still there; else on nothing.
func (f *found) back(to spot) {
	rows := f.lines()
	f.kept, f.list.Lost = to, to.row != nil
	for n, g := range rows.All {
		if g.kind == to.kind {
			at := slices.Index(g.rows, to.row)
			if at < 0 && to.row != nil { // of the check before
				same := to.row.f.Same()
				at = slices.IndexFunc(g.rows, func(x *row) bool { return x.f.Same() == same })
			}
			if at < 0 && to.row != nil {
				return
			}
			f.list.Put(rows.Line(n, at))
			return
		}
	}
}

// selected is the finding at the cursor; nil on a head.
func (f *found) selected() *row {
	if f.list.Lost {
		return nil
	}
	return f.spot().row
}

// fold folds the group at the cursor, or opens it.
func (f *found) fold() tea.Cmd {
	kit.Fold(&f.list, f.lines().Grouped, f.folded, func(g group) finding.Kind { return g.kind })
	return nil
}

// recount counts again what is left to mend.
func (f *found) recount() {
	f.regroup()
	f.sure = 0
	for _, x := range f.all {
		if x.f.Confirmed && !x.done() {
			f.sure++
		}
	}
}

func (f *found) lines() list {
	groups := kit.GroupsOf(f.groups,
		func(g group) kit.Group { return kit.Group{Rows: len(g.rows), Folded: f.folded[g.kind]} })
	return list{
		Grouped: groups,
		columns: &f.columns,
		table:   f.table,
		marked:  f.marked,
		running: f.running,
	}
}

// row is a finding on the screen.
type row struct {
	f     finding.Finding
	order int    // of its kind
	sort  string // its place in the kind
	find  string // what the filter looks through, in lower case
	// mended is what became of a change that was to mend it; nil for none.
	mended *outcome
}

func newRow(f finding.Finding) *row {
	r := &row{f: f, order: slices.Index(finding.Kinds(), f.Kind)}
	said := []string{f.Constraint, f.Value, f.Counter, f.Number()}
	r.sort = strings.Join(said, "\x00")
	said = append(said, f.Owner)
	keys := slices.Clone(f.Accounts)
	for _, p := range f.Items {
		keys = append(keys, p.Key)
	}
	for _, key := range keys {
		for _, name := range key.Names() {
			said = append(said, key[name].Display())
		}
	}
	r.find = strings.ToLower(strings.Join(said, "\x00"))
	return r
}

// group is the findings of one kind that the filter leaves.
type group struct {
	kind  finding.Kind
	rows  []*row
	total int // with those that it leaves out
	sure  int // of rows
	done  int // of rows, nothing to mend any more
}

// done reports whether there is nothing to mend any more.
func (x *row) done() bool { return x.mended != nil && x.mended.done }

// list is the findings in groups of one kind, as a list.
type list struct {
	kit.Grouped[group]

	columns *kit.Table[shown]
	table   *dynamo.Table
	marked  map[*row]bool
	running bool
}

func (s list) Problem(n int) bool {
	g, i := s.Of(n)
	return i >= 0 && !g.rows[i].done()
}

func (s list) Marked(n int) bool {
	if len(s.marked) == 0 {
		return false
	}
	g, i := s.Of(n)
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
	g, i := s.Of(n)
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
	case f.Kind == finding.CounterMissing:
		l.Words(kit.Absent, "no counter", w)
	case f.Kind == finding.CounterNotNumber:
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
