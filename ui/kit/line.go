package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/safe"
)

// Line writes one row of the screen from left to right. Everything on the screen goes through a
// Line, which sanitises it. So no caller needs to remember where a text comes from.
type Line struct {
	st     *Styles
	ground Ground
	Width  int  // the width of the row
	At     int  // the number of cells written so far
	quiet  bool // the data is old, so everything is muted
	lacks  bool // a text was cut
	open   string
	out    strings.Builder
}

// NewLine begins a row of this width.
func NewLine(st *Styles, width int, g Ground) *Line {
	l := &Line{st: st, ground: g, Width: width}
	l.out.Grow(4 * width)
	return l
}

// Quieten mutes everything that follows, since the data is old.
func (l *Line) Quieten() { l.quiet = true }

// Put writes words. It drops the end if it does not fit.
func (l *Line) Put(k Style, s string) {
	s, spans := l.st.words(s)
	l.write(k, s, spans, l.Width-l.At)
}

// Fit writes a text from a table into at most w cells, and marks a cut. It makes spaces at the end visible.
func (l *Line) Fit(k Style, s string, w int) {
	s, spans := l.st.value(s)
	l.write(k, s, spans, min(w, l.Width-l.At))
}

// Words writes words into at most w cells, and marks a cut.
func (l *Line) Words(k Style, s string, w int) {
	s, spans := l.st.words(s)
	l.write(k, s, spans, min(w, l.Width-l.At))
}

// sentence works like Words, but cuts between two words if enough of the text stays.
func (l *Line) sentence(k Style, s string, w int) {
	room := min(w, l.Width-l.At)
	if s == safe.Text(s) && Width(s) > room && room > 4 {
		whole := ansi.Truncate(s, room-Width(l.st.Cut), "")
		if at := strings.LastIndexByte(whole, ' '); at > room*2/3 {
			l.lacks = true
			s = strings.TrimRight(whole[:at], " ,;:") + " " + l.st.Cut
		}
	}
	l.Words(k, s, w)
}

// typed writes a text that a person is typing. Its spaces look like spaces.
func (l *Line) typed(k Style, s string, w int) {
	s, spans := l.st.typed(s)
	l.write(k, s, spans, min(w, l.Width-l.At))
}

// Middle writes an id into at most w cells. It cuts the middle out, since ids differ at their ends.
func (l *Line) Middle(k Style, s string, w int) {
	s, spans := l.st.value(s)
	if Width(s) > w {
		s, spans = CutMiddle(s, w, l.st.Cut), nil
	}
	l.write(k, s, spans, min(w, l.Width-l.At))
}

// Ends writes words that end before column col.
func (l *Line) Ends(k Style, s string, col int) {
	l.To(col - Width(safe.Text(s)))
	l.Put(k, s)
}

// EndsIn writes words that end before column end. If they are too long, they begin at column from.
func (l *Line) EndsIn(k Style, s string, from, end int) {
	l.To(max(end-Width(s), from))
	l.Words(k, s, end-l.At)
}

// To writes spaces up to column col.
func (l *Line) To(col int) {
	if n := min(col, l.Width) - l.At; n > 0 {
		l.set(l.sgr(Text))
		l.out.WriteString(Spaces(n))
		l.At += n
	}
}

// Run writes a glyph of one cell n times.
func (l *Line) Run(k Style, glyph string, n int) {
	if n = min(n, l.Width-l.At); n <= 0 {
		return
	}
	if l.st.ascii {
		glyph, _ = ASCII(glyph)
	}
	l.set(l.sgr(k))
	for range n {
		l.out.WriteString(glyph)
	}
	l.At += n
}

// On changes the background of everything that follows.
func (l *Line) On(g Ground) { l.ground = g }

// Done returns the finished row, with spaces up to its width.
func (l *Line) Done() string {
	l.To(l.Width)
	l.set("")
	return l.out.String()
}

