package findings

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
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
	folded     map[check.Kind]bool
	list       kit.List
	kept       spot // what the cursor was on, where that is not among the findings
	look       screen.Filter
}

func newFound(t *dynamo.Table) found {
	return found{
		table:   t,
		columns: kit.Table[shown]{Columns: columns},
		running: true,
		folded:  map[check.Kind]bool{},
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
		return slices.Index(check.Kinds(), g.kind) - order
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
	f.first()
	if !keep.top {
		f.back(keep)
	}
}

// first puts the cursor on the first finding.
func (f *found) first() {
	if f.list.Put(0); len(f.groups) > 0 && !f.folded[f.groups[0].kind] {
		f.list.Put(1)
	}
}

// spot is where the cursor stands, whatever the lines are.
type spot struct {
	top  bool // where it was put, before anybody moved it
	kind check.Kind
	row  *row // nil on a head
}

func (f *found) spot() spot {
	if f.list.Lost {
		return f.kept
	}
	g, n := f.lines().at(f.list.Cursor)
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
	for n, g := range rows.groups {
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
	rows := f.lines()
	if n, ok := f.list.ToHead(rows.Groups); ok {
		kind := rows.groups[n].kind
		f.folded[kind] = !f.folded[kind]
	}
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
		Groups:  groups,
		groups:  f.groups,
		columns: &f.columns,
		table:   f.table,
		marked:  f.marked,
		running: f.running,
	}
}
