package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// wheel moves the cursor, or scrolls a dialog, or the detail where that has the focus.
func (a *app) wheel(m tea.Mouse) tea.Cmd {
	by := map[tea.MouseButton]int{tea.MouseWheelDown: 3, tea.MouseWheelUp: -3}[m.Button]
	switch {
	case a.Size.TooSmall():
		return nil
	case a.screens.dialog != nil:
		a.frame.scroll.by(by)
		return nil
	}
	c := a.screens.top().Content()
	if c.List == nil || c.Rows == nil {
		return nil
	}
	if a.screens.inDetail() {
		a.screens.pane.scrollBy(by)
		return nil
	}
	c.List.Move(c.Rows, by)
	return a.screens.readFor(true)
}

// click is one on a row of a list.
type click struct {
	on  screen.Screen
	row string // as it is told apart: the rows may be sorted anew between two clicks
	at  time.Time
}

// again reports whether a click, together with the one before, opens the row.
func (c click) again(before click) bool {
	return before.on == c.on && before.row != "" && strings.HasPrefix(c.row, before.row) && c.at.Sub(before.at) <= twice
}

// twice is within what time two clicks on a row are one that opens it.
const twice = 500 * time.Millisecond

// click presses a button of a dialog, does what a hint says, goes to a tab, or puts the
// cursor on a row; twice, it opens the row.
func (a *app) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft || a.Size.TooSmall() {
		return nil
	}
	if a.screens.dialog != nil {
		for _, b := range a.frame.buttons {
			if m.Y == b.Row && m.X >= b.From && m.X < b.To && !a.inGrace() {
				return a.screens.dialog.Press(b.Index)
			}
		}
		return nil
	}
	if m.Y == a.Size.Height-1 {
		if key, ok := a.frame.hintAt(m.X); ok {
			return a.key(key)
		}
		return nil
	}
	if m.Y == 1 && len(a.screens.stack) == 0 {
		if t, ok := a.frame.tabAt(m.X); ok {
			return a.act(t.Action())
		}
		return nil
	}
	c := a.screens.top().Content()
	if c.List == nil || c.Rows == nil || a.frame.clickDetail(m) || m.X >= a.frame.list.width {
		return nil
	}
	a.screens.pane = pane{}
	if !c.List.Click(c.Rows, m.Y-a.frame.list.top) {
		return nil
	}
	before, now := a.clicked, click{a.screens.top(), c.List.Selected(c.Rows), a.Now()}
	if a.clicked = now; !now.again(before) {
		return nil
	}
	a.clicked = click{}
	if _, typing := a.screens.typing(); typing { // what is on the screen is opened, whatever keys mean now
		return a.screens.top().Commands().Act(keymap.Open)
	}
	return a.act(keymap.Open)
}

// hintAt is the key of the hint at a column.
func (f *frame) hintAt(x int) (key tea.KeyPressMsg, ok bool) {
	for _, h := range f.hints {
		if x >= h.From && x < h.To {
			return keymap.Pressed(h.Key)
		}
	}
	return key, false
}

// tabAt is the tab at a column.
func (f *frame) tabAt(x int) (t session.Tab, ok bool) {
	at := 1
	for t := range session.Tabs {
		end := at + len(f.Keys.Key(t.Action())) + 1 + len(t.String()) + len(f.screens.tabCount(t))
		if x >= at && x < end {
			return t, true
		}
		at = end + f.tabGap()
	}
	return 0, false
}
