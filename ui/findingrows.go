package ui

import (
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
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
	r.list.lost = false // it is the person who left it out
}

// regroup groups all findings anew. The cursor stays on its finding, if it is there.
func (r *checkRun) regroup() {
	keep := r.spot()
	r.groups = nil
	for _, row := range r.all {
		r.add(row)
	}
	r.groups = slices.DeleteFunc(r.groups, func(g findingGroup) bool { return len(g.rows) == 0 })
	if r.list.put(0); len(r.groups) > 0 && !r.folded[r.groups[0].kind] {
		r.list.put(1)
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
	if r.list.lost {
		return r.kept
	}
	g, n := r.lines(80).at(r.list.cursor)
	at := spot{top: r.list.cursor == 0, kind: g.kind}
	if n >= 0 {
		at.row = g.rows[n]
	}
	return at
}

// back puts the cursor where it was, if that is still there; else on nothing.
func (r *checkRun) back(to spot) {
	rows, line := r.lines(80), 0
	r.kept, r.list.lost = to, to.row != nil
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
			if r.list.put(line); !r.folded[g.kind] {
				r.list.put(line + at + 1)
			}
			return
		}
		line += rows.count(g)
	}
}

// selected is the finding at the cursor; nil on a head.
func (r *checkRun) selected() *findingRow {
	if r.list.lost {
		return nil
	}
	return r.spot().row
}

// fold folds the group at the cursor, or opens it.
func (r *checkRun) fold() {
	rows := r.lines(80)
	if r.list.cursor >= rows.Len() {
		return
	}
	g, n := rows.at(r.list.cursor)
	r.list.put(r.list.cursor - n - 1)
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

func (s findingList) Draw(l *line, n int, _ bool) {
	g, i := s.at(n)
	if i < 0 {
		s.head(l, g)
		return
	}
	row, c := g.rows[i], s.cols
	l.put(asFaint, treeGlyph(i, len(g.rows)))
	l.to(c.what)
	what, value := subjectOf(row.f)
	l.fit(asMuted, what, c.value-c.what-1)
	l.to(c.value)
	k := asStrong
	switch {
	case row.done():
		k = asMuted
	case !row.f.Confirmed:
		k = asText
	}
	l.fit(k, value, c.who-c.value-1)
	l.to(c.who)
	drawWho(l, s.table, row.f, c.sure-c.who-1)
	l.to(c.sure)
	s.sure(l, row)
}

// sure writes how certain a finding is, or what became of it.
func (s findingList) sure(l *line, row *findingRow) {
	switch {
	case row.mended != nil:
		row.mended.sign.draw(l)
	case row.f.Confirmed:
		l.put(asGood, glyphYes)
		l.put(asMuted, " confirmed")
	case s.running:
		l.put(asAbsent, "not yet")
	default:
		l.put(asAbsent, "not confirmed")
	}
}

func (s findingList) head(l *line, g findingGroup) {
	mark := glyphOpen
	if s.folded[g.kind] {
		mark = glyphMark
	}
	l.put(asMuted, mark)
	l.put(asText, " ")
	sign := kindSign(g.kind)
	k := sign.look
	name := asText
	if g.sure > 0 {
		k, name = k|bold, asBold
	}
	l.put(k, sign.glyph)
	l.put(name, " "+string(g.kind))
	l.to(findingCount)
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
	l.words(asMuted, said, l.width-l.at-1)
}

// findingCount is the column in which the findings of a kind are counted.
const findingCount = 30

// kindSign is the sign of a kind of finding, with a short word.
func kindSign(k check.Kind) sign {
	switch k {
	case check.OrphanedLock:
		return sign{glyphOrphaned, asBad, "orphaned", false}
	case check.StaleLock:
		return sign{glyphStale, asWarn, "stale", false}
	case check.MissingLock, check.CounterMissing:
		return sign{glyphMissing, asWarn, "missing", false}
	case check.ForeignLock:
		return sign{glyphForeign, asOther, "foreign", false}
	case check.DuplicateValue:
		return sign{glyphDuplicate, asBad, "duplicate", false}
	case check.UnnormalisedLock:
		return sign{glyphAlike, asWarn, "misspelt", false}
	case check.MalformedLock:
		return sign{glyphMalformed, asWarn, "malformed", false}
	case check.ExpiringAccount:
		return sign{glyphExpiring, asWarn, "expiring", false}
	case check.CounterBehind:
		return sign{glyphBehind, asBad, "behind", false}
	case check.CounterNotNumber:
		return sign{glyphNotNumber, asBad, "not a number", false}
	case check.CounterUnsafe:
		return sign{glyphUnsafe, asWarn, "past 2^53", false}
	case check.CounterOffStep:
		return sign{glyphOffStep, asWarn, "off step", false}
	case check.DriftedKey:
		return sign{glyphAlike, asWarn, "drifted", false}
	case check.DuplicateID:
		return sign{glyphDuplicate, asBad, "same id", false}
	}
	return sign{glyphUnknown, asWarn, string(k), false}
}

// findingSign is the sign of a finding: quiet, and asking, until it is confirmed.
func findingSign(f check.Finding) sign {
	s := kindSign(f.Kind)
	if !f.Confirmed {
		s.word += "?"
		s.quiet = true
	}
	return s
}
