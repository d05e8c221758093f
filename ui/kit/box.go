package kit

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// BoxWidth is the greatest width of a dialog.
const BoxWidth = 66

// Weight says which rows of a dialog are dropped first if the window is low: empty rows, then
// notes. If that is not enough, the dialog scrolls.
type Weight int

// The weights.
const (
	Must Weight = iota // the row is never dropped
	Note               // a remark that can be dropped
	gap                // an empty row
)

// Box is a dialog while it is written: rows inside a border.
type Box struct {
	st    *Styles
	Width int
	frame Style  // the style of the border
	Title []Span // the text in the upper border
	rows  []boxRow
	// Top is the first visible row if the box scrolls. Below 0, the box scrolls to the row with the
	// focus.
	Top int
	// Areas are the places of the buttons, for the mouse. Over counts the rows that do not fit.
	// Render sets both.
	Areas []ButtonArea
	Over  int
	// Away: the row with the focus is scrolled out of view.
	Away bool
}

type boxRow struct {
	text   string
	weight Weight
	button []ButtonArea
	focus  bool // the field or button that takes the next key
	stays  bool // the row does not scroll
}

// ButtonArea is the place of a button: the cells from From to before To of a row.
type ButtonArea struct{ Index, From, To, Row int }

// NewBox begins a dialog. screen is the width of the screen.
func NewBox(st *Styles, screen int, frame Style, title ...Span) *Box {
	return &Box{st: st, Width: min(BoxWidth, screen-2), frame: frame, Title: title, Top: -1}
}

// Inner is the number of cells between the borders.
func (b *Box) Inner() int { return b.Width - 2 }

// Row writes a row.
func (b *Box) Row(w Weight, write func(l *Line)) {
	l := NewLine(b.st, b.Inner(), Base)
	if write != nil {
		write(l)
	}
	b.rows = append(b.rows, boxRow{text: l.Done(), weight: w})
}

// Len returns the number of rows so far.
func (b *Box) Len() int { return len(b.rows) }

// Gap writes an empty row.
func (b *Box) Gap() { b.Row(gap, nil) }

// Para writes a paragraph, from column 2.
func (b *Box) Para(w Weight, k Style, text string) {
	for _, r := range Wrap(text, b.Inner()-4) {
		b.Row(w, func(l *Line) {
			l.To(2)
			l.Put(k, r)
		})
	}
}

// Fact writes a label and its text, over several rows if needed.
func (b *Box) Fact(w Weight, label string, k Style, text string) {
	longFact(func(write func(l *Line)) { b.Row(w, write) }, b.Inner()-2, 2, label, k, text)
}

// InputRow writes a label, a field of w cells, and a remark. focus: the field has the focus.
func (b *Box) InputRow(label string, in *Field, placeholder string, focus bool, w int, remark string) {
	b.Row(Must, func(l *Line) {
		l.To(2)
		l.Put(Muted, label)
		l.To(11) // the text inside the field begins where other values do
		w := min(w, b.Inner()-13)
		l.On(Unfocused)
		l.Put(Text, " ")
		in.Draw(l, Text, w-2, placeholder, focus)
		l.Put(Text, " ")
		l.On(Base)
		l.Put(Text, "  ")
		l.Words(Muted, remark, b.Inner()-l.At-1)
	})
	row := &b.rows[len(b.rows)-1]
	row.focus, row.stays = focus, true
}

// Buttons writes a row of buttons. on is the button with the focus. dead reports whether a button
// is disabled.
func (b *Box) Buttons(words []string, on int, dead func(n int) bool) {
	var areas []ButtonArea
	l := NewLine(b.st, b.Inner(), Base)
	need := 0
	for _, w := range words {
		need += Width(w) + 5 + 2
	}
	start := 12
	if start+need > b.Inner() {
		start = 2
	}
	l.To(start)
	for n, w := range words {
		if n == len(words)-1 && start+need > b.Inner()+1 { // leave out the number, which the sentence shows
			w, _, _ = strings.Cut(w, " to ")
		}
		areas = append(areas, button(l, n, w, l.Width, n == on, dead != nil && dead(n)))
		l.Put(Text, "  ")
	}
	b.rows = append(b.rows, boxRow{text: l.Done(), weight: Must, button: areas, focus: on >= 0, stays: true})
}

// Button writes a row with one button. on: it has the focus. dead: it is disabled.
func (b *Box) Button(index int, word string, on, dead bool) {
	l := NewLine(b.st, b.Inner(), Base)
	l.To(2)
	area := button(l, index, word, l.Width-2, on, dead)
	b.rows = append(b.rows, boxRow{text: l.Done(), weight: Must, button: []ButtonArea{area}, focus: on})
}

// button writes a button, at most up to column end, and returns its place.
func button(l *Line, index int, word string, end int, on, dead bool) ButtonArea {
	from, k, g, mark := l.At, Text, Unfocused, "   "
	switch {
	case on:
		g, k, mark = Focused, Heading, " "+GlyphMark+" "
	case dead:
		k, g = Faint, Disabled
	}
	l.On(g)
	l.Words(k, mark+word+"  ", end-l.At)
	l.On(Base)
	return ButtonArea{Index: index, From: from + 1, To: l.At + 1}
}

// Hints writes the keys and their actions. If there are too many, it drops hints from the end, but
// keeps the last one, which closes the dialog.
func (b *Box) Hints(hints ...Hint) {
	hints = WithKeys(hints)
	for len(hints) > 1 && HintsWidth(hints) > b.Inner()-4 {
		hints = append(hints[:len(hints)-2], hints[len(hints)-1])
	}
	b.Row(Must, func(l *Line) {
		l.To(2)
		WriteHints(l, hints)
	})
}

