package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

func (f *frame) view() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = f.screens.title()
	switch {
	case f.Size.Width == 0 || f.Size.Height == 0:
	case f.Size.TooSmall():
		v.SetContent(tooSmall(f.Session, f.screens.dialog == nil))
	default:
		v.SetContent(f.draw())
	}
	return v
}

// draw is the whole screen.
func (f *frame) draw() string {
	c := f.screens.top().Content()
	rows := append([]string{f.header()}, f.paint(c)...)
	said := f.Status.Text != ""
	switch {
	case f.screens.dialog == nil:
		switch {
		case said:
			rows[len(rows)-1] = statusLine(f.Session, kit.Raise)
		case f.watcher.value != nil:
			rows[len(rows)-1] = f.watcher.line()
		case f.tips():
			rows[len(rows)-1] = tipLine(&f.Window)
		}
		rows = append(rows, f.hintLine(c.Hints, kit.Base))
	case said:
		rows = append(rows, statusLine(f.Session, kit.Base))
	default:
		rows = append(rows, kit.Spaces(f.Size.Width))
	}
	if f.screens.dialog == nil {
		return strings.Join(rows, "\n")
	}
	b := f.screens.dialog.Draw()
	b.Top = f.scroll.top
	out, x, y := kit.Overlay(rows, b.Render(f.Size.Height-1), f.Size.Width, f.Size.Height)
	f.scroll.drew(b)
	f.buttons = f.buttons[:0]
	for _, area := range b.Areas {
		f.buttons = append(f.buttons,
			kit.ButtonArea{Index: area.Index, From: area.From + x, To: area.To + x, Row: area.Row + y})
	}
	return out
}

// tooSmall is all that a small window gets. A key may quit it where no dialog is open.
func tooSmall(s *session.Session, quits bool) string {
	l := kit.NewLine(s.Styles, s.Size.Width, kit.Raise)
	l.Put(kit.Text, " ")
	l.Put(kit.Key, "tallylock")
	l.Ends(kit.Muted, s.Tab.String(), s.Size.Width-1)
	rows := []string{l.Done()}
	d := kit.NewBlock(s.Styles, s.Size.Width, max(s.Size.Height-2, 0))
	if s.Size.Height > 8 {
		d.Gap()
		d.Gap()
	}
	d.Para(3, kit.Heading, "This window is too small.")
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "it is     ")
		l.Put(kit.Text, fmt.Sprintf("%d × %d", s.Size.Width, s.Size.Height))
	})
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "needs     ")
		l.Put(kit.Text, fmt.Sprintf("%d × %d", kit.MinWidth, kit.MinHeight))
	})
	d.Gap()
	d.Para(3, kit.Muted, "Nothing is lost: the screen returns when it fits.")
	rows = append(rows, d.Filled()...)
	if s.Size.Height > 1 {
		l := kit.NewLine(s.Styles, s.Size.Width, kit.Base)
		l.Put(kit.Text, " ")
		if quits {
			kit.WriteHints(l, kit.WithKeys([]kit.Hint{s.Hint(keymap.Quit, "quit")}))
		}
		rows = append(rows, l.Done())
	}
	return strings.Join(rows[:min(len(rows), s.Size.Height)], "\n")
}

// showOpenError says why the table that was asked for cannot be opened.
func (o *opener) showOpenError(err error) tea.Cmd {
	return o.Unreached(task.Opening, err, func() tea.Cmd { return o.Send(message.OpenAgain{}) })
}

// retryOpen goes on with opening the table that was asked for, or begins again where nothing
// of it is on the screen. A table that is on its way is waited for, whichever it is.
func (a *app) retryOpen() tea.Cmd {
	_, busy := a.Tasks.Since(task.Opening)
	switch {
	case busy:
		return nil
	case a.screens.browse.Unjudged():
		return a.opener.resume()
	case a.Wanted == "":
		return a.showTables()
	}
	return a.opener.open(a.On, a.Wanted)
}
