package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// frame draws the whole window. It remembers the places of the list, buttons and hints for mouse clicks.
type frame struct {
	*screens

	watcher *watcher
	tip     bool             // whether the tip is still open; see tipLine
	list    area             // the place of the list in the last drawing
	buttons []kit.ButtonArea // the buttons of the dialog in the last drawing
	names   []kit.ButtonArea // the names of the tabs in the last drawing
	hints   []kit.HintArea   // the hints in the last row of the last drawing
	scroll  scroll           // how far the dialog is scrolled
}

// area is the list's place in the window: its first row, its height and its width.
type area struct{ top, height, width int }

// paint draws a screen: all rows of the window except the header and the hints.
func (f *frame) paint(c screen.Content) []string {
	wallAt := -1
	width := f.Size.Width
	if c.DetailSide != nil && f.Size.Wide() {
		width = f.Size.Width - f.Size.BesideWidth() - 1
		wallAt = width
	}
	ground := f.Ground()
	var out []string
	if c.Top != nil {
		out = []string{c.Top.Line, rule(f.Styles, f.Size.Width, c.Top.From, c.Top.To, wallAt, ground)}
	} else {
		out = f.tabBar(ground, wallAt)
	}
	f.pane.truncated = false
	body := f.Size.Body()
	under, room := 0, 1 // room is one row for a message, below the completeness line
	if f.Size.Short() && wallAt < 0 && c.DetailBelow != nil && f.watcher.value == nil {
		room = 0
	}
	if wallAt < 0 && c.DetailBelow != nil {
		under = f.depthOf(c, body-room)
	}
	middle := body - under - room
	if c.Cover != nil {
		middle--
	}
	left := f.middle(c, width, middle, ground)
	if wallAt >= 0 {
		bar := kit.Faint
		if f.inDetail() {
			bar = kit.Accent
		}
		left = kit.Beside(f.Styles, left, f.detail(c.DetailSide, f.Size.Width-width-1, middle, ground, c.Old), bar, ground)
	}
	out = append(out, left...)
	if c.More != nil && c.Cover != nil {
		if at, of := kit.Position(c.Rows, c.List.Top+c.List.Height-1); of > at {
			c.Cover.Left = c.More(of - at)
		}
	}
	if c.Cover != nil {
		at, joint := wallAt, kit.WallUp
		if c.Split > 0 {
			at, joint = c.Split, kit.WallDown
		}
		out = append(out, c.Cover.Draw(f.Styles, f.Size.Width, at, joint, ground))
	}
	if under > 0 {
		// a long sentence may use the row for messages
		out = append(out, f.detail(f.paneOf(c), f.Size.Width, under+room, ground, false)...)
	} else if room > 0 {
		out = append(out, kit.Spaces(f.Size.Width))
	}
	if wallAt < 0 && c.DetailBelow != nil && under == 0 {
		f.pane.truncated = true // there is a detail, and no row for it
	}
	return out
}

// middle draws the part between the rule under the tabs and the completeness line.
func (f *frame) middle(c screen.Content, width, height int, ground kit.Ground) []string {
	var out []string
	if c.Intro != nil {
		d := f.Block(width, height-2, ground, false)
		c.Intro(d)
		out = append(out, d.Lines...)
	}
	if c.Heads != nil {
		l := kit.NewLine(f.Styles, width, ground)
		c.Heads(l)
		out = append(out, l.Done())
	}
	rows := height - len(out)
	if c.EmptyState != nil {
		d := f.Block(width, rows, ground, false)
		c.EmptyState(d)
		return append(out, d.Filled()...)
	}
	sel := kit.Selected
	switch {
	case ground == kit.Backdrop:
		sel = kit.SelectedBehind
	case c.Blurred || c.Old || f.inDetail():
		sel = kit.SelectedUnfocused
	}
	f.list = area{1 + 2 + len(out), rows, width}
	lines := c.List.Draw(f.Styles, c.Rows, width, rows, ground, sel, c.Old)
	if n := c.Rows.Len(); c.AfterRows != nil && n < rows-1 {
		d := f.Block(width, rows-n, ground, false)
		c.AfterRows(d)
		lines = append(lines[:n:n], d.Filled()...)
	}
	return append(out, lines...)
}

