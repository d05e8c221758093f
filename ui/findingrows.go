package ui

import (
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// findingRow is a finding on the screen.
type findingRow struct {
	f     check.Finding
	order int    // of its kind
	sort  string // its place in the kind
	find  string // what the filter looks through, in lower case
	// mended is what became of a change that was to mend it; nil for none.
	mended *mended
}

func newFindingRow(f check.Finding) *findingRow {
	r := &findingRow{f: f, order: slices.Index(check.Kinds(), f.Kind)}
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

// findingGroup is the findings of one kind that the filter leaves.
type findingGroup struct {
	kind  check.Kind
	rows  []*findingRow
	total int // with those that it leaves out
	sure  int // of rows
	done  int // of rows, nothing to mend any more
}

// wanted reports whether the filter leaves a finding.
func (r *checkRun) wanted(row *findingRow) bool {
	want := strings.ToLower(strings.TrimSpace(r.field.Value()))
	return want == "" || strings.Contains(row.find, want) || strings.HasPrefix(string(row.f.Kind), want)
}

// add puts a finding into its group.
func (r *checkRun) add(row *findingRow) {
	at, known := slices.BinarySearchFunc(r.groups, row.order, func(g findingGroup, order int) int {
		return slices.Index(check.Kinds(), g.kind) - order
	})
	if !known {
		r.groups = slices.Insert(r.groups, at, findingGroup{kind: row.f.Kind})
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
func (r *checkRun) markedRows() []*findingRow {
	var rows []*findingRow
	for _, row := range r.all {
		if r.marked[row] {
			rows = append(rows, row)
		}
	}
	return rows
}

// filter groups all findings anew: what is looked for has changed, or their
// order. The cursor stays on its finding, or goes to the first.
func (r *checkRun) filter() {
	r.regroup()
	r.list.Lost = false // it is the person who left it out
}

// regroup groups all findings anew. The cursor stays on its finding, if it is there.
func (r *checkRun) regroup() {
	keep := r.spot()
	r.groups = nil
	for _, row := range r.all {
		r.add(row)
	}
	r.groups = slices.DeleteFunc(r.groups, func(g findingGroup) bool { return len(g.rows) == 0 })
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
	row  *findingRow // nil on a head
}

func (r *checkRun) spot() spot {
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
func (r *checkRun) back(to spot) {
	rows, line := r.lines(80), 0
	r.kept, r.list.Lost = to, to.row != nil
	for _, g := range rows.groups {
		if g.kind == to.kind {
			at := slices.Index(g.rows, to.row)
			if at < 0 && to.row != nil { // of the check before
				same := to.row.f.Same()
				at = slices.IndexFunc(g.rows, func(row *findingRow) bool { return row.f.Same() == same })
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
func (r *checkRun) selected() *findingRow {
	if r.list.Lost {
		return nil
	}
	return r.spot().row
}

// fold folds the group at the cursor, or opens it.
func (r *checkRun) fold() {
	rows := r.lines(80)
	if r.list.Cursor >= rows.Len() {
		return
	}
	g, n := rows.at(r.list.Cursor)
	r.list.Put(r.list.Cursor - n - 1)
	r.folded[g.kind] = !r.folded[g.kind]
}

func (r *checkRun) lines(width int) findingList {
	return findingList{groups: r.groups, folded: r.folded, cols: findingColumnsOf(width), table: r.table, marked: r.marked, running: r.running}
}

// findingList is the groups as a list: a head each, and under it the findings
// unless the group is folded.
type findingList struct {
	groups  []findingGroup
	folded  map[check.Kind]bool
	cols    findingColumns
	table   *dynamo.Table
	marked  map[*findingRow]bool
	running bool
}

// Len counts the lines.
func (s findingList) Len() int {
	n := 0
	for _, g := range s.groups {
		n += s.count(g)
	}
	return n
}

func (s findingList) count(g findingGroup) int {
	if s.folded[g.kind] {
		return 1
	}
	return 1 + len(g.rows)
}

// at is the group and the place in it of line n; place −1 is the group's head, or
// no line.
func (s findingList) at(n int) (findingGroup, int) {
	for _, g := range s.groups {
		if lines := s.count(g); n < lines {
			return g, n - 1
		} else {
			n -= lines
		}
	}
	return findingGroup{}, -1
}

func (s findingList) Row(n int) (int, int, bool) { return n, n, true }

func (s findingList) Problem(n int) bool {
	g, i := s.at(n)
	return i >= 0 && !g.rows[i].done()
}

func (s findingList) Marked(n int) bool {
	if len(s.marked) == 0 {
		return false
	}
	g, i := s.at(n)
	return i >= 0 && s.marked[g.rows[i]]
}

// place is the number of the finding at a line among all, from 1, and how many
// there are.
func (s findingList) place(n int) (at, of int) {
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

// findingColumns are where the columns stand.
type findingColumns struct{ what, value, who, sure int }

func findingColumnsOf(width int) findingColumns {
	c := findingColumns{what: 4, value: 14, sure: width - 14}
	who := 14
	if extra := width - 90; extra > 0 {
		who = min(who+extra/3, 34)
	}
	c.who = c.sure - who - 1
	return c
}

func (s findingList) Draw(l *kit.Line, n int, _ bool) {
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
func (s findingList) sure(l *kit.Line, row *findingRow) {
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

func (s findingList) head(l *kit.Line, g findingGroup) {
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
	l.To(findingCount)
	said := phrase.Group(strconv.Itoa(len(g.rows)))
	if len(g.rows) < g.total {
		said += " of " + phrase.Group(strconv.Itoa(g.total))
	}
	if s.running {
		said += " so far"
	}
	if unsure := len(g.rows) - g.sure; unsure > 0 && !s.running {
		said += ", " + phrase.Group(strconv.Itoa(unsure)) + " not confirmed"
	}
	if g.done > 0 {
		said += ", " + phrase.Group(strconv.Itoa(g.done)) + " mended"
	}
	l.Words(kit.Muted, said, l.Width-l.At-1)
}

// findingCount is the column in which the findings of a kind are counted.
const findingCount = 30
