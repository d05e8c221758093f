package kit

// TextRow is a row with a label and its text. Without a label, the text continues the row before.
type TextRow struct {
	Label string
	Text  Span
	Head  bool
}

// TextRows returns the rows of a label and a text of w cells. An empty text has no rows.
func TextRows(label string, k Style, text string, w int) []TextRow {
	if text == "" {
		return nil
	}
	var rows []TextRow
	for _, row := range Wrap(text, w) {
		rows = append(rows, TextRow{Label: label, Text: k.Of(row)})
		label = ""
	}
	return rows
}

// TextList is a list of texts. The texts begin at Column.
type TextList struct {
	Rows   []TextRow
	Column int
}

// Len implements Source.
func (s TextList) Len() int { return len(s.Rows) }

// Row implements Source: a heading cannot be selected.
func (s TextList) Row(n int) (int, int, bool) { return n, n, !s.Rows[n].Head }

// Draw implements Source.
func (s TextList) Draw(l *Line, n int, _ bool) { s.Rows[n].Draw(l, s.Column) }

// Draw writes the row. Its text begins at a column.
func (r TextRow) Draw(l *Line, column int) {
	if r.Head {
		l.Put(Muted, r.Label)
		return
	}
	l.Words(Muted, r.Label, column-l.At-1)
	l.To(column)
	l.Put(r.Text.Style, r.Text.Text)
}
