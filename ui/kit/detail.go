package kit

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/safe"
)

// Block is a block of rows to read, such as a detail or the text of a dialog. It drops rows that do
// not fit into its height.
type Block struct {
	Styles    *Styles
	Width     int
	Height    int
	Ground    Ground
	Quiet     bool
	Lines     []string
	Whole     bool // long texts take more rows, so that nothing is cut
	Truncated bool // a text was cut, or a row was dropped
}

// NewBlock begins a block of at most height rows.
func NewBlock(st *Styles, width, height int) *Block {
	return &Block{Styles: st, Width: width, Height: height}
}

// Row writes a row.
func (d *Block) Row(write func(l *Line)) {
	if len(d.Lines) >= d.Height {
		d.Truncated = d.Truncated || write != nil
		return
	}
	l := NewLine(d.Styles, d.Width, d.Ground)
	l.quiet = d.Quiet
	if write != nil {
		write(l)
		d.Truncated = d.Truncated || l.lacks
	}
	d.Lines = append(d.Lines, l.Done())
}

// Gap writes an empty row.
func (d *Block) Gap() { d.Row(nil) }

// Span is a text in one style.
type Span struct {
	Style Style
	Text  string
}

// Of returns words in the style k.
func (k Style) Of(words string) Span { return Span{k, words} }

// Para writes a paragraph from column col, over several rows if needed.
func (d *Block) Para(col int, k Style, text string) {
	for _, row := range Wrap(text, d.Width-col-1) {
		d.Row(func(l *Line) {
			l.To(col)
			l.Put(k, row)
		})
	}
}

// Head writes a heading.
func (d *Block) Head(col int, text string) { d.Words(col, Muted, text) }

// Words writes words into one row, from column col. It cuts them at the end if they are too long.
func (d *Block) Words(col int, k Style, text string) {
	d.Row(func(l *Line) {
		l.To(col)
		l.Words(k, text, l.Width-l.At-1)
	})
}

// Fact writes a label and its text in one row, and cuts a text that is too long. A block with Whole set wraps the text
// instead.
func (d *Block) Fact(label string, said ...Span) {
	if d.Whole {
		d.Facts(Fact{label, said})
		return
	}
	d.FactRow(label, said)
}

// FactRow is Fact, but always writes one row.
func (d *Block) FactRow(label string, said []Span) {
	d.Row(func(l *Line) {
		l.To(3)
		l.Put(Muted, label)
		l.To(13)
		for _, s := range said {
			l.sentence(s.Style, s.Text, l.Width-l.At-1)
		}
	})
}

// Fact is a label and its text.
type Fact struct {
	Label string
	Said  []Span
}

// Says returns a fact whose text is in the style k.
func (k Style) Says(label, words string) Fact { return Fact{label, []Span{k.Of(words)}} }

// Facts writes one row for each fact that has a text. If there is room for more rows, it wraps long facts, the last
// one first: the last fact is about the effect on people.
func (d *Block) Facts(facts ...Fact) {
	facts = slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return spansWidth(f.Said) == 0 })
	spare := max(d.Height-len(d.Lines)-len(facts), 0)
	rows := make([][][]Span, len(facts))
	for n := len(facts) - 1; n >= 0; n-- {
		rows[n] = Flow(facts[n].Said, d.Width-14, 1+spare)
		spare -= len(rows[n]) - 1
	}
	for n, f := range facts {
		for _, row := range rows[n] {
			d.FactRow(f.Label, row)
			f.Label = ""
		}
	}
}

// Flow breaks spans into rows of w cells. The parameter most limits the number of rows. A span that does not fit
// begins a new row. A span longer than a row breaks at spaces. The last row has the rest, and may be longer than w.
func Flow(said []Span, w, most int) [][]Span {
	rows, at := [][]Span{nil}, 0
	for _, s := range said {
		last := len(rows) - 1
		if need := Width(safe.Text(s.Text)); at+need <= w || len(rows) == most {
			rows[last] = append(rows[last], s)
			at += need
			continue
		}
		pieces := Wrap(strings.TrimLeft(s.Text, " "), w)
		if at == 0 {
			rows = rows[:last]
		}
		if room := most - len(rows); len(pieces) > room {
			pieces = append(pieces[:room-1], strings.Join(pieces[room-1:], " "))
		}
		for _, text := range pieces {
			rows = append(rows, []Span{{s.Style, text}})
			at = Width(text)
		}
	}
	return rows
}

