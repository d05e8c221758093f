package kit

import (
	"strconv"
	"strings"
)

// Source is the rows that a list shows. Only the rows on screen are ever asked
// for, so a million cost what twenty do.
type Source interface {
	// Len is the number of lines.
	Len() int
	// Row tells which lines are one row with line n. ok is false for a line that
	// cannot be selected: a heading, a gap.
	Row(n int) (first, last int, ok bool)
	// Draw writes line n, from column 2 on.
	Draw(l *Line, n int, selected bool)
}

// Problems is a source that knows which of its lines are broken.
type Problems interface {
	Source
	Problem(n int) bool
}

// Markable is a source whose rows can be marked.
type Markable interface {
	Source
	Marked(n int) bool
}

// named is a source whose rows can be told apart after they were read again.
type named interface {
	Source
	// Name is what stays of a row. One that begins with another's is the same row, of
	// which more is known.
	Name(n int) string
}

// NameEnds ends a name, so that none begins with that of another row.
const NameEnds = "\x00\x00"

// List is a window on a source: where the cursor is and which line is on top.
type List struct {
	Cursor, Top, Height int
	// Lost: what was selected is not among the rows any more, or not yet. Nothing is
	// selected then, until the cursor is moved.
	Lost bool
	// Moved: a person has moved the cursor, since a screen has set this to false.
	Moved bool
	name  string                        // of what was selected
	At    int                           // the line that it was on
	next  func(rows Source, n int) bool // as Next was given it; nil: nothing takes its place
}

// Hold remembers what is selected, before the rows are read again.
func (s *List) Hold(rows Source) {
	src, ok := rows.(named)
	if !ok || s.Lost || s.Cursor < 0 || s.Cursor >= src.Len() {
		return
	}
	s.name, s.At = src.Name(s.Cursor), s.Cursor
}

// Selected is what stays of the selected row when the rows are read again; of rows that cannot
// be told apart, its line. It is empty where nothing is selected.
func (s *List) Selected(rows Source) string {
	src, ok := rows.(named)
	switch {
	case s.Lost || s.Cursor < 0 || s.Cursor >= rows.Len():
		return ""
	case ok:
		return src.Name(s.Cursor)
	}
	return strconv.Itoa(s.Cursor) + NameEnds
}

// To puts the cursor on the row of a name, and reports whether there is one.
func (s *List) To(rows Source, name string) bool {
	src, ok := rows.(named)
	for n := 0; ok && n < src.Len(); n++ {
		if strings.HasPrefix(src.Name(n), name) {
			s.Put(n)
			return true
		}
	}
	return false
}

// Next tells the row that takes the place of what is selected, once that is gone. It holds
// until the cursor is moved.
func (s *List) Next(is func(rows Source, n int) bool) { s.next = is }

// Follow puts the cursor on what hold remembered, or on what has taken its place: its
// neighbour is not what the next key is meant for.
func (s *List) Follow(rows Source) {
	src, ok := rows.(named)
	if !ok || s.name == "" {
		return
	}
	is := func(n int) bool { return n < src.Len() && strings.HasPrefix(src.Name(n), s.name) }
	if s.Lost = false; is(s.Cursor) {
		return
	}
	for n := range src.Len() {
		if is(n) {
			s.Cursor = n
			return
		}
	}
	for n := 0; s.next != nil && n < src.Len(); n++ {
		if s.next(rows, n) {
			s.Put(n)
			return
		}
	}
	s.Lost = true
}

// Put puts the cursor on a line.
func (s *List) Put(n int) { s.Cursor, s.Lost, s.name, s.next = n, false, "", nil }

// moved makes an end of nothing being selected, and reports whether that was so.
func (s *List) moved() bool {
	lost := s.Lost
	s.Moved, s.Lost, s.name, s.next = true, false, "", nil
	return lost
}

// Number is that of the selected row, from 1; 0 where nothing is selected.
func (s *List) Number() int {
	if s.Lost {
		return 0
	}
	return s.Cursor + 1
}

// Position returns the number of the row at a line among the rows that can be selected, and their count.
func Position(rows Source, line int) (at, of int) {
	for n := range rows.Len() {
		if _, _, ok := rows.Row(n); ok {
			of++
			if n <= line {
				at = of
			}
		}
	}
	return at, of
}

// Gone says that nothing is selected, where that is so.
func (s *List) Gone(d *Block) {
	if s.Lost {
		d.Para(1, Muted, "The selected row is gone. Press ↓ to select another.")
	}
}

