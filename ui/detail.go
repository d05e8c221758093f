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
	whole  bool // nothing is cut: what is long takes more rows
	lacks  bool // something was cut, or left away
}

func newDoc(st *styles, width, height int) *doc {
	return &doc{st: st, width: width, height: height}
}

// row writes one row.
func (d *doc) row(write func(l *line)) {
	if len(d.lines) >= d.height {
		d.lacks = d.lacks || write != nil
		return
	}
	l := newLine(d.st, d.width, d.ground)
	l.quiet = d.quiet
	if write != nil {
		write(l)
		d.lacks = d.lacks || l.lacks
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
	if d.whole {
		d.facts(fact{label, said})
		return
	}
	d.factRow(label, said)
}

func (d *doc) factRow(label string, said []span) {
	d.row(func(l *line) {
		l.to(3)
		l.put(asMuted, label)
		l.to(13)
		for _, s := range said {
			l.words(s.look, s.text, l.width-l.at-1)
		}
	})
}

// fact is a label and what it says.
type fact struct {
	label string
	said  []span
}

// facts writes facts, a row each. Where rows would stay empty below them, the long
// ones run on: the last first, which says what it means to people.
func (d *doc) facts(facts ...fact) {
	spare := max(d.height-len(d.lines)-len(facts), 0)
	rows := make([][][]span, len(facts))
	for n := len(facts) - 1; n >= 0; n-- {
		rows[n] = flow(facts[n].said, d.width-14, 1+spare)
		spare -= len(rows[n]) - 1
	}
	for n, f := range facts {
		for _, row := range rows[n] {
			d.factRow(f.label, row)
			f.label = ""
		}
	}
}

// flow breaks spans into rows of w cells, at most so many: before a span where that
// will do, else at its spaces. The last row has all the rest.
func flow(said []span, w, most int) [][]span {
	rows, at := [][]span{nil}, 0
	for _, s := range said {
		last := len(rows) - 1
		if need := cells(safe.Text(s.text)); at+need <= w || len(rows) == most {
			rows[last] = append(rows[last], s)
			at += need
			continue
		}
		pieces := wrap(strings.TrimLeft(s.text, " "), w)
		if at == 0 {
			rows = rows[:last]
		}
		if room := most - len(rows); len(pieces) > room {
			pieces = append(pieces[:room-1], strings.Join(pieces[room-1:], " "))
		}
		for _, text := range pieces {
			rows = append(rows, []span{{s.look, text}})
			at = cells(text)
		}
	}
	return rows
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

// atMost puts what are more rows than so many into the last, to be cut there.
func atMost(most int, rows []string) []string {
	if len(rows) <= most {
		return rows
	}
	return append(rows[:most-1:most-1], strings.Join(rows[most-1:], " "))
}

// branch writes the attributes of a tree: a name each, and its value.
func (d *doc) branch(col int, names []string, value func(n int) span) {
	wide := 0
	for _, name := range names {
		wide = max(wide, min(cells(safe.Text(name)), 14))
	}
	at := col + 2 + wide + 2
	for n, name := range names {
		v := value(n)
		rows := []string{v.text}
		if d.whole && at+cellsShown(v.text) >= d.width {
			rows = wrap(v.text, d.width-at-1)
		}
		for part, text := range rows {
			d.row(func(l *line) {
				l.to(col)
				switch {
				case part == 0:
					l.put(asFaint, treeGlyph(n, len(names)))
					l.put(asText, " ")
					l.fit(asMuted, name, wide)
				case n < len(names)-1:
					l.put(asFaint, wall)
				}
				l.to(at)
				l.fit(v.look, text, l.width-l.at-1)
			})
		}
	}
}

func treeGlyph(n, of int) string {
	if n == of-1 {
		return treeLast
	}
	return treeNext
}
