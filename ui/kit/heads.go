package kit

// Cell is a text at a column.
type Cell struct {
	Column int
	Text   string
}

// Heads writes the heads of a list.
func Heads(l *Line, cells ...Cell) {
	for _, c := range cells {
		l.To(c.Column)
		l.Words(Muted, c.Text, l.Width-l.At)
	}
}
