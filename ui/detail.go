package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/safe"
)

// doc is a block of rows that are read, not chosen from: a detail, a dialog's
// text. What does not fit its height is left away.
type doc struct {
	st     *styles
	width  int
	height int
	ground ground
	quiet  bool
	lines  []string
}

func newDoc(st *styles, width, height int) *doc {
	return &doc{st: st, width: width, height: height}
}

// row writes one row.
func (d *doc) row(write func(l *line)) {
	if len(d.lines) >= d.height {
		return
	}
	l := newLine(d.st, d.width, d.ground)
	l.quiet = d.quiet
	if write != nil {
		write(l)
	}
	d.lines = append(d.lines, l.done())
}

func (d *doc) gap() { d.row(nil) }

// span is words in one look.
type span struct {
	look look
	text string
}

// para writes words, broken into rows, from column col on.
func (d *doc) para(col int, k look, text string) {
	for _, row := range wrap(text, d.width-col-1) {
		d.row(func(l *line) {
			l.to(col)
			l.put(k, row)
		})
	}
}

// head writes a heading.
func (d *doc) head(col int, text string) {
	d.row(func(l *line) {
		l.to(col)
		l.put(asMuted, text)
	})
}

// fact writes a label and what it says: words in their looks, cut at the end.
func (d *doc) fact(label string, said ...span) {
	d.row(func(l *line) {
		l.to(3)
		l.put(asMuted, label)
		l.to(13)
		for _, s := range said {
			l.words(s.look, s.text, l.width-l.at-1)
		}
	})
}

// filled is the block's rows, filled up to its height.
func (d *doc) filled() []string {
	for len(d.lines) < d.height {
		d.row(nil)
	}
	return d.lines
}

// wrap breaks a text into rows of at most w cells, at spaces where it can.
func wrap(text string, w int) []string {
	if w < 4 {
		return nil
	}
	return strings.Split(ansi.Wrap(safe.Text(text), w, " "), "\n")
}

// branch writes the attributes of a tree: a name each, and its value.
func (d *doc) branch(col int, names []string, value func(n int) span) {
	wide := 0
	for _, name := range names {
		wide = max(wide, min(cells(safe.Text(name)), 14))
	}
	for n, name := range names {
		d.row(func(l *line) {
			l.to(col)
			l.put(asFaint, treeGlyph(n, len(names)))
			l.put(asText, " ")
			l.fit(asMuted, name, wide)
			l.to(col + 2 + wide + 2)
			v := value(n)
			l.fit(v.look, v.text, l.width-l.at-1)
		})
	}
}

func treeGlyph(n, of int) string {
	if n == of-1 {
		return treeLast
	}
	return treeNext
}
