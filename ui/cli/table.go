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

// signed is the cell of a sign.
func signed(s kit.Sign) cell { return cell{s.Style, s.Glyph + " " + s.Word} }

// column is a column of a table.
type column struct {
	title string
	// right sets it flush with its end, as numbers want.
	right bool
	// least is how narrow it may be cut; 0: what stands in it is never cut.
	least int
	// spare columns are left out where there is no room, the last one first. One in
	// which nothing stands goes before any other.
	spare bool
}

// gap stands between two columns.
const gap = "  "

// table writes rows under each other, a line each. It fits the terminal: what is too
// long is cut, and never wrapped. Where there is no terminal it is as wide as it needs.
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

// leftOut names the columns for which there was no room, unless nothing stands in them.
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

// holdsAny reports whether anything stands in a column.
func holdsAny(columns []column, rows [][]cell, n int) bool {
	return slices.ContainsFunc(rows, func(row []cell) bool {
		return row[n].text != "" && row[n].text != kit.GlyphAbsent && row[n].text != columns[n].title
	})
}

// cut cuts what is shown to a width. What is left of a number would be another one, and what
// is left of an escape another text: they go whole.
func (p *printer) cut(shown string, width int) string {
	if ansi.StringWidth(shown) <= width {
		return shown
	}
	left := strings.TrimRight(ansi.Truncate(shown, width-1, ""), "0123456789,. ")
	return torn.ReplaceAllString(left, "") + p.shown("…")
}

// torn is the beginning of an escape at the end of a text.
var torn = regexp.MustCompile(`\\(x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$`)

// widest is how wide a cell may make its column where nothing is cut: one value of 2 KB
// must not tear all other rows apart.
const widest = 80

// fit is how wide each column is, in cells of the terminal; -1: it is left out.
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
			break // the terminal is narrower than any that people use
		}
		widths[n]--
	}
	return widths
}

// cuts reports whether tables are cut to the terminal.
func (p *printer) cuts() bool { return p.width > 0 && !p.wide }

// spares are the columns that may be left out, in the order in which they are.
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

// narrowest is how wide a table is whose columns are cut as far as they can be.
func narrowest(columns []column, widths []int) int {
	cut := slices.Clone(widths)
	for n, c := range columns {
		if c.least > 0 {
			cut[n] = min(cut[n], c.least)
		}
	}
	return sum(cut)
}

// sum is how wide a table of such columns is.
func sum(widths []int) int {
	all := -len(gap)
	for _, w := range widths {
		if w >= 0 {
			all += w + len(gap)
		}
	}
	return all
}

// widestCut is the widest column that can be cut further; -1: there is none.
func widestCut(columns []column, widths []int) int {
	at := -1
	for n, c := range columns {
		if c.least > 0 && widths[n] > c.least && (at < 0 || widths[n] > widths[at]) {
			at = n
		}
	}
	return at
}

// fact is a label and what is said beside it.
type fact struct{ label, text string }

// labels is how wide the labels of facts are, at least.
const labels = 10

// facts writes labels under each other, and beside each its text, which hangs.
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