// Filled returns the rows of the block, with empty rows up to its height.
func (d *Block) Filled() []string {
	for len(d.Lines) < d.Height {
		d.Row(nil)
	}
	return d.Lines
}

// Wrap breaks a text into rows of at most w cells, at spaces if possible.
func Wrap(text string, w int) []string {
	if w < 4 {
		return nil
	}
	return strings.Split(ansi.Wrap(safe.Text(text), w, " "), "\n")
}

// AtMost limits the number of rows. It joins the last ones into one row, which the screen then
// cuts.
func AtMost(most int, rows []string) []string {
	if len(rows) <= most {
		return rows
	}
	return append(rows[:most-1:most-1], strings.Join(rows[most-1:], " "))
}

// Branch writes a tree: for each attribute its name and its value.
func (d *Block) Branch(names []string, value func(n int) Span) {
	const col = 1
	wide := 0
	for _, name := range names {
		wide = max(wide, min(Width(safe.Text(name)), 14))
	}
	at := col + 2 + wide + 2
	for n, name := range names {
		v := value(n)
		rows := []string{v.Text}
		if d.Whole && at+ValueWidth(v.Text) >= d.Width {
			rows = Wrap(v.Text, d.Width-at-1)
		}
		for part, text := range rows {
			d.Row(func(l *Line) {
				l.To(col)
				switch {
				case part == 0:
					l.Put(Faint, TreeGlyph(n, len(names)))
					l.Put(Text, " ")
					l.Fit(Muted, name, wide)
				case n < len(names)-1:
					l.Put(Faint, Wall)
				}
				l.To(at)
				l.Fit(v.Style, text, l.Width-l.At-1)
			})
		}
	}
}

// TreeGlyph returns the glyph before branch n. of is the number of branches.
func TreeGlyph(n, of int) string {
	if n == of-1 {
		return TreeLast
	}
	return TreeNext
}

// LongFact writes a label and its text, over as many rows as needed.
func (d *Block) LongFact(col int, label, text string) {
	longFact(d.Row, d.Width-1, col, label, Text, text)
}

// longFact writes a label at column col and its text behind it, up to column end.
func longFact(row func(write func(l *Line)), end, col int, label string, k Style, text string) {
	for _, part := range Wrap(text, end-col-10) {
		row(func(l *Line) {
			l.To(col)
			l.Put(Muted, label)
			l.To(col + 10)
			l.Put(k, part)
		})
		label = ""
	}
}

// Sign shows a verdict, a finding or an outcome. It has a glyph, a word and a colour, never only a
// colour.
type Sign struct {
	Glyph string
	Style Style
	Word  string
	// Quiet: the word is muted, since all is well or nothing is certain.
	Quiet bool
}

// Draw writes the glyph, a space and the word.
func (s Sign) Draw(l *Line) {
	k := s.Style
	word := s.Style
	if s.Quiet {
		word = Muted
	} else if k != Accent {
		k |= Bold
		word |= Bold
	}
	l.Put(k, s.Glyph)
	l.Put(word, " ")
	l.Put(word, s.Word)
}

// Sign writes a row with a sign.
func (d *Block) Sign(s Sign) {
	d.Row(func(l *Line) {
		l.To(1)
		s.Draw(l)
	})
}

// VerdictColumn returns the column where the sentence after a sign begins.
func VerdictColumn(s Sign) int { return max(13, 1+2+Width(s.Word)+2) }

// Verdict writes a sign and a sentence, over two rows if needed.
func (d *Block) Verdict(s Sign, words string) {
	col := VerdictColumn(s)
	rows := Wrap(words, d.Width-col-1)
	if !d.Whole {
		rows = AtMost(2, rows)
	}
	if d.Height < 3 {
		rows = []string{words}
	}
	for n, row := range rows {
		d.Row(func(l *Line) {
			if n == 0 {
				l.To(1)
				s.Draw(l)
			}
			l.To(col)
			l.Words(Strong, row, l.Width-l.At-1)
		})
	}
}
