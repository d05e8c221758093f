package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// pane is the state of the detail beside or below a list. With the focus, the detail grows as far as there is room,
// shows everything, and scrolls.
type pane struct {
	of  screen.Screen // the screen whose detail has the focus; nil if the list has it
	top int           // the first shown row
	// rows is the number of all rows of the detail, and height the number of drawn rows. truncated is true if the detail,
	// without the focus, had no room for all rows.
	rows, height int
	truncated    bool
}

// tall is the height of a block that has room for every row of a detail.
const tall = 1 << 16

// inDetail reports whether the detail of the screen has the focus.
func (s *screens) inDetail() bool { return s.pane.of != nil && s.pane.of == s.top() }

// readDetail gives the focus to the detail, or back to the list.
func (s *screens) readDetail() tea.Cmd {
	if s.inDetail() {
		s.pane = pane{}
	} else {
		s.pane = pane{of: s.top()}
	}
	return nil
}

// whyDetail returns the reason why there is no detail to read; empty if there is one.
func whyDetail(c screen.Content, size kit.Size) string {
	if size.Wide() && c.DetailSide != nil || c.DetailBelow != nil {
		return ""
	}
	return "this screen has no details"
}

// paneOf returns the function that draws the detail below the list. With the focus, it is the full detail, which a wide
// window shows beside the list.
func (s *screens) paneOf(c screen.Content) func(d *kit.Block) {
	if s.inDetail() && c.Read != nil {
		return c.Read
	}
	if s.inDetail() && c.DetailSide != nil {
		return c.DetailSide
	}
	return c.DetailBelow
}

// detail draws a detail into height rows. Without the focus, it draws the beginning of the detail. With the
// focus, it draws the rows at the scroll position.
func (f *frame) detail(write func(d *kit.Block), width, height int, g kit.Ground, quiet bool) []string {
	p := &f.pane
	if !f.inDetail() {
		d := f.Block(width, height, g, quiet)
		write(d)
		p.truncated = d.Truncated
		return d.Filled()
	}
	all := f.whole(write, width, g, quiet)
	p.rows, p.height, p.truncated = len(all), height, false
	p.top = max(min(p.top, len(all)-height), 0)
	shown := f.Block(width, height, g, quiet)
	shown.Lines = all[p.top:min(p.top+height, len(all))]
	return shown.Filled()
}

// whole returns all rows of a detail, without empty rows at the end.
func (f *frame) whole(write func(d *kit.Block), width int, g kit.Ground, quiet bool) []string {
	d := f.Block(width, tall, g, quiet)
	d.Whole = true
	write(d)
	empty := kit.NewLine(f.Styles, width, g).Done()
	for n := len(d.Lines); n > 0 && d.Lines[n-1] == empty; n-- {
		d.Lines = d.Lines[:n-1]
	}
	return d.Lines
}

// depthOf returns the number of rows for a detail beneath the list: c.Depth, at most one in a short window.
// With the focus, the detail gets all the rows that it needs, but leaves six rows for the list.
func (f *frame) depthOf(c screen.Content, body int) int {
	depth := c.Depth
	if f.Size.Short() {
		depth = min(depth, 1)
	}
	if !f.inDetail() {
		return depth
	}
	const stays = 6
	return max(min(len(f.whole(f.paneOf(c), f.Size.Width, kit.Base, false)), body-stays), depth)
}

// scrollBy scrolls the detail by a number of rows.
func (p *pane) scrollBy(rows int) { p.top = max(min(p.top+rows, p.rows-p.height), 0) }

// paneHints adds the hints of the detail: the keys that give it the focus, scroll it, and leave it.
func (f *frame) paneHints(hints []kit.Hint) []kit.Hint {
	_, typing := f.typing()
	switch {
	case typing, !f.inDetail() && !f.pane.truncated:
		return hints
	case !f.inDetail():
		more := f.Hint(keymap.Detail, "more")
		if len(hints) == 0 {
			return []kit.Hint{more}
		}
		return append([]kit.Hint{hints[0], more}, hints[1:]...)
	}
	own := []kit.Hint{f.Hint(keymap.Detail, "to the list")}
	if f.pane.rows > f.pane.height {
		own = append(own, kit.Hint{Key: f.Keys.Key(keymap.Down) + " " + f.Keys.Key(keymap.Up), Words: "scroll"})
	}
	return append(own, hints...)
}

// clickDetail gives the focus to the detail if the click is on it and not all of the detail is visible. It
// reports whether it did.
func (f *frame) clickDetail(m tea.Mouse) bool {
	if !f.pane.truncated || (m.X < f.list.width && m.Y < f.list.top+f.list.height) || m.Y <= 2 ||
		m.Y >= f.Size.Height-1 {
		return false
	}
	f.readDetail()
	return true
}
