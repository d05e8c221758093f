package kit

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Render draws the borders around the rows. Where the window is low, empty rows and remarks
// are left away; what still does not fit is scrolled, between the title and what is filled in
// and pressed.
func (b *Box) Render(height int) []string {
	room := max(height-2, 1)
	rows := b.shown(room)
	above, below := 0, 0
	if b.Over = max(len(rows)-room, 0); b.Over > 0 {
		last := pinned(rows)
		body, tail := rows[:last], rows[last:]
		page := max(room-len(tail), 1)
		b.Over = max(len(body)-page, 0)
		b.Top = max(min(b.first(body, page), b.Over), 0)
		above, below = b.Top, b.Over-b.Top
		at := focused(body)
		b.Away = at >= 0 && (at < b.Top || at >= b.Top+page)
		rows = slices.Concat(body[b.Top:min(b.Top+page, len(body))], tail)
	}
	top := NewLine(b.st, b.Width, Base)
	top.Put(b.frame, "╭"+RuleThin+" ")
	for _, s := range b.Title {
		top.Words(s.Style, s.Text, b.Width-top.At-3)
	}
	top.Put(b.frame, " ")
	top.Run(b.frame, RuleThin, b.Width-1-top.At)
	top.Put(b.frame, "╮")
	side := NewLine(b.st, 1, Base)
	side.Put(b.frame, Wall)
	edge := side.Done()
	out := []string{top.Done()}
	b.Areas = b.Areas[:0]
	for n, r := range rows {
		for _, a := range r.button {
			a.Row = n + 1
			b.Areas = append(b.Areas, a)
		}
		out = append(out, edge+r.text+edge)
	}
	return append(out, b.bottom(above, below))
}

// shown are the rows without those that give way to the others, as far as that is needed: of
// empty rows those above first, so that the buttons stay apart.
func (b *Box) shown(room int) []boxRow {
	rows := slices.Clone(b.rows)
	for n := 0; n < len(rows) && len(rows) > room; {
		if rows[n].weight == gap {
			rows = slices.Delete(rows, n, n+1)
		} else {
			n++
		}
	}
	for n := len(rows) - 1; n >= 0 && len(rows) > room; n-- {
		if rows[n].weight == Note {
			rows = slices.Delete(rows, n, n+1)
		}
	}
	return rows
}

// pinned is from which row on a box stays where it is while the rest is scrolled: what is
// filled in, the row of buttons, and what can be pressed.
func pinned(rows []boxRow) int {
	n := len(rows) - 1
	for n > 0 && rows[n-1].stays {
		n--
	}
	return n
}

// first is the first row of a page: the one asked for, or one that shows what has the focus.
func (b *Box) first(rows []boxRow, page int) int {
	if b.Top >= 0 {
		return b.Top
	}
	at := focused(rows)
	if at < page {
		return 0
	}
	return at - page/2
}

// focused is the row that has the focus; below 0 where none has.
func focused(rows []boxRow) int {
	return slices.IndexFunc(rows, func(r boxRow) bool { return r.focus })
}

// Reads reports whether nothing in the box has the focus: it is only read.
func (b *Box) Reads() bool { return focused(b.rows) < 0 }

// bottom is the lower border, with what there is above and below.
func (b *Box) bottom(above, below int) string {
	l := NewLine(b.st, b.Width, Base)
	l.Put(b.frame, "╰"+RuleThin)
	for _, more := range []struct {
		rows int
		key  string
		says string
	}{{above, "pgup", "above"}, {below, "pgdown", "more"}} {
		if more.rows > 0 {
			l.Put(Key, " "+more.key)
			l.Put(Muted, fmt.Sprintf(" %d %s ", more.rows, more.says))
			l.Put(b.frame, RuleThin)
		}
	}
	l.Run(b.frame, RuleThin, b.Width-1-l.At)
	l.Put(b.frame, "╯")
	return l.Done()
}

// Overlay puts a box over the middle of a screen, under its header. Each row is of its own
// width, and ends in the terminal's own style. A wide character that the box covers by half
// is left away.
func Overlay(screen, box []string, w, h int) (out string, x, y int) {
	wide := lipgloss.Width(strings.Join(box, "\n"))
	x = max((w-wide)/2, 0)
	y = max((h-len(box)-1)/2, 1)
	room := max(w-x-wide, 0)
	for n, row := range box[:min(len(box), max(len(screen)-y, 0))] {
		under := screen[y+n]
		left, right := ansi.Truncate(under, x, ""), ansi.TruncateLeft(under, w-room, "")
		if ansi.StringWidth(right) > room {
			right = ansi.TruncateLeft(under, w-room+1, "")
		}
		screen[y+n] = left + Spaces(x-ansi.StringWidth(left)) + row + Spaces(room-ansi.StringWidth(right)) + right
	}
	return strings.Join(screen, "\n"), x, y
}
