package kit

import (
	"strconv"
	"strings"
)

// Source has the rows of a list. The list asks only for the rows on screen, so a million rows cost
// as much as twenty.
type Source interface {
	// Len is the number of lines.
	Len() int
	// Row returns the first and the last line of the row that line n belongs to. ok is false if the
	// line cannot be selected, such as a heading.
	Row(n int) (first, last int, ok bool)
	// Draw writes line n, from column 2.
	Draw(l *Line, n int, selected bool)
}

// Problems is a Source that knows which lines have a problem.
type Problems interface {
	Source
	Problem(n int) bool
}

// Markable is a Source whose rows can be marked.
type Markable interface {
	Source
	Marked(n int) bool
}

// named is a Source whose rows have names, so that a list finds a row again after the rows are read
// again.
type named interface {
	Source
	// Name identifies the row of line n. If the new name of a row begins with the old one, it is
	// the same row with more details.
	Name(n int) string
}

// NameEnds is the end of a complete name, so that it is not the beginning of another row's name.
const NameEnds = "\x00\x00"

// List shows a part of a Source: it has the cursor and the first visible line.
type List struct {
	Cursor, Top, Height int
	// Lost: the selected row has disappeared, or is not read yet. Then no row is selected until a
	// person moves the cursor.
	Lost bool
	// Moved: a person has moved the cursor since the screen last set Moved to false.
	Moved bool
	name  string                        // the name of the selected row
	At    int                           // the line of the selected row, when Hold was called
	next  func(rows Source, n int) bool // see Next; nil if no row takes the place of the selected one
}

// Hold remembers the selected row. Call it before the rows are read again.
func (s *List) Hold(rows Source) {
	src, ok := rows.(named)
	if !ok || s.Lost || s.Cursor < 0 || s.Cursor >= src.Len() {
		return
	}
	s.name, s.At = src.Name(s.Cursor), s.Cursor
}

// Selected identifies the selected row: by its name, or by its line if rows have no names. It is
// empty if no row is selected.
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

// To selects the row with this name. It reports false if there is none.
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

// Next sets the function that finds a replacement if the selected row disappears. It is forgotten
// when the cursor moves.
func (s *List) Next(is func(rows Source, n int) bool) { s.next = is }

