package ui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// boxWidth is the width of a dialog.
const boxWidth = 66

// weight says what of a dialog gives way first where the window is low.
type weight int

const (
	must  weight = iota
	plain        // a fact
	note         // a remark
	gap          // an empty row
)

// box is a dialog's picture while it is written: rows between borders.
type box struct {
	st    *styles
	width int
	frame look   // the border
	title []span // in the border
	rows  []boxRow
	// buttons are where they stand, by their index in order, for the mouse.
	buttons []buttonArea
}

type boxRow struct {
	text   string
	weight weight
	button []buttonArea
}

type buttonArea struct{ index, from, to, row int }

func newBox(st *styles, screen int, frame look, title ...span) *box {
	return &box{st: st, width: min(boxWidth, screen-2), frame: frame, title: title}
}

// inner is how many cells there are between the borders' spaces.
func (b *box) inner() int { return b.width - 2 }

func (b *box) row(w weight, write func(l *line)) {
	l := newLine(b.st, b.inner(), base)
	if write != nil {
		write(l)
	}
	b.rows = append(b.rows, boxRow{text: l.done(), weight: w})
}

func (b *box) gap() { b.row(gap, nil) }

// para writes words from column 2 on.
func (b *box) para(w weight, k look, text string) {
	for _, r := range wrap(text, b.inner()-4) {
		b.row(w, func(l *line) {
			l.to(2)
			l.put(k, r)
		})
	}
}

// fact writes a label and what it says, over several rows where that is long.
func (b *box) fact(w weight, label string, k look, text string) {
	for n, r := range wrap(text, b.inner()-14) {
		b.row(w, func(l *line) {
			l.to(2)
			if n == 0 {
				l.put(asMuted, label)
			}
			l.to(12)
			l.put(k, r)
		})
	}
}

// inputRow writes a label, a field of w cells, and a remark.
func (b *box) inputRow(label string, in *input, ghost string, focus bool, w int, remark string) {
	b.row(must, func(l *line) {
		l.to(2)
		l.put(asMuted, label)
		l.to(12)
		w := min(w, b.inner()-14)
		l.on(field)
		l.put(asText, " ")
		in.draw(l, asText, w-2, ghost, focus)
		l.put(asText, " ")
		l.on(base)
		l.put(asText, "  ")
		l.words(asMuted, remark, b.inner()-l.at-1)
	})
}

// choices writes a row of buttons; on is the one with the focus, dead those that
// cannot be pressed.
func (b *box) choices(words []string, on int, dead func(n int) bool) {
	var areas []buttonArea
	l := newLine(b.st, b.inner(), base)
	need := 0
	for _, w := range words {
		need += cells(w) + 5 + 2
	}
	start := 12
	if start+need > b.inner() {
		start = 2
	}
	l.to(start)
	for n, w := range words {
		from := l.at
		if n == len(words)-1 && start+need > b.inner()+1 { // a number is never cut: the sentence says it
			w, _, _ = strings.Cut(w, " to ")
		}
		k, g := asText, field
		mark := "   "
		switch {
		case n == on:
			g, k, mark = button, asBold, " "+glyphMark+" "
		case dead != nil && dead(n):
			k = asFaint
		}
		l.on(g)
		l.put(k, mark+w+"  ")
		l.on(base)
		areas = append(areas, buttonArea{index: n, from: from + 1, to: l.at + 1})
		l.put(asText, "  ")
	}
	b.rows = append(b.rows, boxRow{text: l.done(), weight: must, button: areas})
}

// choice writes one button in a row of its own.
func (b *box) choice(index int, word string, on, dead bool) {
	l := newLine(b.st, b.inner(), base)
	l.to(2)
	from := l.at
	k, g, mark := asText, field, "   "
	switch {
	case on:
		g, k, mark = button, asBold, " "+glyphMark+" "
	case dead:
		k = asFaint
	}
	l.on(g)
	l.words(k, mark+word+"  ", b.inner()-l.at-2)
	l.on(base)
	b.rows = append(b.rows, boxRow{text: l.done(), weight: must, button: []buttonArea{{index: index, from: from + 1, to: l.at + 1}}})
}

// hints writes what can be pressed. Where there is no room for all, those before
// the last, which leaves, give way.
func (b *box) hints(hints ...hint) {
	hints = present(hints)
	for len(hints) > 1 && hintsWidth(hints) > b.inner()-4 {
		hints = append(hints[:len(hints)-2], hints[len(hints)-1])
	}
	b.row(must, func(l *line) {
		l.to(2)
		writeHints(l, hints)
	})
}

// render draws the borders around the rows, leaving away what the window has no
// room for: gaps first, then remarks, then facts.
func (b *box) render(height int) []string {
	rows := slices.Clone(b.rows)
	for n := 0; n < len(rows) && len(rows)+2 > height; { // those above first: the buttons stay apart
		if rows[n].weight == gap {
			rows = slices.Delete(rows, n, n+1)
		} else {
			n++
		}
	}
	for _, w := range []weight{note, plain} {
		for n := len(rows) - 1; n >= 0 && len(rows)+2 > height; n-- {
			if rows[n].weight == w {
				rows = append(rows[:n:n], rows[n+1:]...)
			}
		}
	}
	tl, tr, bl, br := "╭", "╮", "╰", "╯"
	top := newLine(b.st, b.width, base)
	top.put(b.frame, tl+ruleThin+" ")
	for _, s := range b.title {
		top.words(s.look, s.text, b.width-top.at-3)
	}
	top.put(b.frame, " ")
	top.run(b.frame, ruleThin, b.width-1-top.at)
	top.put(b.frame, tr)
	side := newLine(b.st, 1, base)
	side.put(b.frame, wall)
	edge := side.done()
	out := []string{top.done()}
	b.buttons = b.buttons[:0]
	for n, r := range rows {
		for _, a := range r.button {
			a.row = n + 1
			b.buttons = append(b.buttons, a)
		}
		out = append(out, edge+r.text+edge)
	}
	bottom := newLine(b.st, b.width, base)
	bottom.put(b.frame, bl)
	bottom.run(b.frame, ruleThin, b.width-2)
	bottom.put(b.frame, br)
	return append(out, bottom.done())
}

// overlay puts a box over the middle of a screen, under its header.
func overlay(screen, box []string, w, h int) (out string, x, y int) {
	text := strings.Join(box, "\n")
	x = max((w-lipgloss.Width(text))/2, 0)
	y = max((h-len(box)-1)/2, 1)
	return lipgloss.NewCanvas(w, h).Compose(lipgloss.NewCompositor(
		lipgloss.NewLayer(strings.Join(screen, "\n")),
		lipgloss.NewLayer(text).X(x).Y(y).Z(1).ID("dialog"),
	)).Render(), x, y
}
