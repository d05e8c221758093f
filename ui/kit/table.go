package kit

// Column is a column of a list: its heading, its width, and the function that draws its cells.
type Column[R any] struct {
	Head  string
	Cells int  // the normal width
	Min   int  // the least width if there is too little room; 0 means Cells
	Max   int  // the greatest width; 0 means no limit
	Grow  int  // the share of extra room that the column gets
	Rest  bool // the column gets the room that is left when all columns have their greatest width
	Gap   int  // cells before the column; 0 means one
	Spare int  // columns with the highest number are left out first; 0 means never
	Right bool // the heading is right-aligned, as for numbers
	// Draw writes the cell of a row into w cells, from the line's present column.
	Draw func(l *Line, row R, w int)
}

func (c Column[R]) min() int {
	if c.Min > 0 {
		return c.Min
	}
	return c.Cells
}

// Table draws the headings and the rows of a list. It computes the places of the columns once for
// each width.
type Table[R any] struct {
	Columns []Column[R]
	width   int // the width that places was computed for
	places  []place
}

// place is the place of a column. cells is 0 if the column is left out.
type place struct{ at, cells int }

// margin is the column where the first column of a table begins. The marks of the list are before it.
const margin = 2

// Heads writes the headings of the columns.
func (t *Table[R]) Heads(l *Line) {
	for n, p := range t.lay(l.Width) {
		switch c := &t.Columns[n]; {
		case p.cells == 0:
		case c.Right:
			l.EndsIn(Muted, c.Head, p.at, p.at+p.cells)
		default:
			l.To(p.at)
			l.Words(Muted, c.Head, p.cells)
		}
	}
}

// Draw writes a row.
func (t *Table[R]) Draw(l *Line, row R) { t.draw(l, row, len(t.Columns)) }

// Begin writes the first column of a row, and moves to the second column. The caller fills the rest
// of the line.
func (t *Table[R]) Begin(l *Line, row R) {
	t.draw(l, row, 1)
	l.To(t.lay(l.Width)[1].at)
}

func (t *Table[R]) draw(l *Line, row R, columns int) {
	for n, p := range t.lay(l.Width)[:columns] {
		if p.cells > 0 {
			l.To(p.at)
			t.Columns[n].Draw(l, row, p.cells)
		}
	}
}

// lay computes the places of the columns for a width.
func (t *Table[R]) lay(width int) []place {
	if t.width == width && t.places != nil {
		return t.places
	}
	shown := t.shown(width)
	cells, least := make([]int, len(shown)), make([]int, len(shown))
	for n, c := range shown {
		cells[n], least[n] = t.Columns[c].Cells, t.Columns[c].min()
	}
	switch spare := width - t.total(shown, cells); {
	case spare < 0:
		give := make([]int, len(shown))
		for n := range shown {
			give[n] = cells[n] - least[n]
		}
		for n, part := range shares(min(-spare, sum(give)), give) {
			cells[n] -= part
		}
	default:
		t.grow(shown, cells, spare)
	}
	t.width, t.places = width, make([]place, len(t.Columns))
	at := margin
	for n, c := range shown {
		if n > 0 {
			at += t.gap(c)
		}
		t.places[c] = place{at, cells[n]}
		at += cells[n]
	}
	return t.places
}

// shown returns the columns that fit into the width.
func (t *Table[R]) shown(width int) []int {
	var shown, least []int
	for n, c := range t.Columns {
		shown, least = append(shown, n), append(least, c.min())
	}
	for t.total(shown, least) > width {
		out := 0
		for n, c := range shown {
			if t.Columns[c].Spare > t.Columns[shown[out]].Spare {
				out = n
			}
		}
		if t.Columns[shown[out]].Spare == 0 {
			break
		}
		shown = append(shown[:out:out], shown[out+1:]...)
		least = append(least[:out:out], least[out+1:]...)
	}
	return shown
}

// grow divides the extra room among the columns, up to their greatest widths.
func (t *Table[R]) grow(shown, cells []int, spare int) {
	for spare > 0 {
		by := make([]int, len(shown))
		for n, c := range shown {
			if most := t.Columns[c].Max; most == 0 || cells[n] < most {
				by[n] = t.Columns[c].Grow
			}
		}
		if sum(by) == 0 {
			for n, c := range shown {
				if t.Columns[c].Rest {
					cells[n] += spare
				}
			}
			return
		}
		parts := shares(spare, by)
		full := false
		for n, c := range shown {
			if most := t.Columns[c].Max; most > 0 && cells[n]+parts[n] > most {
				spare -= most - cells[n]
				cells[n], full = most, true
			}
		}
		if full {
			continue // divide the rest among the other columns
		}
		for n, part := range parts {
			cells[n] += part
		}
		return
	}
}

// total returns the width of these columns, with their gaps.
func (t *Table[R]) total(shown, cells []int) int {
	out := margin + sum(cells)
	for n, c := range shown {
		if n > 0 {
			out += t.gap(c)
		}
	}
	return out
}

func (t *Table[R]) gap(column int) int { return max(t.Columns[column].Gap, 1) }

// shares divides cells in proportion to by. The parts add up to cells.
func shares(cells int, by []int) []int {
	out, all, before := make([]int, len(by)), max(sum(by), 1), 0
	for n, share := range by {
		out[n] = cells*(before+share)/all - cells*before/all
		before += share
	}
	return out
}

func sum(of []int) int {
	out := 0
	for _, n := range of {
		out += n
	}
	return out
}

// Cell is a text at a column.
type Cell struct {
	Column int
	Text   string
}

// Heads writes the headings of a list.
func Heads(l *Line, cells ...Cell) {
	for _, c := range cells {
		l.To(c.Column)
		l.Words(Muted, c.Text, l.Width-l.At)
	}
}
