package kit

// Sign is how a verdict, a finding or an outcome is shown: a glyph, a word and a
// colour, never a colour alone.
type Sign struct {
	Glyph string
	Style Style
	Word  string
	// Quiet signs have a muted word: what is healthy, and what is not sure.
	Quiet bool
}

// Draw writes the sign: glyph, space, word.
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

// Sign writes a sign in a row of its own.
func (d *Block) Sign(s Sign) {
	d.Row(func(l *Line) {
		l.To(1)
		s.Draw(l)
	})
}

// VerdictColumn is where the sentence of a verdict begins.
func VerdictColumn(s Sign) int { return max(13, 1+2+Width(s.Word)+2) }

// Verdict writes a sign and its sentence, over two rows where it is long.
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