// Follow selects the row that Hold remembered, or its replacement. Otherwise it selects no row: the
// next key is not meant for a neighbour.
func (s *List) Follow(rows Source) {
	src, ok := rows.(named)
	if !ok || s.name == "" {
		return
	}
	s.Lost = false
	is := func(n int) bool { return n >= 0 && n < src.Len() && strings.HasPrefix(src.Name(n), s.name) }
	at := min(s.Cursor, src.Len()-1)
	for far := range src.Len() { // most often, a few rows were added or removed above it
		for _, n := range [2]int{at + far, at - far} {
			if is(n) {
				s.Cursor = n
				return
			}
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

// Put moves the cursor to line n.
func (s *List) Put(n int) { s.Cursor, s.Lost, s.name, s.next = n, false, "", nil }

// moved records that a person moved the cursor. It reports whether no row was selected before.
func (s *List) moved() bool {
	lost := s.Lost
	s.Moved, s.Lost, s.name, s.next = true, false, "", nil
	return lost
}

// Number returns the line of the selected row, counted from 1. It returns 0 if no row is selected.
func (s *List) Number() int {
	if s.Lost {
		return 0
	}
	return s.Cursor + 1
}

// Position returns the number of the row at a line, and the number of all rows. It does not count
// headings.
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

// Gone writes a note if no row is selected.
func (s *List) Gone(d *Block) {
	if s.Lost {
		d.Para(1, Muted, "The selected row is gone. Press ↓ to select another.")
	}
}

// clamp moves the cursor to a row, and scrolls so that the row is visible.
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
		if s.Top <= 2 && s.noneAbove(src) { // show the headings above the first row, too
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

// Nearest returns the row at line n. If there is none, it returns the next row in direction dir, or
// else the next one in the other direction.
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

// Move moves the cursor by a number of rows.
func (s *List) Move(src Source, by int) {
	if src.Len() == 0 {
		return
	}
	if s.moved() { // the first key only shows where the cursor was
		s.clamp(src, s.Height)
		return
	}
	dir := 1
	if by < 0 {
		dir, by = -1, -by
	}
	s.Cursor = max(min(s.Cursor, src.Len()-1), 0) // the source may have fewer rows now
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

// Jump moves the cursor by a number of lines, such as half a page.
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
	if s.Cursor == before { // the row has several lines: go to the next row
		s.Move(src, dir)
	}
	s.clamp(src, s.Height)
}

// Seek moves the cursor to the next problem in a direction. It reports false if there is none.
func (s *List) Seek(src Problems, dir int) bool { return s.seek(src, s.Cursor+dir, dir) }

// SeekAround moves the cursor to the first problem from the other end of the list. It reports
// whether the cursor moved.
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

// Click moves the cursor to the row at a visible line.
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

// Draw returns the visible lines. The selected row has another background and a mark.
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

// Groups are the lines of a list with groups. A group has a heading and its rows, unless it is
// folded. A list embeds Groups, and draws the lines itself.
type Groups []Group

// Group is the number of rows in a group. Folded: its rows are hidden. Bare: it has no heading.
type Group struct {
	Rows   int
	Folded bool
	Bare   bool
}

// heads returns the number of lines of a group's heading.
func (g Group) heads() int {
	if g.Bare {
		return 0
	}
	return 1
}

// Grouped is Groups together with the values that the groups show.
type Grouped[G any] struct {
	Groups
	All []G
}

// GroupsOf makes Grouped. of returns the group of a value.
func GroupsOf[G any](all []G, of func(G) Group) Grouped[G] {
	out := make(Groups, len(all))
	for n, one := range all {
		out[n] = of(one)
	}
	return Grouped[G]{out, all}
}

// Of returns the group of a line, and the row's index in the group. The index is −1 for the
// heading, or if there is no such line.
func (g Grouped[G]) Of(line int) (group G, place int) {
	n, place, ok := g.At(line)
	if !ok {
		return group, -1
	}
	return g.All[n], place
}

// lines returns the number of visible lines of a group.
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

// Row implements Source: a heading can be selected, too.
func (g Groups) Row(n int) (first, last int, ok bool) { return n, n, true }

// At returns the index of the group of a line, and the row's index in the group. The latter is −1
// for the heading. ok is false if there is no such line.
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

// Folded reports whether the group at a line is folded.
func (g Groups) Folded(line int) bool {
	group, _, ok := g.At(line)
	return ok && g[group].Folded
}

// Line returns the line of a row in a group. It returns the heading's line if place is −1 or the
// group is folded.
func (g Groups) Line(group, place int) int {
	line := g[:group].Len()
	if g[group].Folded {
		return line
	}
	return line + place + g[group].heads()
}

// Number returns the number of the row at a line, from 1, and the number of all rows. A heading
// counts as the first row of its group.
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

// Fold folds or unfolds the group at the cursor. folded has the names of the folded groups, and
// name returns the name of a group.
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

// FoldMark writes the mark before a group's heading.
func FoldMark(l *Line, folded bool) {
	mark := glyphOpen
	if folded {
		mark = GlyphMark
	}
	l.Put(Muted, mark)
	l.Put(Text, " ")
}

// TextRow is a row with a label and its text. Without a label, the text continues the row before.
type TextRow struct {
	Label string
	Text  Span
	Head  bool
}

// TextRows returns the rows of a label and a text of w cells. A text that is empty has none.
func TextRows(label string, k Style, text string, w int) []TextRow {
	if text == "" {
		return nil
	}
	var rows []TextRow
	for _, row := range Wrap(text, w) {
		rows = append(rows, TextRow{Label: label, Text: k.Of(row)})
		label = ""
	}
	return rows
}

// TextList is a list of texts. The texts begin at Column.
type TextList struct {
	Rows   []TextRow
	Column int
}

// Len implements Source.
func (s TextList) Len() int { return len(s.Rows) }

// Row implements Source: a heading cannot be selected.
func (s TextList) Row(n int) (int, int, bool) { return n, n, !s.Rows[n].Head }

// Draw implements Source.
func (s TextList) Draw(l *Line, n int, _ bool) { s.Rows[n].Draw(l, s.Column) }

// Draw writes the row. Its text begins at a column.
func (r TextRow) Draw(l *Line, column int) {
	if r.Head {
		l.Put(Muted, r.Label)
		return
	}
	l.Words(Muted, r.Label, column-l.At-1)
	l.To(column)
	l.Put(r.Text.Style, r.Text.Text)
}
