package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/kit"
)

// cell is a cell of a table.
type cell struct {
	style kit.Style
	text  string
}

// signed makes a cell of a sign.
func signed(s kit.Sign) cell { return cell{s.Style, s.Glyph + " " + s.Word} }

// column is a column of a table.
type column struct {
	title string
	// right aligns the column to the right, for numbers.
	right bool
	// least is the least width to which cells may be cut. 0 means that they are never cut.
	least int
	// spare: the column is left out if there is no room. Empty columns are left out first, then
	// spare columns from the last one on.
	spare bool
}

// gap is between two columns.
const gap = "  "

// table writes rows, one line each. It cuts texts to the terminal's width and never wraps them.
// Without a terminal, the table is as wide as needed.
func (p *printer) table(indent int, columns []column, rows [][]cell) {
	if columns[0].title != "" {
		head := make([]cell, len(columns))
		for n, c := range columns {
			head[n] = cell{kit.Muted, c.title}
		}
		rows = slices.Insert(slices.Clone(rows), 0, head)
	}
	widths := p.fit(indent, columns, rows)
	for _, row := range rows {
		fmt.Fprint(p.w, strings.Repeat(" ", indent))
		first, pad := true, ""
		for n, c := range row {
			if widths[n] < 0 {
				continue
			}
			if !first {
				fmt.Fprint(p.w, pad+gap)
			}
			first = false
			text := p.shown(c.text)
			if p.cuts() && columns[n].least > 0 {
				text = p.cut(text, widths[n])
			}
			pad = strings.Repeat(" ", max(0, widths[n]-ansi.StringWidth(text)))
			if columns[n].right {
				text, pad = pad+text, ""
			}
			p.put(c.style, text)
		}
		p.end()
	}
	p.leftOut(columns, rows, widths)
}

// leftOut names the columns that were left out, unless they are empty.
func (p *printer) leftOut(columns []column, rows [][]cell, widths []int) {
	var names []string
	for n, c := range columns {
		if widths[n] < 0 && c.title != "" && holdsAny(columns, rows, n) {
			names = append(names, c.title)
		}
	}
	if len(names) > 0 {
		p.line(kit.Muted, "%s with --wide", strings.Join(names, ", "))
	}
}

// holdsAny reports whether any cell of a column has a text.
func holdsAny(columns []column, rows [][]cell, n int) bool {
	return slices.ContainsFunc(rows, func(row []cell) bool {
		return row[n].text != "" && row[n].text != kit.GlyphAbsent && row[n].text != columns[n].title
	})
}

// cut shortens a shown text to a width. It cuts before a number or an escape, since a part of it
// would mean something else.
func (p *printer) cut(shown string, width int) string {
	if ansi.StringWidth(shown) <= width {
		return shown
	}
	left := strings.TrimRight(ansi.Truncate(shown, width-1, ""), "0123456789,. ")
	return torn.ReplaceAllString(left, "") + p.shown("…")
}

// torn matches an incomplete escape at the end of a text.
var torn = regexp.MustCompile(`\\(x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$`)

// widest is the greatest width that one cell can give its column if nothing is cut. Otherwise one
// value of 2 KB would make all rows too wide.
const widest = 80

// fit returns the width of each column in cells. −1 means that the column is left out.
func (p *printer) fit(indent int, columns []column, rows [][]cell) []int {
	widths := make([]int, len(columns))
	for _, row := range rows {
		for n, c := range row {
			w := ansi.StringWidth(p.shown(c.text))
			if p.cuts() && columns[n].least > 0 {
				w = min(w, widest)
			}
			if w <= widest {
				widths[n] = max(widths[n], w)
			}
		}
	}
	if !p.cuts() {
		return widths
	}
	for _, spare := range spares(columns, rows) {
		if room := p.width - indent; room < narrowest(columns, widths) {
			widths[spare] = -1
		}
	}
	for over := sum(widths) - (p.width - indent); over > 0; over-- {
		n := widestCut(columns, widths)
		if n < 0 {
			break // no usual terminal is so narrow
		}
		widths[n]--
	}
	return widths
}

// cuts reports whether tables are cut to the terminal's width.
func (p *printer) cuts() bool { return p.width > 0 && !p.wide }

// spares lists the columns that may be left out, in that order.
func spares(columns []column, rows [][]cell) []int {
	var bare, spare []int
	for n, c := range slices.Backward(columns) {
		switch {
		case !holdsAny(columns, rows, n):
			bare = append(bare, n)
		case c.spare:
			spare = append(spare, n)
		}
	}
	return append(bare, spare...)
}

// narrowest returns the width of the table if all columns are cut as far as possible.
func narrowest(columns []column, widths []int) int {
	cut := slices.Clone(widths)
	for n, c := range columns {
		if c.least > 0 {
			cut[n] = min(cut[n], c.least)
		}
	}
	return sum(cut)
}

// sum returns the width of a table with columns of these widths.
func sum(widths []int) int {
	all := -len(gap)
	for _, w := range widths {
		if w >= 0 {
			all += w + len(gap)
		}
	}
	return all
}

// widestCut returns the widest column that can still be cut. It returns −1 if there is none.
func widestCut(columns []column, widths []int) int {
	at := -1
	for n, c := range columns {
		if c.least > 0 && widths[n] > c.least && (at < 0 || widths[n] > widths[at]) {
			at = n
		}
	}
	return at
}

// fact is a label and its text.
type fact struct{ label, text string }

// labels is the least width of the labels of facts.
const labels = 10

// facts writes one fact below the other. The texts begin in the same column.
func (p *printer) facts(indent int, all ...fact) {
	width := labels
	for _, f := range all {
		width = max(width, ansi.StringWidth(p.shown(f.label)))
	}
	for _, f := range all {
		fmt.Fprint(p.w, strings.Repeat(" ", indent))
		p.put(kit.Muted, f.label)
		fmt.Fprint(p.w, strings.Repeat(" ", width-ansi.StringWidth(p.shown(f.label)))+gap)
		p.hang(kit.Text, indent+width+len(gap), f.text)
	}
}
