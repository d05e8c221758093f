package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/keymap"
)

func (a *app) view() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = a.title()
	switch {
	case a.size.w == 0 || a.size.h == 0:
	case a.size.tooSmall():
		v.SetContent(a.tooSmall())
	default:
		v.SetContent(a.frame())
	}
	return v
}

// frame is the whole screen.
func (a *app) frame() string {
	c := a.top().content()
	rows := append([]string{a.header()}, a.paint(c, a.dialog != nil)...)
	switch {
	case a.status.text != "":
		rows = append(rows, a.statusLine(base))
	case a.dialog != nil:
		rows = append(rows, spaces(a.size.w))
	default:
		rows = append(rows, a.hintLine(c.hints, base))
	}
	if a.dialog == nil {
		return strings.Join(rows, "\n")
	}
	b := a.dialog.draw()
	out, x, y := overlay(rows, b.render(a.size.h-1), a.size.w, a.size.h)
	a.buttons = a.buttons[:0]
	for _, area := range b.buttons {
		a.buttons = append(a.buttons, buttonArea{area.index, area.from + x, area.to + x, area.row + y})
	}
	return out
}

// tooSmall is all that a small window gets.
func (a *app) tooSmall() string {
	l := newLine(a.st, a.size.w, raise)
	l.put(asText, " ")
	l.put(asKey, "tallylock")
	l.ends(asMuted, a.tab.String(), a.size.w-1)
	rows := []string{l.done()}
	d := newDoc(a.st, a.size.w, max(a.size.h-2, 0))
	if a.size.h > 8 {
		d.gap()
		d.gap()
	}
	d.para(3, asBold, "This window is too small.")
	d.gap()
	d.row(func(l *line) {
		l.to(3)
		l.put(asMuted, "it is     ")
		l.put(asText, fmt.Sprintf("%d × %d", a.size.w, a.size.h))
	})
	d.row(func(l *line) {
		l.to(3)
		l.put(asMuted, "needs     ")
		l.put(asText, fmt.Sprintf("%d × %d", minWidth, minHeight))
	})
	d.gap()
	d.para(3, asMuted, "Nothing is lost: the screen returns when it fits.")
	rows = append(rows, d.filled()...)
	if a.size.h > 1 {
		l := newLine(a.st, a.size.w, base)
		l.put(asText, " ")
		writeHints(l, present([]hint{a.hint(keymap.Quit, "quit")}))
		rows = append(rows, l.done())
	}
	return strings.Join(rows[:min(len(rows), a.size.h)], "\n")
}

// showOpenError says why the table that was asked for cannot be opened.
func (a *app) showOpenError(_ string, err error) tea.Cmd {
	a.browse = nil
	if client.KindOf(err) == client.Unreachable {
		return a.failed(err, a.retryOpen)
	}
	return nil
}

// retryOpen opens the table that was asked for once more.
func (a *app) retryOpen() tea.Cmd {
	if a.wanted == "" {
		return a.showTables()
	}
	return a.open(a.conn, a.wanted)
}
