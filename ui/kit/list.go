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

// Follow selects the row that Hold remembered, or its replacement. If there is neither, Follow selects no
// row, so that the next key press does not act on a neighbouring row.
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
