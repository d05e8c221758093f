package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/safe"
)

// line writes one row of the screen from left to right. Everything that reaches
// the terminal goes through it, and it sanitises everything: no caller has to
// remember where a text came from.
type line struct {
	st     *styles
	ground ground
	width  int  // cells there are
	at     int  // cells written
	quiet  bool // what is shown is old: everything is muted
	lacks  bool // something was cut
	open   string
	out    strings.Builder
}

func newLine(st *styles, width int, g ground) *line {
	l := &line{st: st, ground: g, width: width}
	l.out.Grow(4 * width)
	return l
}

// put writes words. What does not fit is left away.
func (l *line) put(k look, s string) {
	s, spans := safe.Spans(s)
	l.write(k, s, spans, l.width-l.at, l.st.ascii)
}

// value writes a text from a table, in which spaces at the end are shown.
func (l *line) value(k look, s string) {
	s, spans := safe.Value(s)
	l.write(k, s, spans, l.width-l.at, false)
}

// fit writes a value into at most w cells and marks where it was cut.
func (l *line) fit(k look, s string, w int) {
	s, spans := safe.Value(s)
	l.write(k, s, spans, min(w, l.width-l.at), false)
}

// words writes words into at most w cells and marks where they were cut.
func (l *line) words(k look, s string, w int) {
	s, spans := safe.Spans(s)
	l.write(k, s, spans, min(w, l.width-l.at), l.st.ascii)
}

// typed writes a text that is being typed: a value whose spaces are the
// typist's own.
func (l *line) typed(k look, s string, w int) {
	s, spans := safe.Spans(s)
	l.write(k, s, spans, min(w, l.width-l.at), false)
}

// middle writes an id into at most w cells, cut in its middle: both ends tell
// ids apart.
func (l *line) middle(k look, s string, w int) {
	s = safe.Text(s)
	l.write(k, cutMiddle(s, w, l.st.cut), nil, min(w, l.width-l.at), false)
}

// ends writes words so that they end before column col.
func (l *line) ends(k look, s string, col int) {
	l.to(col - cells(safe.Text(s)))
	l.put(k, s)
}

// to writes spaces up to a column.
func (l *line) to(col int) {
	if n := min(col, l.width) - l.at; n > 0 {
		l.set(l.sgr(asText))
		l.out.WriteString(spaces(n))
		l.at += n
	}
}

// run writes n times a glyph of one cell.
func (l *line) run(k look, glyph string, n int) {
	if n = min(n, l.width-l.at); n <= 0 {
		return
	}
	if l.st.ascii {
		glyph = toASCII(glyph)
	}
	l.set(l.sgr(k))
	for range n {
		l.out.WriteString(glyph)
	}
	l.at += n
}

// on changes the ground from here on.
func (l *line) on(g ground) { l.ground = g }

// done is the finished row, filled to its width.
func (l *line) done() string {
	l.to(l.width)
	l.set("")
	return l.out.String()
}

// write writes sanitised text. plain asks for our own glyphs in ASCII; a value
// stays what it is.
func (l *line) write(k look, s string, escapes []safe.Span, room int, plain bool) {
	if s == "" || room <= 0 {
		l.lacks = l.lacks || strings.TrimSpace(s) != ""
		return
	}
	w := cells(s)
	cut := ""
	if w > room {
		l.lacks = true
		cut = l.st.cut
		if room <= len(l.st.cut) && l.st.ascii {
			cut = ""
		}
		s = ansi.Truncate(s, room, cut)
		s = strings.TrimSuffix(s, cut)
		w = cells(s) + cells(cut)
	}
	from := 0
	for _, e := range escapes {
		if e.From >= len(s) {
			break
		}
		l.chunk(k, s[from:e.From], plain)
		end := min(e.To, len(s))
		l.chunk(k&^0xf|asOther, s[e.From:end], l.st.ascii)
		from = end
	}
	l.chunk(k, s[from:], plain)
	l.chunk(k, cut, false)
	l.at += w
}

func (l *line) chunk(k look, s string, plain bool) {
	if s == "" {
		return
	}
	if plain {
		s = toASCII(s)
	}
	l.set(l.sgr(k))
	l.out.WriteString(s)
}

func (l *line) sgr(k look) string {
	if l.quiet {
		k = k&italic | asMuted
	}
	return l.st.sgr[l.ground][k]
}

func (l *line) set(sgr string) {
	if sgr == l.open {
		return
	}
	if l.open != "" {
		l.out.WriteString(ansi.ResetStyle)
	}
	l.out.WriteString(sgr)
	l.open = sgr
}

// cells is how wide a sanitised text is.
func cells(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// cutMiddle shortens a sanitised text to w cells and keeps both of its ends.
func cutMiddle(s string, w int, mark string) string {
	have := cells(s)
	if have <= w {
		return s
	}
	room := w - cells(mark)
	if room < 2 {
		return ansi.Truncate(s, max(w, 0), "")
	}
	tail := room * 2 / 5
	return ansi.Truncate(s, room-tail, "") + mark + ansi.TruncateLeft(s, have-tail, "")
}

const blank = "                                                                                "

func spaces(n int) string {
	if n <= len(blank) {
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}

// cellsShown is how wide a value is once it is sanitised.
func cellsShown(s string) int {
	out, _ := safe.Value(s)
	return cells(out)
}
