package kit

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// drawn returns the headings and one row of a table. The cells of the row are filled.
func drawn(t *testing.T, table *Table[string], width int) (heads, row string) {
	t.Helper()
	st := NewStyles(Look{Dark: true})
	l := NewLine(st, width, Base)
	table.Heads(l)
	heads = ansi.Strip(l.Done())
	l = NewLine(st, width, Base)
	table.Draw(l, "x")
	return heads, ansi.Strip(l.Done())
}

func filled(l *Line, row string, w int) { l.Put(Text, strings.Repeat(row, w)) }

// Columns grow up to their greatest width. If there is too little room, they shrink, and spare columns are left out.
func TestTableColumns(t *testing.T) {
	table := &Table[string]{Columns: []Column[string]{
		{Head: "A", Cells: 6, Min: 4, Max: 8, Grow: 1, Draw: filled},
		{Head: "B", Cells: 5, Spare: 1, Gap: 2, Right: true, Draw: filled},
		{Head: "C", Cells: 4, Min: 2, Grow: 1, Draw: filled},
	}}
	for _, c := range []struct {
		width      int
		heads, row string
	}{
		{20, "  A           B C", "  xxxxxx  xxxxx xxxx"},
		{22, "  A            B C", "  xxxxxxx  xxxxx xxxxx"},
		{30, "  A             B C", "  xxxxxxxx  xxxxx xxxxxxxxxxxx"},
		{18, "  A          B C", "  xxxxx  xxxxx xxx"},
		{15, "  A       C", "  xxxxxxx xxxxx"},
		{8, "  A    C", "  xxxx …"},
		{20, "  A           B C", "  xxxxxx  xxxxx xxxx"},
	} {
		heads, row := drawn(t, table, c.width)
		if got := strings.TrimRight(heads, " "); got != c.heads {
			t.Errorf("%d wide, the heads are\n%q, want\n%q", c.width, got, c.heads)
		}
		if row != c.row {
			t.Errorf("%d wide, the row is\n%q, want\n%q", c.width, row, c.row)
		}
	}
}

// A text across the other columns begins at the second column, at every width.
func TestTableBegin(t *testing.T) {
	table := &Table[string]{Columns: []Column[string]{
		{Head: "A", Cells: 4, Max: 6, Grow: 1, Draw: filled},
		{Head: "B", Cells: 3, Gap: 2, Draw: filled},
	}}
	for width, want := range map[int]string{11: "  xxxx  run", 16: "  xxxxxx  runs o"} {
		l := NewLine(NewStyles(Look{Dark: true}), width, Base)
		table.Begin(l, "x")
		l.Put(Text, "runs on"[:width-l.At])
		if got := ansi.Strip(l.Done()); got != want {
			t.Errorf("%d wide, the line is %q, want %q", width, got, want)
		}
	}
}