// hintLine draws the last row. On the left are the keys of the screen, in the order of their likely use. On the right
// are the keys that work everywhere.
func (f *frame) hintLine(hints []kit.Hint) string {
	l := kit.NewLine(f.Styles, f.Size.Width, kit.Base)
	hints = f.watcher.hints(f.paneHints(hints))
	hints = kit.WithKeys(hints)
	var always []kit.Hint
	if _, typing := f.typing(); !typing { // a field takes all letters
		always = kit.WithKeys([]kit.Hint{
			f.Hint(keymap.Tables, "tables"), f.Hint(keymap.Help, "help"), f.Hint(keymap.Quit, "quit"),
		})
	}
	most := 5
	if f.Size.Width >= 100 {
		most = 8
	}
	hints = hints[:min(len(hints), most)]
	for len(always) > 2 && kit.HintsWidth(hints)+kit.HintsWidth(always)+6 > f.Size.Width {
		always = always[:len(always)-1]
	}
	for len(hints) > 1 && kit.HintsWidth(hints)+kit.HintsWidth(always)+6 > f.Size.Width {
		hints = hints[:len(hints)-1]
	}
	l.Put(kit.Text, " ")
	f.hints = kit.WriteHints(l, hints)
	l.To(f.Size.Width - 1 - kit.HintsWidth(always))
	f.hints = append(f.hints, kit.WriteHints(l, always)...)
	return l.Done()
}

func (f *frame) view() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = safe.Text(strings.Join([]string{"tallylock", f.Connection().Name(), f.place()}, " · "))
	switch {
	case f.Size.Width == 0 || f.Size.Height == 0:
	case f.Size.TooSmall():
		v.SetContent(tooSmall(f.Session, f.dialog == nil))
	default:
		v.SetContent(f.draw())
	}
	return v
}

// draw returns the text of the whole window.
func (f *frame) draw() string {
	c := f.top().Content()
	rows := append([]string{f.header()}, f.paint(c)...)
	said, last := f.Status.Text != "", len(rows)-1
	switch {
	case f.dialog != nil && said:
		rows = append(rows, statusLine(f.Session, kit.Base))
	case f.dialog != nil:
		rows = append(rows, kit.Spaces(f.Size.Width))
	case said:
		rows[last] = statusLine(f.Session, kit.Raise)
	case f.watcher.value != nil:
		rows[last] = f.watcher.line()
	case f.tip && f.Table != nil && len(f.stack) == 0 && f.Tab.Lists: // the tip is about this list
		rows[last] = tipLine(&f.Window)
	}
	if f.dialog == nil {
		return strings.Join(append(rows, f.hintLine(c.Hints)), "\n")
	}
	b := f.dialog.Draw()
	b.Top = f.scroll.top
	if f.scroll.window != f.Size {
		f.scroll.y, f.scroll.window = 0, f.Size
	}
	out, x, y := kit.Overlay(rows, b.Render(f.Size.Height-1), f.Size.Width, f.Size.Height, f.scroll.y)
	f.scroll.drew(b, y)
	f.buttons = f.buttons[:0]
	for _, area := range b.Areas {
		f.buttons = append(f.buttons,
			kit.ButtonArea{Index: area.Index, From: area.From + x, To: area.To + x, Row: area.Row + y})
	}
	return out
}

