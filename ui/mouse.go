package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// wheel moves the cursor, or scrolls a dialog, or the detail where that has the focus.
func (a *app) wheel(m tea.Mouse) tea.Cmd {
	by := map[tea.MouseButton]int{tea.MouseWheelDown: 3, tea.MouseWheelUp: -3}[m.Button]
	switch {
	case a.Size.TooSmall():
		return nil
	case a.dialog != nil:
		a.frame.scroll.by(by)
		return nil
	}
	c := a.top().Content()
	if c.List == nil || c.Rows == nil {
		return nil
	}
	if a.inDetail() {
		a.pane.scrollBy(by)
		return nil
	}
	c.List.Move(c.Rows, by)
	return a.readFor(true)
}

// click is one on a row of a list.
type click struct {
	on  screen.Screen
	row string // as it is told apart: the rows may be sorted anew between two clicks
	at  time.Time
}

// twice is within what time two clicks on a row are one that opens it.
const twice = 500 * time.Millisecond

// click presses a button of a dialog, does what a hint says, goes to a tab, or puts the
// cursor on a row; twice, it opens the row.
func (a *app) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft || a.Size.TooSmall() {
		return nil
	}
	if a.dialog != nil {
		for _, b := range a.frame.buttons {
			if m.Y == b.Row && m.X >= b.From && m.X < b.To && !a.inGrace() {
				return a.dialog.Press(b.Index)
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
	if m.Y == 1 && len(a.stack) == 0 {
		if t, ok := a.frame.tabAt(m.X); ok {
			return a.act(t.Info().Action)
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
	if _, typing := a.typing(); typing { // what is on the screen is opened, whatever keys mean now
		return a.top().Commands().Act(keymap.Open)
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
func (f *frame) tabAt(x int) (t screen.Tab, ok bool) {
	at := 1
	for _, t := range f.tabs {
		end := at + f.tabWidth(t)
		if x >= at && x < end {
			return t, true
		}
		at = end + f.tabGap()
	}
	return nil, false
}

// scroll is how far a dialog is scrolled that the window is too low for.
type scroll struct {
	top   int  // the first row shown; below 0 the dialog shows what has the focus
	drawn int  // the first row that was shown
	over  int  // how many rows there is no room for
	reads bool // nothing in it has the focus
	away  bool // what has the focus is out of view
}

func (s *scroll) drew(b *kit.Box) {
	s.drawn, s.over, s.reads, s.away = b.Top, b.Over, b.Reads(), b.Away
}

// by scrolls so many rows.
func (s *scroll) by(rows int) { s.top = max(min(s.drawn+rows, s.over), 0) }

// key takes a key, and reports whether it scrolls. Any other shows what has the focus again;
// one that presses what is out of view does no more than that.
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