// clamp keeps the cursor on a row and the row in the window.
func (s *List) clamp(src Source, height int) {
	s.Height = max(height, 1)
	n := src.Len()
	s.Cursor = max(min(s.Cursor, n-1), 0)
	if n == 0 {
		s.Top = 0
		return
	}
	s.Cursor = Nearest(src, s.Cursor, 1)
	first, last, ok := src.Row(s.Cursor)
	if !ok {
		first, last = s.Cursor, s.Cursor
	}
	if first < s.Top {
		s.Top = first
		if s.Top <= 2 && s.noneAbove(src) { // headings above the first row come back into view
			s.Top = 0
		}
	}
	if last >= s.Top+s.Height {
		s.Top = last - s.Height + 1
	}
	s.Top = max(min(s.Top, n-s.Height), 0)
}

func (s *List) noneAbove(src Source) bool {
	for n := range s.Top {
		if _, _, ok := src.Row(n); ok {
			return false
		}
	}
	return true
}

// Nearest is the row at line n or the next one in a direction; where there is
// none, the next one the other way.
func Nearest(src Source, n, dir int) int {
	for _, d := range [2]int{dir, -dir} {
		for at := n; at >= 0 && at < src.Len(); at += d {
			if first, _, ok := src.Row(at); ok {
				return first
			}
		}
	}
	return n
}

// Move moves the cursor by rows.
func (s *List) Move(src Source, by int) {
	if src.Len() == 0 {
		return
	}
	if s.moved() { // where it was is shown first
		s.clamp(src, s.Height)
		return
	}
	dir := 1
	if by < 0 {
		dir, by = -1, -by
	}
	s.Cursor = max(min(s.Cursor, src.Len()-1), 0) // the rows may have become fewer
	for range by {
		first, last, ok := src.Row(s.Cursor)
		if !ok {
			first, last = s.Cursor, s.Cursor
		}
		at := last + 1
		if dir < 0 {
			at = first - 1
		}
		for at >= 0 && at < src.Len() {
			if f, _, ok := src.Row(at); ok {
				s.Cursor = f
				break
			}
			at += dir
		}
	}
	s.clamp(src, s.Height)
}

// Jump moves the cursor by lines: half a page, a page, to an end.
func (s *List) Jump(src Source, by int) {
	if src.Len() == 0 {
		return
	}
	s.moved()
	dir := 1
	if by < 0 {
		dir = -1
	}
	before := s.Cursor
	s.Cursor = Nearest(src, max(min(s.Cursor+by, src.Len()-1), 0), dir)
	if s.Cursor == before { // a row of several lines: on to the next
		s.Move(src, dir)
	}
	s.clamp(src, s.Height)
}

// Seek moves the cursor to the next problem in a direction and reports whether
// there is one.
func (s *List) Seek(src Problems, dir int) bool { return s.seek(src, s.Cursor+dir, dir) }

// SeekAround moves the cursor to the next problem from the other end of the list on, and
// reports whether there is one but for where it is.
func (s *List) SeekAround(src Problems, dir int) bool {
	at, from := s.Cursor, 0
	if dir < 0 {
		from = src.Len() - 1
	}
	return s.seek(src, from, dir) && s.Cursor != at
}

func (s *List) seek(src Problems, at, dir int) bool {
	for ; at >= 0 && at < src.Len(); at += dir {
		if src.Problem(at) {
			s.Put(at)
			s.clamp(src, s.Height)
			return true
		}
	}
	return false
}

// Click puts the cursor on the row at a line of the window.
func (s *List) Click(src Source, line int) bool {
	at := s.Top + line
	if line < 0 || line >= s.Height || at >= src.Len() {
		return false
	}
	first, _, ok := src.Row(at)
	if ok {
		s.Put(first)
		s.clamp(src, s.Height)
	}
	return ok
}

// Draw writes the window's lines: the selected row has a ground and a mark.
func (s *List) Draw(st *Styles, src Source, width, height int, plain, sel Ground, quiet bool) []string {
	s.clamp(src, height)
	out := make([]string, 0, height)
	first, last := -1, -1
	if src.Len() > 0 && !s.Lost {
		if f, l, ok := src.Row(s.Cursor); ok {
			first, last = f, l
		}
	}
	for n := s.Top; n < min(s.Top+height, src.Len()); n++ {
		selected := n >= first && n <= last
		g := plain
		if selected {
			g = sel
		}
		l := NewLine(st, width, g)
		l.quiet = quiet
		if n == first {
			l.Put(Accent, GlyphMark)
		}
		if m, ok := src.(Markable); ok && m.Marked(n) {
			l.Put(Accent, glyphMarked)
		}
		l.To(2)
		src.Draw(l, n, selected)
		out = append(out, l.Done())
	}
	for len(out) < height {
		out = append(out, Spaces(width))
	}
	return out
}