// tooSmall returns the text for a window below the minimum size. With quits, it includes the key that quits.
func tooSmall(s *session.Session, quits bool) string {
	l := kit.NewLine(s.Styles, s.Size.Width, kit.Raise)
	l.Put(kit.Text, " ")
	l.Put(kit.Key, "tallylock")
	l.Ends(kit.Muted, s.Tab.Name, s.Size.Width-1)
	rows := []string{l.Done()}
	d := kit.NewBlock(s.Styles, s.Size.Width, max(s.Size.Height-2, 0))
	if s.Size.Height > 8 {
		d.Gap()
		d.Gap()
	}
	if s.Size.Height <= 8 {
		d.Para(1, kit.Heading, fmt.Sprintf("Too small: needs %d × %d.", kit.MinWidth, kit.MinHeight))
	} else {
		d.Para(3, kit.Heading, "This window is too small.")
		d.Gap()
		d.Fact("it is", kit.Text.Of(fmt.Sprintf("%d × %d", s.Size.Width, s.Size.Height)))
		d.Fact("needs", kit.Text.Of(fmt.Sprintf("%d × %d", kit.MinWidth, kit.MinHeight)))
		d.Gap()
		d.Para(3, kit.Muted, "Make it larger: the screen then returns.")
	}
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

// tipLine returns the tip: the first step of the README. In a narrow window, the tip does not say why.
func tipLine(w *session.Window) string {
	find, closes := w.Keys.Key(keymap.Find), w.Keys.Key(keymap.Back)+" closes this"
	why := `Somebody says "alan" is taken. `
	if kit.Width(why+"Press  and type alan."+find+closes)+4 > w.Size.Width {
		why = ""
	}
	l := kit.NewLine(w.Styles, w.Size.Width, kit.Raise)
	l.Put(kit.Strong, " "+why+"Press ")
	l.Put(kit.Key, find)
	l.Put(kit.Strong, " and type alan.")
	l.Ends(kit.Muted, closes, w.Size.Width-1)
	return l.Done()
}

func statusLine(s *session.Session, g kit.Ground) string {
	l := kit.NewLine(s.Styles, s.Size.Width, g)
	l.Put(kit.Text, " ")
	k := kit.Strong
	if s.Status.Error {
		k = kit.Warn
		l.Put(kit.Warn|kit.Bold, "! ")
	}
	l.Words(k, s.Status.Text, s.Size.Width-l.At-1)
	return l.Done()
}

// animate redraws the screen every session.Beat while the screen has an animation.
func (a *app) animate() tea.Cmd {
	if a.animating || !a.waiting() {
		return nil
	}
	a.animating = true
	return a.Tasks.After(session.Beat, func() tea.Cmd {
		a.animating = false
		return nil
	})
}

// tabBar draws rows 1 and 2: the names of the tabs, and the rule under them.
func (f *frame) tabBar(behind kit.Ground, wall int) []string {
	var all []kit.Hint
	for _, t := range f.tabs {
		all = append(all, f.Hint(t.Info().Action, t.Info().Name+badge(t)))
	}
	gap := 3
	if 1+kit.HintsWidth(all) > f.Size.Width {
		gap = 1
	}
	l := kit.NewLine(f.Styles, f.Size.Width, behind)
	from, to := 0, 0
	f.names = f.names[:0]
	for n, t := range f.tabs {
		l.To(1)
		if n > 0 {
			l.To(l.At + gap)
		}
		start, info := l.At, t.Info()
		digit, word := kit.Muted, kit.Muted
		if f.Tab == info {
			digit, word = kit.Accent, kit.Heading
		}
		if info.Lists && client.KindOf(f.browse.Unreadable()) == client.Denied {
			digit, word = kit.Faint, kit.Faint
		}
		l.Put(digit, all[n].Key)
		l.Put(word, " "+info.Name)
		l.Put(kit.Warn|kit.Bold, badge(t))
		if f.Tab == info {
			from, to = start, l.At
		}
		f.names = append(f.names, kit.ButtonArea{Index: n, From: start, To: l.At, Row: 1})
	}
	return []string{l.Done(), rule(f.Styles, f.Size.Width, from, to, wall, behind)}
}

// rule draws a thin line across the window. Between the columns from and to, under the active tab or the
// heading, the line is heavy. At column wall, it joins the line between list and detail; wall is −1 if there is
// no detail beside the list.
func rule(st *kit.Styles, width, from, to, wall int, behind kit.Ground) string {
	l := kit.NewLine(st, width, behind)
	l.Run(kit.Faint, kit.RuleThin, from)
	l.Run(kit.Accent, kit.RuleHeavy, to-from)
	if wall >= 0 && wall > l.At {
		l.Run(kit.Faint, kit.RuleThin, wall-l.At)
		l.Run(kit.Faint, kit.WallDown, 1)
	}
	l.Run(kit.Faint, kit.RuleThin, width-l.At)
	return l.Done()
}
