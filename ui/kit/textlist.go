package kit

// TextRow is a row of words: a label and what it says, or, where there is no label,
// the rest of what the row before says.
type TextRow struct {
	Label string
	Text  Span
	Head  bool
}

// TextList is rows of words as a list; the words begin at Column.
type TextList struct {
	Rows   []TextRow
	Column int
}

// Len implements Source.
func (s TextList) Len() int { return len(s.Rows) }

// Row implements Source: heads are not selected.
func (s TextList) Row(n int) (int, int, bool) { return n, n, !s.Rows[n].Head }

// Draw implements Source.
func (s TextList) Draw(l *Line, n int, _ bool) {
	row := s.Rows[n]
	if row.Head {
		l.Put(Muted, row.Label)
		return
	}
	l.Words(Muted, row.Label, s.Column-l.At-1)
	l.To(s.Column)
	l.Put(row.Text.Style, row.Text.Text)
}
