package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// wheel scrolls the dialog, or the detail if it has the focus, or else moves the cursor of the list.
func (a *app) wheel(m tea.Mouse) tea.Cmd {
	by := map[tea.MouseButton]int{tea.MouseWheelDown: 3, tea.MouseWheelUp: -3}[m.Button]
	c := a.top().Content()
	switch {
	case a.Size.TooSmall():
	case a.dialog != nil:
		a.frame.scroll.by(by)
	case c.List == nil || c.Rows == nil:
	case a.inDetail():
		a.pane.scrollBy(by)
	default:
		c.List.Move(c.Rows, by)
		return a.moved()
	}
	return nil
}

// click is a mouse click on a row of a list.
type click struct {
	on  screen.Screen
	row string // the name of the row: rows may be sorted again between two clicks
	at  time.Time
}

// twice is the maximum time between the two clicks of a double click.
const twice = 500 * time.Millisecond

// click handles a click of the left button. It presses a button of the dialog, runs the action of
// a hint, shows a tab, or puts the cursor on a row. A double click opens the row.
func (a *app) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft || a.Size.TooSmall() {
		return nil
	}
	if a.dialog != nil {
		if n, ok := pressed(a.frame.buttons, m); ok && !a.inGrace() {
			return a.dialog.Press(n)
		}
		return nil
	}
	if m.Y == a.Size.Height-1 {
		if key, ok := a.frame.hintAt(m.X); ok {
			return a.key(key)
		}
		return nil
	}
	if m.Y == 1 && len(a.stack) == 0 {
		if n, ok := pressed(a.frame.names, m); ok {
			return a.act(a.tabs[n].Info().Action)
		}
		return nil
	}
	c := a.top().Content()
	if c.List == nil || c.Rows == nil || a.frame.clickDetail(m) || m.X >= a.frame.list.width {
		return nil
	}
	a.pane = pane{}
	if !c.List.Click(c.Rows, m.Y-a.frame.list.top) {
		return nil
	}
	before, now := a.clicked, click{a.top(), c.List.Selected(c.Rows), a.Now()}
	if a.clicked = now; before.on != now.on || before.row == "" || !strings.HasPrefix(now.row, before.row) ||
		now.at.Sub(before.at) > twice {
		return nil
	}
	a.clicked = click{}
	if _, typing := a.typing(); typing { // keys go to a field now, but a double click still opens the row
		return a.top().Commands().Act(keymap.Open)
	}
	return a.act(keymap.Open)
}

// hintAt returns the key of the hint at column x of the last row.
func (f *frame) hintAt(x int) (key tea.KeyPressMsg, ok bool) {
	for _, h := range f.hints {
		if x >= h.From && x < h.To {
			return keymap.Pressed(h.Key)
		}
	}
	return key, false
}

// pressed returns the index of the button at the place of a click.
func pressed(buttons []kit.ButtonArea, m tea.Mouse) (index int, ok bool) {
	for _, b := range buttons {
		if m.Y == b.Row && m.X >= b.From && m.X < b.To {
			return b.Index, true
		}
	}
	return 0, false
}

// scroll is the place of a dialog, and its scroll position if it has more rows than the window has room for.
type scroll struct {
	y      int      // the first row of the dialog in the last drawing; 0 before the first drawing
	window kit.Size // the size of the window at that time
	top    int      // the first row to show; below 0, the dialog scrolls to the row with the focus
	drawn  int      // the first shown row in the last drawing
	over   int      // the number of rows that do not fit
	reads  bool     // whether the focus is on neither a field nor a button
	away   bool     // whether the row with the focus is out of view
}

func (s *scroll) drew(b *kit.Box, y int) {
	s.y = y
	s.drawn, s.over, s.reads, s.away = b.Top, b.Over, b.Reads(), b.Away
}

// by scrolls down by a number of rows, or up if the number is negative.
func (s *scroll) by(rows int) { s.top = max(min(s.drawn+rows, s.over), 0) }

// key scrolls if the key is for scrolling. Any other key scrolls back to the row with the focus. presses is true if the
// key presses the button with the focus. key reports whether the dialog must ignore the key: either the key has
// scrolled, or it would press a button that was out of view.
func (s *scroll) key(key string, presses bool) bool {
	const page = 6
	by := map[string]int{"pgdown": page, "pgup": -page}[key]
	if s.reads && by == 0 {
		by = map[string]int{"down": 1, "j": 1, "up": -1, "k": -1}[key]
	}
	if s.over == 0 || by == 0 {
		s.top = -1
		return presses && s.away
	}
	s.by(by)
	return true
}