// Timed writes a label and its text, with a time at the end of the row.
func (b *Box) Timed(label, text, at string) {
	b.Row(Must, func(l *Line) {
		l.To(2)
		l.Put(Muted, label)
		l.To(12)
		l.Words(Text, text, b.Inner()-12-len(at)-4)
		l.Ends(Muted, at, b.Inner()-2)
	})
}

// Render returns the rows with borders. If the window is low, it drops empty rows and then notes.
// If that is not enough, the rows scroll, but the title, the fields, the buttons and the hints
// stay.
func (b *Box) Render(height int) []string {
	room := max(height-2, 1)
	rows := b.shown(room)
	above, below := 0, 0
	if b.Over = max(len(rows)-room, 0); b.Over > 0 {
		last := pinned(rows)
		body, tail := rows[:last], rows[last:]
		page := max(room-len(tail), 1)
		b.Over = max(len(body)-page, 0)
		b.Top = max(min(b.first(body, page), b.Over), 0)
		above, below = b.Top, b.Over-b.Top
		at := focused(body)
		b.Away = at >= 0 && (at < b.Top || at >= b.Top+page)
		rows = slices.Concat(body[b.Top:min(b.Top+page, len(body))], tail)
	}
	top := NewLine(b.st, b.Width, Base)
	top.Put(b.frame, "╭"+RuleThin+" ")
	for _, s := range b.Title {
		top.Words(s.Style, s.Text, b.Width-top.At-3)
	}
	top.Put(b.frame, " ")
	top.Run(b.frame, RuleThin, b.Width-1-top.At)
	top.Put(b.frame, "╮")
	side := NewLine(b.st, 1, Base)
	side.Put(b.frame, Wall)
	edge := side.Done()
	out := []string{top.Done()}
	b.Areas = b.Areas[:0]
	for n, r := range rows {
		for _, a := range r.button {
			a.Row = n + 1
			b.Areas = append(b.Areas, a)
		}
		out = append(out, edge+r.text+edge)
	}
	return append(out, b.bottom(above, below))
}

// shown returns the rows that are not dropped. It drops no more rows than needed. It drops the upper empty rows first,
// so that the buttons stay apart.
func (b *Box) shown(room int) []boxRow {
	rows := slices.Clone(b.rows)
	for n := 0; n < len(rows) && len(rows) > room; {
		if rows[n].weight == gap {
			rows = slices.Delete(rows, n, n+1)
		} else {
			n++
		}
	}
	for n := len(rows) - 1; n >= 0 && len(rows) > room; n-- {
		if rows[n].weight == Note {
			rows = slices.Delete(rows, n, n+1)
		}
	}
	return rows
}

// pinned returns the first row that does not scroll: the fields, the buttons and the hints at the
// end stay.
func pinned(rows []boxRow) int {
	n := len(rows) - 1
	for n > 0 && rows[n-1].stays {
		n--
	}
	return n
}

// first returns the first visible row: Top, or if Top is below 0, a row that makes the focus visible.
func (b *Box) first(rows []boxRow, page int) int {
	if b.Top >= 0 {
		return b.Top
	}
	at := focused(rows)
	if at < page {
		return 0
	}
	return at - page/2
}

// focused returns the index of the row with the focus. It is below 0 if there is none.
func focused(rows []boxRow) int {
	return slices.IndexFunc(rows, func(r boxRow) bool { return r.focus })
}

// Reads reports whether the box has neither a field nor a button with the focus.
func (b *Box) Reads() bool { return focused(b.rows) < 0 }

// bottom returns the lower border. It says how many rows are hidden above and below.
func (b *Box) bottom(above, below int) string {
	l := NewLine(b.st, b.Width, Base)
	l.Put(b.frame, "╰"+RuleThin)
	for _, more := range []struct {
		rows int
		key  string
		says string
	}{{above, "pgup", "above"}, {below, "pgdown", "more"}} {
		if more.rows > 0 {
			l.Put(Key, " "+more.key)
			l.Put(Muted, fmt.Sprintf(" %d %s ", more.rows, more.says))
			l.Put(b.frame, RuleThin)
		}
	}
	l.Run(b.frame, RuleThin, b.Width-1-l.At)
	l.Put(b.frame, "╯")
	return l.Done()
}

// Overlay puts a box into the middle of a screen, below the header. It drops a wide character that the box would cover
// by half. top is the row where the box began in the last frame; 0 if it is new. A box that grows stays at this row as
// long as it fits. x and y are the place where the box begins.
func Overlay(screen, box []string, w, h, top int) (out string, x, y int) {
	wide := lipgloss.Width(strings.Join(box, "\n"))
	x = max((w-wide)/2, 0)
	if y = max((h-len(box)-1)/2, 1); top > 0 {
		y = max(min(top, h-1-len(box)), 1)
	}
	room := max(w-x-wide, 0)
	for n, row := range box[:min(len(box), max(len(screen)-y, 0))] {
		under := screen[y+n]
		left, right := ansi.Truncate(under, x, ""), ansi.TruncateLeft(under, w-room, "")
		if ansi.StringWidth(right) > room {
			right = ansi.TruncateLeft(under, w-room+1, "")
		}
		screen[y+n] = left + Spaces(x-ansi.StringWidth(left)) + row + Spaces(room-ansi.StringWidth(right)) + right
	}
	return strings.Join(screen, "\n"), x, y
}
