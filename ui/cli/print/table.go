package print

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/kit"
)

// Signed makes a cell of a sign.
func Signed(s kit.Sign) kit.Span { return s.Style.Of(s.Glyph + " " + s.Word) }

// Column is a column of a table.
type Column struct {
	Title string
	// Right aligns the column to the right, for numbers.
	Right bool
	// Least is the least width to which cells may be cut. 0 means that they are never cut.
	Least int
	// Spare means that the column is left out if there is no room. Empty columns are left out first, then spare columns
	// from right to left.
	Spare bool
}

// gap is between two columns.
const gap = "  "

// Table writes rows, one line each. It cuts texts to the terminal's width and never wraps them.
// Without a terminal, the table is as wide as needed.
func (p *Printer) Table(indent int, columns []Column, rows [][]kit.Span) {
	if columns[0].Title != "" {
		head := make([]kit.Span, len(columns))
		for n, c := range columns {
			head[n] = kit.Muted.Of(c.Title)
		}
		rows = slices.Insert(slices.Clone(rows), 0, head)
	}
	widths := p.fit(indent, columns, rows)
	for _, row := range rows {
		fmt.Fprint(p.W, strings.Repeat(" ", indent))
		first, pad := true, ""
		for n, c := range row {
			if widths[n] < 0 {
				continue
			}
			if !first {
				fmt.Fprint(p.W, pad+gap)
			}
			first = false
			text := p.Shown(c.Text)
			if p.cuts() && columns[n].Least > 0 {
				text = p.cut(text, widths[n])
			}
			pad = strings.Repeat(" ", max(0, widths[n]-ansi.StringWidth(text)))
			if columns[n].Right {
				text, pad = pad+text, ""
			}
			p.Put(c.Style, text)
		}
		p.End()
	}
	p.leftOut(columns, rows, widths)
}

// leftOut names the columns that were left out, unless they are empty.
func (p *Printer) leftOut(columns []Column, rows [][]kit.Span, widths []int) {
	var names []string
	for n, c := range columns {
		if widths[n] < 0 && c.Title != "" && holdsAny(columns, rows, n) {
			names = append(names, c.Title)
		}
	}
	if len(names) > 0 {
		p.Line(kit.Muted, "%s with --wide", strings.Join(names, ", "))
	}
}

// holdsAny reports whether any cell of a column has a text.
func holdsAny(columns []Column, rows [][]kit.Span, n int) bool {
	return slices.ContainsFunc(rows, func(row []kit.Span) bool {
		return row[n].Text != "" && row[n].Text != kit.GlyphAbsent && row[n].Text != columns[n].Title
	})
}

// cut shortens a shown text to a width. It cuts before a number or an escape, because a part of a number or escape has
// another meaning.
func (p *Printer) cut(shown string, width int) string {
	if ansi.StringWidth(shown) <= width {
		return shown
	}
	left := strings.TrimRight(ansi.Truncate(shown, width-1, ""), "0123456789,. ")
	return torn.ReplaceAllString(left, "") + p.Shown("…")
}

// torn matches an incomplete escape at the end of a text.
var torn = regexp.MustCompile(`\\(x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$`)

// widest limits the width of a column. Wider cells do not count, because one value of 2 KB would make all rows too
// wide.
const widest = 80

// fit returns the width of each column in cells. −1 means that the column is left out.
func (p *Printer) fit(indent int, columns []Column, rows [][]kit.Span) []int {
	widths := make([]int, len(columns))
	for _, row := range rows {
		for n, c := range row {
			w := ansi.StringWidth(p.Shown(c.Text))
			if p.cuts() && columns[n].Least > 0 {
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
		if room := p.Width - indent; room < narrowest(columns, widths) {
			widths[spare] = -1
		}
	}
	for over := sum(widths) - (p.Width - indent); over > 0; over-- {
		n := widestCut(columns, widths)
		if n < 0 {
			break // no usual terminal is so narrow
		}
		widths[n]--
	}
	return widths
}

// cuts reports whether tables are cut to the terminal's width.
func (p *Printer) cuts() bool { return p.Width > 0 && !p.Wide }

// spares lists the columns that may be left out, in that order.
func spares(columns []Column, rows [][]kit.Span) []int {
	var bare, spare []int
	for n, c := range slices.Backward(columns) {
		switch {
		case !holdsAny(columns, rows, n):
			bare = append(bare, n)
		case c.Spare:
			spare = append(spare, n)
		}
	}
	return append(bare, spare...)
}

// narrowest returns the width of the table if all columns are cut as far as possible.
func narrowest(columns []Column, widths []int) int {
	cut := slices.Clone(widths)
	for n, c := range columns {
		if c.Least > 0 {
			cut[n] = min(cut[n], c.Least)
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
func widestCut(columns []Column, widths []int) int {
	at := -1
	for n, c := range columns {
		if c.Least > 0 && widths[n] > c.Least && (at < 0 || widths[n] > widths[at]) {
			at = n
		}
	}
	return at
}

// Facts are texts with a label each.
type Facts []struct{ label, text string }

// Add adds a fact, unless its text is empty.
func (f *Facts) Add(label, text string) {
	if text != "" {
		*f = append(*f, struct{ label, text string }{label, text})
	}
}

// leastLabel is the least width of the labels of facts.
const leastLabel = 10

// Facts writes one fact below the other. The texts begin in the same column.
func (p *Printer) Facts(indent int, all Facts) {
	width := leastLabel
	for _, f := range all {
		width = max(width, ansi.StringWidth(p.Shown(f.label)))
	}
	for _, f := range all {
		fmt.Fprint(p.W, strings.Repeat(" ", indent))
		p.Put(kit.Muted, f.label)
		fmt.Fprint(p.W, strings.Repeat(" ", width-ansi.StringWidth(p.Shown(f.label)))+gap)
		p.Hang(kit.Text, indent+width+len(gap), f.text)
	}
}
