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
	sure    int // counts the confirmed findings that are not mended
	marked  map[*row]bool
	// suspicious are the constraints whose layout may be wrong, rather than the data.
	suspicious []string
	groups     []group // the kinds with findings, in the order of finding.Kinds
	folded     map[finding.Kind]bool
	list       kit.List
	kept       spot // the last place of the cursor, if its finding is not in the list now
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

// note stores a finding and counts it. The list does not show the finding before add.
func (f *found) note(x *row) {
	f.all = append(f.all, x)
	if x.f.Confirmed && !x.done() {
		f.sure++
	}
	if x.f.SuspectLayout && !slices.Contains(f.suspicious, x.f.Constraint) {
		f.suspicious = append(f.suspicious, x.f.Constraint)
	}
}

// wanted reports whether a finding passes the filter.
func (f *found) wanted(x *row) bool {
	want := f.look.Want()
	return want == "" || strings.Contains(x.find, want) || strings.HasPrefix(string(x.f.Kind), want)
}

// add adds a finding to its group, and lists it if it passes the filter.
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

// markedRows returns the marked findings, in their order.
func (f *found) markedRows() []*row {
	var rows []*row
	for _, x := range f.all {
		if f.marked[x] {
			rows = append(rows, x)
		}
	}
	return rows
}

// filter groups all findings again after the filter has changed. The cursor stays on
// its finding, or goes to the first.
func (f *found) filter() {
	f.regroup()
	f.list.Lost = false // the person has filtered out the selected finding
}

// regroup groups all findings again. The cursor stays on its finding. If that finding is not listed any
// more, no row is selected.
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

// spot is the place of the cursor, independent of the lines of the list.
type spot struct {
	top  bool // the cursor is on the first line, and no person has moved it
	kind finding.Kind
	row  *row // nil if the cursor is on a heading
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

// back moves the cursor back to a spot. If its finding is not in the list, no row is selected.
func (f *found) back(to spot) {
	rows := f.lines()
	f.kept, f.list.Lost = to, to.row != nil
	for n, g := range rows.All {
		if g.kind == to.kind {
			at := slices.Index(g.rows, to.row)
			if at < 0 && to.row != nil { // the finding may be of the previous check
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

// selected returns the finding at the cursor; nil if the cursor is on a heading, or no row is selected.
func (f *found) selected() *row {
	if f.list.Lost {
		return nil
	}
	return f.spot().row
}

// fold folds the group at the cursor, or unfolds it.
func (f *found) fold() tea.Cmd {
	kit.Fold(&f.list, f.lines().Grouped, f.folded, func(g group) finding.Kind { return g.kind })
	return nil
}

// recount groups all findings again, and counts those that are still to mend.
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
	order int    // the place of its kind in finding.Kinds
	sort  string // the sort key within its kind
	find  string // the text that the filter searches, in lower case
	// mended is the outcome of the change that should mend the finding; nil if there was none.
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

// group holds the findings of one kind that pass the filter.
type group struct {
	kind  finding.Kind
	rows  []*row
	total int // counts all findings of the kind, also those that do not pass
	sure  int // counts the confirmed rows
	done  int // counts the rows that need no change any more
}

// done reports whether the finding needs no change any more.
func (x *row) done() bool { return x.mended != nil && x.mended.done }

// list implements the interfaces of a list for the groups of findings.
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

// shown is a row to draw. place is its index in the group, and of is the number of findings in the group.
type shown struct {
	*row
	table     *dynamo.Table
	place, of int
	running   bool // the check is running and may still confirm it
}

// columns are the list's columns. To add a column, add it here.
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
	what, _ := say.Subject(r.f)
	l.Put(kit.Faint, kit.TreeGlyph(r.place, r.of))
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
		r.mended.sign.Draw(l)
	case r.f.Confirmed:
		l.Put(kit.Good, kit.GlyphYes)
		l.Put(kit.Muted, " confirmed")
	case say.Unknown(r.f):
		say.Finding(r.f).Draw(l)
	case r.running:
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

// countColumn is the column of a heading's number of findings.
const countColumn = 30

// drawWho draws the account that holds a finding's value, or the value of the counter.
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
			said = say.FitNumber(f.Seen.Text, w) // a number is never cut; the detail shows both numbers
		}
		l.Words(kit.Text, said, w)
	case len(f.Accounts) > 1:
		l.Words(kit.Text, phrase.Count(len(f.Accounts), "account"), w)
	case len(f.Accounts) == 1:
		l.Middle(kit.Text, say.Account(r.table, f.Accounts[0]), w)
	case f.Owner != "":
		l.Words(kit.Absent, "owner gone", w)
	case say.Unknown(f):
		l.Words(kit.Absent, "not known", w)
	default:
		l.Words(kit.Absent, "no account", w)
	}
}
