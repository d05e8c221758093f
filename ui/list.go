package ui

import "strings"

// source is the rows that a list shows. Only the rows on screen are ever asked
// for, so a million cost what twenty do.
type source interface {
	// Len is the number of lines.
	Len() int
	// Row tells which lines are one row with line n. ok is false for a line that
	// cannot be selected: a heading, a gap.
	Row(n int) (first, last int, ok bool)
	// Draw writes line n, from column 2 on.
	Draw(l *line, n int, selected bool)
}

// problems is a source that knows which of its lines are broken.
type problems interface {
	source
	Problem(n int) bool
}

// markable is a source whose rows can be marked.
type markable interface{ Marked(n int) bool }

// named is a source whose rows can be told apart after they were read again.
type named interface {
	source
	// Name is what stays of a row. One that begins with another's is the same row, of
	// which more is known.
	Name(n int) string
}

// list is a window on a source: where the cursor is and which line is on top.
type list struct {
	cursor, top, height int
	// lost: what was selected is not among the rows any more, or not yet. Nothing is
	// selected then, until the cursor is moved.
	lost bool
	name string // of what was selected
	at   int    // the line that it was on
}

// hold remembers what is selected, before the rows are read again.
func (s *list) hold(rows source) {
	src, ok := rows.(named)
	if !ok || s.lost || s.cursor < 0 || s.cursor >= src.Len() {
		return
	}
	s.name, s.at = src.Name(s.cursor), s.cursor
}

// follow puts the cursor on what hold remembered: its neighbour is not what the next
// key is meant for.
func (s *list) follow(rows source) {
	src, ok := rows.(named)
	if !ok || s.name == "" {
		return
	}
	is := func(n int) bool { return n < src.Len() && strings.HasPrefix(src.Name(n), s.name) }
	if s.lost = false; is(s.cursor) {
		return
	}
	for n := range src.Len() {
		if is(n) {
			s.cursor = n
			return
		}
	}
	s.lost = true
}

// put puts the cursor on a line.
func (s *list) put(n int) { s.cursor, s.lost, s.name = n, false, "" }

// found makes an end of nothing being selected, and reports whether that was so.
func (s *list) found() bool {
	lost := s.lost
	s.lost, s.name = false, ""
	return lost
}

// number is that of the selected row, from 1; 0 where nothing is selected.
func (s *list) number() int {
	if s.lost {
		return 0
	}
	return s.cursor + 1
}

// gone says that nothing is selected, where that is so.
func (s *list) gone(d *doc) {
	if s.lost {
		d.para(1, asMuted, "What was selected is not among these rows any more, or has not been read again yet. Nothing is selected.")
	}
}

// clamp keeps the cursor on a row and the row in the window.
func (s *list) clamp(src source, height int) {
	s.height = max(height, 1)
	n := src.Len()
	s.cursor = max(min(s.cursor, n-1), 0)
	if n == 0 {
		s.top = 0
		return
	}
	s.cursor = nearest(src, s.cursor, 1)
	first, last, ok := src.Row(s.cursor)
	if !ok {
		first, last = s.cursor, s.cursor
	}
	if first < s.top {
		s.top = first
		if s.top <= 2 && s.noneAbove(src) { // headings above the first row come back into view
			s.top = 0
		}
	}
	if last >= s.top+s.height {
		s.top = last - s.height + 1
	}
	s.top = max(min(s.top, n-s.height), 0)
}

func (s *list) noneAbove(src source) bool {
	for n := range s.top {
		if _, _, ok := src.Row(n); ok {
			return false
		}
	}
	return true
}

// nearest is the row at line n or the next one in a direction; where there is
// none, the next one the other way.
func nearest(src source, n, dir int) int {
	for _, d := range [2]int{dir, -dir} {
		for at := n; at >= 0 && at < src.Len(); at += d {
			if first, _, ok := src.Row(at); ok {
				return first
			}
		}
	}
	return n
}

// move moves the cursor by rows.
func (s *list) move(src source, by int) {
	if src.Len() == 0 {
		return
	}
	if s.found() { // where it was is shown first
		s.clamp(src, s.height)
		return
	}
	dir := 1
	if by < 0 {
		dir, by = -1, -by
	}
	s.cursor = max(min(s.cursor, src.Len()-1), 0) // the rows may have become fewer
	for range by {
		first, last, ok := src.Row(s.cursor)
		if !ok {
			first, last = s.cursor, s.cursor
		}
		at := last + 1
		if dir < 0 {
			at = first - 1
		}
		for at >= 0 && at < src.Len() {
			if f, _, ok := src.Row(at); ok {
				s.cursor = f
				break
			}
			at += dir
		}
	}
	s.clamp(src, s.height)
}

// jump moves the cursor by lines: half a page, a page, to an end.
func (s *list) jump(src source, by int) {
	if src.Len() == 0 {
		return
	}
	s.found()
	dir := 1
	if by < 0 {
		dir = -1
	}
	before := s.cursor
	s.cursor = nearest(src, max(min(s.cursor+by, src.Len()-1), 0), dir)
	if s.cursor == before { // a row of several lines: on to the next
		s.move(src, dir)
	}
	s.clamp(src, s.height)
}

// seek moves the cursor to the next problem in a direction and reports whether
// there is one.
func (s *list) seek(src problems, dir int) bool {
	for at := s.cursor + dir; at >= 0 && at < src.Len(); at += dir {
		if src.Problem(at) {
			s.put(at)
			s.clamp(src, s.height)
			return true
		}
	}
	return false
}

// click puts the cursor on the row at a line of the window.
func (s *list) click(src source, line int) bool {
	at := s.top + line
	if line < 0 || line >= s.height || at >= src.Len() {
		return false
	}
	first, _, ok := src.Row(at)
	if ok {
		s.put(first)
		s.clamp(src, s.height)
	}
	return ok
}

// draw writes the window's lines: the selected row has a ground and a mark.
func (s *list) draw(st *styles, src source, width, height int, plain, sel ground, quiet bool) []string {
	s.clamp(src, height)
	out := make([]string, 0, height)
	first, last := -1, -1
	if src.Len() > 0 && !s.lost {
		if f, l, ok := src.Row(s.cursor); ok {
			first, last = f, l
		}
	}
	for n := s.top; n < min(s.top+height, src.Len()); n++ {
		selected := n >= first && n <= last
		g := plain
		if selected {
			g = sel
		}
		l := newLine(st, width, g)
		l.quiet = quiet
		if n == first {
			l.put(asAccent, glyphMark)
		}
		if m, ok := src.(markable); ok && m.Marked(n) {
			l.put(asAccent, glyphMarked)
		}
		l.to(2)
		src.Draw(l, n, selected)
		out = append(out, l.done())
	}
	for len(out) < height {
		out = append(out, spaces(width))
	}
	return out
}