// Groups are the lines of rows that stand in groups: a head each, and under it its rows,
// unless the group is folded. A list of groups embeds it, and draws its own lines.
type Groups []Group

// Group is how many rows a group has, and whether they are hidden. One that is bare has no
// head: its rows are all there is.
type Group struct {
	Rows   int
	Folded bool
	Bare   bool
}

// heads counts the lines of a group's head.
func (g Group) heads() int {
	if g.Bare {
		return 0
	}
	return 1
}

// Grouped are the lines of groups of anything.
type Grouped[G any] struct {
	Groups
	All []G
}

// GroupsOf makes groups of anything that is grouped.
func GroupsOf[G any](all []G, of func(G) Group) Grouped[G] {
	out := make(Groups, len(all))
	for n, one := range all {
		out[n] = of(one)
	}
	return Grouped[G]{out, all}
}

// Of is the group of a line and the place in it; place −1 is the group's head, or no line.
func (g Grouped[G]) Of(line int) (group G, place int) {
	n, place, ok := g.At(line)
	if !ok {
		return group, -1
	}
	return g.All[n], place
}

// lines counts those of a group.
func (g Group) lines() int {
	if g.Folded {
		return g.heads()
	}
	return g.heads() + g.Rows
}

// Len implements Source.
func (g Groups) Len() int {
	n := 0
	for _, one := range g {
		n += one.lines()
	}
	return n
}

// Row implements Source: heads are selected, too.
func (g Groups) Row(n int) (first, last int, ok bool) { return n, n, true }

// At is the group of a line and the place in it; place −1 is the group's head. ok is false
// for no line.
func (g Groups) At(line int) (group, place int, ok bool) {
	for n, one := range g {
		if lines := one.lines(); line < lines {
			return n, line - one.heads(), line >= 0
		} else {
			line -= lines
		}
	}
	return 0, -1, false
}

// Folded reports whether the group of a line is folded.
func (g Groups) Folded(line int) bool {
	group, _, ok := g.At(line)
	return ok && g[group].Folded
}

// Line is the line of a place in a group: of its head where that is −1, or the group is folded.
func (g Groups) Line(group, place int) int {
	line := g[:group].Len()
	if g[group].Folded {
		return line
	}
	return line + place + g[group].heads()
}

// Number is that of the row at a line among all rows, from 1, and how many there are; a head
// counts as its first row.
func (g Groups) Number(line int) (at, of int) {
	group, place, ok := g.At(line)
	for n, one := range g {
		if ok && n == group {
			at = of + max(place+1, 1)
		}
		of += one.Rows
	}
	return at, of
}

// Fold folds the group at the cursor, or opens it; folded are the folded ones, by what name says of
// each.
func Fold[G any, K comparable](s *List, g Grouped[G], folded map[K]bool, name func(G) K) {
	group, _, ok := g.At(s.Cursor)
	if !ok {
		return
	}
	s.Put(g.Line(group, -1))
	s.Moved = true
	k := name(g.All[group])
	folded[k] = !folded[k]
}

// FoldMark begins the head of a group.
func FoldMark(l *Line, folded bool) {
	mark := glyphOpen
	if folded {
		mark = GlyphMark
	}
	l.Put(Muted, mark)
	l.Put(Text, " ")
}

// TextRow is a row of words: a label and what it says, or, where there is no label,
// the rest of what the row before says.
type TextRow struct {
	Label string
	Text  Span
	Head  bool
}

// TextList is rows of words as a list; the words begin at Column.
type TextList struct {
	Rows   []TextRow
	Column int
}

// Len implements Source.
func (s TextList) Len() int { return len(s.Rows) }

// Row implements Source: heads are not selected.
func (s TextList) Row(n int) (int, int, bool) { return n, n, !s.Rows[n].Head }

// Draw implements Source.
func (s TextList) Draw(l *Line, n int, _ bool) {
	row := s.Rows[n]
	if row.Head {
		l.Put(Muted, row.Label)
		return
	}
	l.Words(Muted, row.Label, s.Column-l.At-1)
	l.To(s.Column)
	l.Put(row.Text.Style, row.Text.Text)
}
