package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
)

func (a *app) view() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = a.title()
	switch {
	case a.Size.Width == 0 || a.Size.Height == 0:
	case a.Size.TooSmall():
		v.SetContent(a.tooSmall())
	default:
		v.SetContent(a.frame())
	}
	return v
}

// frame is the whole screen.
func (a *app) frame() string {
	c := a.top().Content()
	rows := append([]string{a.header()}, a.paint(c)...)
	said := a.Status.Text != ""
	switch {
	case a.dialog == nil:
		switch {
		case said:
			rows[len(rows)-1] = a.statusLine(kit.Raise)
		case a.tips():
			rows[len(rows)-1] = a.tipLine()
		}
		rows = append(rows, a.hintLine(c.Hints, kit.Base))
	case said:
		rows = append(rows, a.statusLine(kit.Base))
	default:
		rows = append(rows, kit.Spaces(a.Size.Width))
	}
	if a.dialog == nil {
		return strings.Join(rows, "\n")
	}
	b := a.dialog.Draw()
	out, x, y := kit.Overlay(rows, b.Render(a.Size.Height-1), a.Size.Width, a.Size.Height)
	a.buttons = a.buttons[:0]
	for _, area := range b.Areas {
		a.buttons = append(a.buttons, kit.ButtonArea{Index: area.Index, From: area.From + x, To: area.To + x, Row: area.Row + y})
	}
	return out
}

// tooSmall is all that a small window gets.
func (a *app) tooSmall() string {
	l := kit.NewLine(a.Styles, a.Size.Width, kit.Raise)
	l.Put(kit.Text, " ")
	l.Put(kit.Key, "tallylock")
	l.Ends(kit.Muted, a.Tab.String(), a.Size.Width-1)
	rows := []string{l.Done()}
	d := kit.NewBlock(a.Styles, a.Size.Width, max(a.Size.Height-2, 0))
	if a.Size.Height > 8 {
		d.Gap()
		d.Gap()
	}
	d.Para(3, kit.Heading, "This window is too small.")
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "it is     ")
		l.Put(kit.Text, fmt.Sprintf("%d × %d", a.Size.Width, a.Size.Height))
	})
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "needs     ")
		l.Put(kit.Text, fmt.Sprintf("%d × %d", kit.MinWidth, kit.MinHeight))
	})
	d.Gap()
	d.Para(3, kit.Muted, "Nothing is lost: the screen returns when it fits.")
	rows = append(rows, d.Filled()...)
	if a.Size.Height > 1 {
		l := kit.NewLine(a.Styles, a.Size.Width, kit.Base)
		l.Put(kit.Text, " ")
		kit.WriteHints(l, kit.WithKeys([]kit.Hint{a.Hint(keymap.Quit, "quit")}))
		rows = append(rows, l.Done())
	}
	return strings.Join(rows[:min(len(rows), a.Size.Height)], "\n")
}

// showOpenError says why the table that was asked for cannot be opened.
func (a *app) showOpenError(err error) tea.Cmd {
	return a.Unreached(err, a.retryOpen)
}

// retryOpen goes on with opening the table that was asked for, or begins again where nothing
// of it is on the screen.
func (a *app) retryOpen() tea.Cmd {
	switch {
	case a.browse.Unjudged():
		return a.goOn()
	case a.Wanted == "":
		return a.showTables()
	}
	return a.open(a.On, a.Wanted)
}

// title is the window's title.
func (a *app) title() string {
	return safe.Text(strings.Join([]string{"tallylock", a.Connection().Name(), a.place()}, " · "))
}
