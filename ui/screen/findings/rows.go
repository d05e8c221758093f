package findings

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check"
	"tallylock/ui/message"
)

// row is a finding on the screen.
type row struct {
	f     check.Finding
	order int    // of its kind
	sort  string // its place in the kind
	find  string // what the filter looks through, in lower case
	// mended is what became of a change that was to mend it; nil for none.
	mended *message.Outcome
}

func newRow(f check.Finding) *row {
	r := &row{f: f, order: slices.Index(check.Kinds(), f.Kind)}
	said := []string{f.Constraint, f.Value, f.Counter, f.ID}
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
	kind  check.Kind
	rows  []*row
	total int // with those that it leaves out
	sure  int // of rows
	done  int // of rows, nothing to mend any more
}

// wanted reports whether the filter leaves a finding.
func (r *run) wanted(row *row) bool {
	want := strings.ToLower(strings.TrimSpace(r.field.Value()))
	return want == "" || strings.Contains(row.find, want) || strings.HasPrefix(string(row.f.Kind), want)
}

// add puts a finding into its group.
func (r *run) add(row *row) {
	at, known := slices.BinarySearchFunc(r.groups, row.order, func(g group, order int) int {
		return slices.Index(check.Kinds(), g.kind) - order
	})
	if !known {
		r.groups = slices.Insert(r.groups, at, group{kind: row.f.Kind})
	}
	g := &r.groups[at]
	g.total++
	if r.wanted(row) {
		g.rows = append(g.rows, row)
		if row.f.Confirmed {
			g.sure++
		}
		if row.done() {
			g.done++
		}
	}
}

// markedRows are the findings that are marked, in their order.
func (r *run) markedRows() []*row {
	var rows []*row
	for _, row := range r.all {
		if r.marked[row] {
			rows = append(rows, row)
		}
	}
	return rows
}

// filter groups all findings anew: what is looked for has changed, or their
// order. The cursor stays on its finding, or goes to the first.
func (r *run) filter() {
	r.regroup()
	r.list.Lost = false // it is the person who left it out
}

// regroup groups all findings anew. The cursor stays on its finding, if it is there.
func (r *run) regroup() {
	keep := r.spot()
	r.groups = nil
	for _, row := range r.all {
		r.add(row)
	}
	r.groups = slices.DeleteFunc(r.groups, func(g group) bool { return len(g.rows) == 0 })
	if r.list.Put(0); len(r.groups) > 0 && !r.folded[r.groups[0].kind] {
		r.list.Put(1)
	}
	if !keep.top {
		r.back(keep)
	}
}

// spot is where the cursor stands, whatever the lines are.
type spot struct {
	top  bool // where it was put, before anybody moved it
	kind check.Kind
	row  *row // nil on a head
}

func (r *run) spot() spot {
	if r.list.Lost {
		return r.kept
	}
	g, n := r.lines(80).at(r.list.Cursor)
	at := spot{top: r.list.Cursor == 0, kind: g.kind}
	if n >= 0 {
		at.row = g.rows[n]
	}
	return at
}

// back puts the cursor where it was, if that is still there; else on nothing.
func (r *run) back(to spot) {
	rows, line := r.lines(80), 0
	r.kept, r.list.Lost = to, to.row != nil
	for _, g := range rows.groups {
		if g.kind == to.kind {
			at := slices.Index(g.rows, to.row)
			if at < 0 && to.row != nil { // of the check before
				same := to.row.f.Same()
				at = slices.IndexFunc(g.rows, func(row *row) bool { return row.f.Same() == same })
			}
			if at < 0 && to.row != nil {
				return
			}
			if r.list.Put(line); !r.folded[g.kind] {
				r.list.Put(line + at + 1)
			}
			return
		}
		line += rows.count(g)
	}
}

// selected is the finding at the cursor; nil on a head.
func (r *run) selected() *row {
	if r.list.Lost {
		return nil
	}
	return r.spot().row
}

// fold folds the group at the cursor, or opens it.
func (r *run) fold() tea.Cmd {
	rows := r.lines(80)
	if r.list.Cursor >= rows.Len() {
		return nil
	}
	g, n := rows.at(r.list.Cursor)
	r.list.Put(r.list.Cursor - n - 1)
	r.folded[g.kind] = !r.folded[g.kind]
	return nil
}