// write writes a sanitised text. escapes are the escapes in it.
func (l *Line) write(k Style, s string, escapes []safe.Span, room int) {
	if s == "" || room <= 0 {
		l.lacks = l.lacks || strings.TrimSpace(s) != ""
		return
	}
	w := Width(s)
	cut := ""
	if w > room {
		l.lacks = true
		cut = l.st.Cut
		if room <= len(l.st.Cut) && l.st.ascii {
			cut = ""
		}
		s = ansi.Truncate(s, room, cut)
		s = strings.TrimSuffix(s, cut)
		w = Width(s) + Width(cut)
	}
	from := 0
	for _, e := range escapes {
		if e.From >= len(s) {
			break
		}
		l.chunk(k, s[from:e.From])
		end := min(e.To, len(s))
		l.chunk(k&^0xf|Other, s[e.From:end])
		from = end
	}
	l.chunk(k, s[from:])
	l.chunk(k, cut)
	l.At += w
}

func (l *Line) chunk(k Style, s string) {
	if s == "" {
		return
	}
	l.set(l.sgr(k))
	l.out.WriteString(s)
}

func (l *Line) sgr(k Style) string {
	if l.quiet {
		k = k&italic | Muted
	}
	return l.st.sequences[l.ground][k]
}

func (l *Line) set(sgr string) {
	if sgr == l.open {
		return
	}
	if l.open != "" {
		l.out.WriteString(ansi.ResetStyle)
	}
	l.out.WriteString(sgr)
	l.open = sgr
}

// Width returns how many cells a sanitised text needs.
func Width(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// CutMiddle shortens a sanitised text to w cells. It keeps both ends.
func CutMiddle(s string, w int, mark string) string {
	have := Width(s)
	if have <= w {
		return s
	}
	room := w - Width(mark)
	if room < 2 {
		return ansi.Truncate(s, max(w, 0), "")
	}
	tail := room * 2 / 5
	return ansi.Truncate(s, room-tail, "") + mark + ansi.TruncateLeft(s, have-tail, "")
}

const blank = "                                                                                "

// Spaces returns n spaces.
func Spaces(n int) string {
	if n <= len(blank) {
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}

// ValueWidth returns how many cells a value needs after it is sanitised.
func ValueWidth(s string) int {
	out, _ := safe.Value(s)
	return Width(out)
}

// Bar draws a progress bar. part is the finished part, from 0 to 1.
func (l *Line) Bar(part float64, width int) {
	done := int(part * float64(width))
	l.Run(Accent, RuleHeavy, min(max(done, 0), width))
	l.Run(Faint, RuleThin, width-max(done, 0))
}

// Hint is a key and its action, in one to three words.
type Hint struct{ Key, Words string }

// WithKeys returns the hints that have a key.
func WithKeys(hints []Hint) []Hint {
	var out []Hint
	for _, h := range hints {
		if h.Key != "" {
			out = append(out, h)
		}
	}
	return out
}

// HintsWidth returns how many cells hints need in one row.
func HintsWidth(hints []Hint) int {
	w := 0
	for n, h := range hints {
		if n > 0 {
			w += 3
		}
		w += Width(h.Key) + 1 + Width(h.Words)
	}
	return w
}

// Keys writes one row for each key with its action, from column col.
func (d *Block) Keys(col int, hints ...Hint) {
	hints = WithKeys(hints)
	wide := 0
	for _, h := range hints {
		wide = max(wide, Width(h.Key))
	}
	for _, h := range hints {
		d.Row(func(l *Line) {
			l.To(col)
			l.Put(Key, h.Key)
			l.To(col + wide + 1)
			l.Words(Text, h.Words, l.Width-l.At-1)
		})
	}
}

// HintArea is the place of a hint in its row.
type HintArea struct {
	Key      string
	From, To int
}

// WriteHints writes hints into one row, and returns their places.
func WriteHints(l *Line, hints []Hint) []HintArea {
	var out []HintArea
	for n, h := range hints {
		if n > 0 {
			l.Put(Text, "   ")
		}
		from := l.At
		l.Put(Key, h.Key)
		l.Put(Muted, " "+h.Words)
		out = append(out, HintArea{h.Key, from, l.At})
	}
	return out
}
