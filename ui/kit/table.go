package kit

// Column is a column of a list: what stands above it, how wide it is, and what it writes of a
// row.
type Column[R any] struct {
	Head  string
	Cells int  // how wide it is where all columns have room, and none is to spare
	Min   int  // how narrow it may be where they have not; 0: Cells
	Max   int  // how wide it may become; 0: as wide as there is room
	Grow  int  // its share of the room to spare
	Gap   int  // cells before it; 0: one
	Spare int  // what there is no room for is left out, the highest first; 0: never
	Right bool // its head ends where it does, as numbers do
	// Draw writes a row's cell, from where the line is, in w cells.
	Draw func(l *Line, row R, w int)
}

func (c Column[R]) min() int {
	if c.Min > 0 {
		return c.Min
	}
	return c.Cells
}

// Table draws the heads and the rows of a list from the same columns, whose places it works
// out once for a width.
type Table[R any] struct {
	Columns []Column[R]
	width   int // that the places are for
	places  []place
}

// place is where a column stands; cells is 0 for one that is left out.
type place struct{ at, cells int }

// margin is where the first column begins: a list's marks stand before it.
const margin = 2

// Heads writes the heads of the columns.
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

// Begin writes a row's first column, and goes to where the next one begins: what is to be
// said there runs on to the end of the line.
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

// lay gives the columns their places in a width.
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

// shown are the columns that there is room for.
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

// grow gives columns the room to spare, as far as each may grow.
func (t *Table[R]) grow(shown, cells []int, spare int) {
	for spare > 0 {
		by := make([]int, len(shown))
		for n, c := range shown {
			if most := t.Columns[c].Max; most == 0 || cells[n] < most {
				by[n] = t.Columns[c].Grow
			}
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
			continue // what these do not take is for the others
		}
		for n, part := range parts {
			cells[n] += part
		}
		return
	}
}

// total is how wide columns are with what is before them.
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

// shares divides cells by what each is to have of them, to the last cell.
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

// Heads writes the heads of a list.
func Heads(l *Line, cells ...Cell) {
	for _, c := range cells {
		l.To(c.Column)
		l.Words(Muted, c.Text, l.Width-l.At)
	}
}
