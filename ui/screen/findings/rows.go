package findings

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// found is the list of a check's findings, grouped by kind, with its filter, its marks and its
// cursor.
type found struct {
	table   *dynamo.Table
	columns kit.Table[shown] // the columns of the list
	running bool             // the check is running and may find more
	all     []*row
	// suspects are in the list beside all, while the check is running.
	suspects []*row
	sure     int // counts the confirmed findings that are not mended
	marked   map[*row]bool
	// suspicious are the constraints whose layout may be wrong, rather than the data.
	suspicious []string
	groups     []group // the kinds with findings, in the order of finding.Kinds
	folded     map[finding.Kind]bool
	list       kit.List
	filter     screen.Filter
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

// row is a finding on the screen.
type row struct {
	f      finding.Finding
	order  int             // the place of its kind in finding.Kinds
	sort   string          // the sort key within its kind
	find   string          // the text that the filter searches, in lower case
	mended *change.Receipt // the receipt of the change that should mend the finding; nil if there was none
	// suspect: the check has not confirmed the finding yet, and may dismiss it.
	suspect bool
}

func newRow(f finding.Finding) *row {
	r := &row{f: f, order: slices.Index(finding.Kinds(), f.Kind)}
	said := []string{f.Constraint, f.Value, f.Counter, f.Number()}
	r.sort = strings.Join(said, "\x00")
	_, shown := say.Subject(f)
	said = append(said, f.Owner, shown)
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

// done reports whether the finding needs no change any more.
func (x *row) done() bool {
	return x.mended != nil && (x.mended.Outcome == journal.Applied || say.NothingToDo(*x.mended))
}

// group holds the findings of one kind that pass the filter.
type group struct {
	kind  finding.Kind
	order int // the place of the kind in finding.Kinds
	rows  []*row
	total int // counts all findings of the kind, including findings that the filter hides
	sure  int // counts the confirmed rows
	done  int // counts the rows that need no change any more
}

// add counts a finding, and lists it in its group if it passes the filter.
func (f *found) add(x *row) {
	if x.f.Confirmed && !x.done() {
		f.sure++
	}
	if x.f.SuspectLayout && !slices.Contains(f.suspicious, x.f.Constraint) {
		f.suspicious = append(f.suspicious, x.f.Constraint)
	}
	at, known := slices.BinarySearchFunc(f.groups, x.order, func(g group, order int) int { return g.order - order })
	if !known {
		f.groups = slices.Insert(f.groups, at, group{kind: x.f.Kind, order: x.order})
	}
	g := &f.groups[at]
	g.total++
	if !f.wanted(x) {
		return
	}
	g.rows = append(g.rows, x)
	if x.f.Confirmed {
		g.sure++
	}
	if x.done() {
		g.done++
	}
}

// wanted reports whether a finding passes the filter.
func (f *found) wanted(x *row) bool {
	want := f.filter.Want()
	return want == "" || strings.Contains(x.find, want) || strings.HasPrefix(string(x.f.Kind), want)
}

// regroup groups and counts all findings again. The cursor stays on its row. If that row is not listed any
// more, no row is selected.
func (f *found) regroup() {
	untouched := f.untouched()
	f.list.Hold(f.lines())
	f.groups, f.sure, f.suspicious = nil, 0, nil
	for _, x := range slices.Concat(f.all, f.suspects) {
		f.add(x)
	}
	f.groups = slices.DeleteFunc(f.groups, func(g group) bool { return len(g.rows) == 0 })
	if !untouched {
		f.list.Follow(f.lines())
	} else if !f.running { // a running check may still find a finding that comes first
		f.first()
	}
}

// refilter groups all findings again after the filter has changed. The cursor stays on
// its finding, or goes to the first.
func (f *found) refilter() {
	if f.regroup(); f.list.Lost { // the person has filtered out the selected finding
		f.first()
	}
}

// first selects the first finding, or the heading of its group if that is folded.
func (f *found) first() {
	f.list.Put(0)
	if len(f.groups) > 0 && !f.folded[f.groups[0].kind] {
		f.list.Put(1)
	}
}

// untouched reports whether the cursor is on the first line, and no person has moved it.
func (f *found) untouched() bool { return f.list.Cursor == 0 && !f.list.Moved && !f.list.Lost }

// selected returns the finding at the cursor; nil if the cursor is on a heading, or no row is selected.
func (f *found) selected() *row {
	if g, n := f.lines().Of(f.list.Cursor); n >= 0 && !f.list.Lost {
		return g.rows[n]
	}
	return nil
}

// fold folds the group at the cursor, or unfolds it.
func (f *found) fold() tea.Cmd {
	kit.Fold(&f.list, f.lines().Grouped, f.folded, func(g group) finding.Kind { return g.kind })
	return nil
}

// markedRows returns the marked findings, in their order.
func (f *found) markedRows() []*row {
	return slices.DeleteFunc(slices.Clone(f.all), func(x *row) bool { return !f.marked[x] })
}

func (f *found) lines() list {
	return list{kit.GroupsOf(f.groups, func(g group) kit.Group {
		return kit.Group{Rows: len(g.rows), Folded: f.folded[g.kind]}
	}), f}
}

// list implements the interfaces of a list for the groups of findings.
type list struct {
	kit.Grouped[group]

	of *found
}

// row returns the finding of a line; nil for a heading.
func (s list) row(n int) *row {
	if g, i := s.Of(n); i >= 0 {
		return g.rows[i]
	}
	return nil
}

// name identifies a finding by its ID, so that a later check finds it again. The ID of a duplicate id is only a
// number, so the keys of its items belong to the name.
func (x *row) name() string { return x.f.ID + "\x00" + x.find + kit.NameEnds }

// Name identifies the row of a line: a finding or a heading.
func (s list) Name(n int) string {
	if x := s.row(n); x != nil {
		return x.name()
	}
	g, _ := s.Of(n)
	return string(g.kind) + kit.NameEnds
}

// Problem implements kit.Problems.
func (s list) Problem(n int) bool {
	x := s.row(n)
	return x != nil && !x.done()
}

// Marked implements kit.Markable.
func (s list) Marked(n int) bool { return len(s.of.marked) > 0 && s.of.marked[s.row(n)] }

// shown is a row to draw. place is its index in the group, and count is the number of findings in the group.
type shown struct {
	*row
	of           *found
	place, count int
}

// columns are the list's columns. To add a column, add it here.
var columns = []kit.Column[shown]{
	{Head: "FINDING", Cells: 11, Draw: drawWhat},
	{Head: "VALUE", Cells: 48, Min: 16, Grow: 2, Draw: drawValue},
	{
		Head: "ACCOUNT", Cells: 14, Max: 34, Grow: 1,
		Draw: func(l *kit.Line, r shown, w int) {
			if r.suspect {
				l.Words(kit.Absent, "none so far", w)
				return
			}
			say.DrawHolder(l, r.of.table, r.f, w)
		},
	},
	{Head: "SURE", Cells: 14, Draw: drawSure},
}

// Draw implements kit.Source.
func (s list) Draw(l *kit.Line, n int, _ bool) {
	g, i := s.Of(n)
	if i >= 0 {
		s.of.columns.Draw(l, shown{g.rows[i], s.of, i, len(g.rows)})
		return
	}
	kit.FoldMark(l, s.Folded(n))
	s.head(l, g)
}

func drawWhat(l *kit.Line, r shown, w int) {
	what, _ := say.Subject(r.f)
	l.Put(kit.Faint, kit.TreeGlyph(r.place, r.count))
	l.Put(kit.Text, " ")
	l.Fit(kit.Muted, what, w-2)
}

func drawValue(l *kit.Line, r shown, w int) {
	_, value := say.Subject(r.f)
	k := kit.Strong
	switch {
	case r.done():
		k = kit.Muted
	case !r.f.Confirmed:
		k = kit.Text
	}
	l.Fit(k, value, w)
}

// drawSure draws whether a finding is confirmed, or the outcome of the change that should mend it.
func drawSure(l *kit.Line, r shown, _ int) {
	switch {
	case r.mended != nil:
		say.Mended(*r.mended).Draw(l)
	case r.f.Confirmed:
		l.Put(kit.Good, kit.GlyphYes)
		l.Put(kit.Muted, " confirmed")
	case say.Unknown(r.f):
		say.Finding(r.f).Draw(l)
	case r.of.running:
		l.Put(kit.Absent, "not yet")
	default:
		l.Put(kit.Absent, "not confirmed")
	}
}

func (s list) head(l *kit.Line, g group) {
	sign := say.Kind(g.kind)
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
	if unsure := len(g.rows) - g.sure; s.of.running && g.sure == 0 {
		said += " not confirmed yet"
	} else {
		if s.of.running {
			said += " so far"
		}
		if unsure > 0 {
			said += ", " + phrase.Number(unsure) + " not confirmed"
		}
	}
	if g.done > 0 {
		said += ", " + phrase.Number(g.done) + " mended"
	}
	l.Words(kit.Muted, said, l.Width-l.At-1)
}

// countColumn is the column of a heading's number of findings.
const countColumn = 30
