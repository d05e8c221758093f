package kit

import (
	"strings"
)

// BoxWidth is the width of a dialog.
const BoxWidth = 66

// Weight says what of a dialog gives way first where the window is low: empty rows, then
// remarks. All else is scrolled.
type Weight int

// The weights.
const (
	Must Weight = iota // never left away
	Note               // a remark
	gap                // an empty row
)

// Box is a dialog's picture while it is written: rows between borders.
type Box struct {
	st    *Styles
	Width int
	frame Style  // the border
	Title []Span // in the border
	rows  []boxRow
	// Top is the first row shown, where not all fit; below 0 the box sees to it that what has
	// the focus is shown.
	Top int
	// Areas are where the buttons stand, once rendered, for the mouse, and Over is how many
	// rows there was no room for.
	Areas []ButtonArea
	Over  int
	// Away: what has the focus was scrolled out of view.
	Away bool
}

type boxRow struct {
	text   string
	weight Weight
	button []ButtonArea
	focus  bool // what is typed or pressed next
	stays  bool // while the rest is scrolled
}

// ButtonArea is the cells of a row that a button takes: from From up to To.
type ButtonArea struct{ Index, From, To, Row int }

// NewBox begins a dialog for a screen of so many columns.
func NewBox(st *Styles, screen int, frame Style, title ...Span) *Box {
	return &Box{st: st, Width: min(BoxWidth, screen-2), frame: frame, Title: title, Top: -1}
}

// Inner is how many cells there are between the borders' spaces.
func (b *Box) Inner() int { return b.Width - 2 }

// Row writes one row.
func (b *Box) Row(w Weight, write func(l *Line)) {
	l := NewLine(b.st, b.Inner(), Base)
	if write != nil {
		write(l)
	}
	b.rows = append(b.rows, boxRow{text: l.Done(), weight: w})
}

// Len is how many rows were written.
func (b *Box) Len() int { return len(b.rows) }

// Gap writes an empty row.
func (b *Box) Gap() { b.Row(gap, nil) }

// Para writes words from column 2 on.
func (b *Box) Para(w Weight, k Style, text string) {
	for _, r := range Wrap(text, b.Inner()-4) {
		b.Row(w, func(l *Line) {
			l.To(2)
			l.Put(k, r)
		})
	}
}

// Fact writes a label and what it says, over several rows where that is long.
func (b *Box) Fact(w Weight, label string, k Style, text string) {
	for n, r := range Wrap(text, b.Inner()-14) {
		b.Row(w, func(l *Line) {
			l.To(2)
			if n == 0 {
				l.Put(Muted, label)
			}
			l.To(12)
			l.Put(k, r)
		})
	}
}

// InputRow writes a label, a field of w cells, and a remark.
func (b *Box) InputRow(label string, in *Field, placeholder string, focus bool, w int, remark string) {
	b.Row(Must, func(l *Line) {
		l.To(2)
		l.Put(Muted, label)
		l.To(12)
		w := min(w, b.Inner()-14)
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

// Buttons writes a row of buttons; on is the one with the focus, dead those that
// cannot be pressed.
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
		if n == len(words)-1 && start+need > b.Inner()+1 { // a number is never cut: the sentence says it
			w, _, _ = strings.Cut(w, " to ")
		}
		areas = append(areas, button(l, n, w, l.Width, n == on, dead != nil && dead(n)))
		l.Put(Text, "  ")
	}
	b.rows = append(b.rows, boxRow{text: l.Done(), weight: Must, button: areas, focus: on >= 0, stays: true})
}

// Button writes one button in a row of its own.
func (b *Box) Button(index int, word string, on, dead bool) {
	l := NewLine(b.st, b.Inner(), Base)
	l.To(2)
	area := button(l, index, word, l.Width-2, on, dead)
	b.rows = append(b.rows, boxRow{text: l.Done(), weight: Must, button: []ButtonArea{area}, focus: on})
}

// button writes a button, up to a column, and returns where it stands.
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

// Hints writes what can be pressed. Where there is no room for all, those before
// the last, which leaves, give way.
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

// Timed is a fact with the time at its end.
func (b *Box) Timed(label, text, at string) {
	b.Row(Must, func(l *Line) {
		l.To(2)
		l.Put(Muted, label)
		l.To(12)
		l.Words(Text, text, b.Inner()-12-len(at)-4)
		l.Ends(Muted, at, b.Inner()-2)
	})
}
