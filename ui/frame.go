package ui

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// frame puts what is looked at together, and remembers where it stands, for the mouse.
type frame struct {
	*session.Session

	screens *screens
	watcher *watcher
	tip     bool             // the line of what to try first has not been closed
	list    area             // of the screen, as drawn
	buttons []kit.ButtonArea // of the dialog, as drawn
	hints   []kit.HintArea   // in the last line, as drawn
	scroll  scroll           // of the dialog
}

// area is where on the screen the list stands, for the mouse.
type area struct{ top, height, width int }

// paint puts a screen's picture together: rows 1 to the last.
func (f *frame) paint(c screen.Content) []string {
	wallAt := -1
	width := f.Size.Width
	if c.Beside != nil && f.Size.Wide() {
		width = f.Size.Width - f.Size.BesideWidth() - 1
		wallAt = width
	}
	ground := f.Ground()
	var out []string
	if c.Top != nil {
		out = []string{c.Top.Line, rule(f.Styles, f.Size.Width, c.Top.From, c.Top.To, wallAt, ground)}
	} else {
		out = f.tabs(ground, wallAt)
	}
	f.screens.pane.lacks = false
	body := f.Size.Body()
	under, room := 0, 1 // room for a message, below what is known
	if f.Size.Short() && wallAt < 0 && c.Beneath != nil && f.watcher.value == nil {
		room = 0
	}
	if wallAt < 0 && c.Beneath != nil {
		under = f.depthOf(c, body-room)
	}
	middle := body - under - room
	if c.Cover != nil {
		middle--
	}
	left := f.middle(c, width, middle, ground)
	if wallAt >= 0 {
		bar := kit.Faint
		if f.screens.inDetail() {
			bar = kit.Accent
		}
		left = kit.Beside(f.Styles, left, f.detail(c.Beside, f.Size.Width-width-1, middle, ground, c.Old), bar, ground)
	}
	out = append(out, left...)
	if c.More != nil && c.Cover != nil {
		if n := hidden(c.Rows, c.List.Top+c.List.Height); n > 0 {
			c.Cover.Left = c.More(n)
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
		out = append(
			out,
			f.detail(f.screens.paneOf(c), f.Size.Width, under+room, ground, false)...) // a long sentence may take the room below
	} else if room > 0 {
		out = append(out, kit.Spaces(f.Size.Width))
	}
	return out
}

// hidden counts the rows from a line on.
func hidden(rows kit.Source, from int) int {
	n := 0
	for at := from; at < rows.Len(); at++ {
		if _, _, ok := rows.Row(at); ok {
			n++
		}
	}
	return n
}

// middle is the part between the rule and the completeness line.
func (f *frame) middle(c screen.Content, width, height int, ground kit.Ground) []string {
	var out []string
	if c.Above != nil {
		d := f.Block(width, height-2, ground, false)
		c.Above(d)
		out = append(out, d.Lines...)
	}
	if c.Instead != nil {
		if c.Heads != nil {
			out = append(out, heads(f.Styles, c, width, ground))
		}
		d := f.Block(width, height-len(out), ground, false)
		c.Instead(d)
		return append(out, d.Filled()...)
	}
	if c.Heads != nil {
		out = append(out, heads(f.Styles, c, width, ground))
	}
	rows := height - len(out)
	sel := kit.Selected
	switch {
	case ground == kit.Backdrop:
		sel = kit.SelectedBehind
	case c.Blurred || c.Old || f.screens.inDetail():
		sel = kit.SelectedUnfocused
	}
	f.list = area{1 + 2 + len(out), rows, width}
	lines := c.List.Draw(f.Styles, c.Rows, width, rows, ground, sel, c.Old)
	if n := c.Rows.Len(); c.Below != nil && n < rows-1 {
		d := f.Block(width, rows-n, ground, false)
		c.Below(d)
		lines = append(lines[:n:n], d.Filled()...)
	}
	return append(out, lines...)
}

func heads(st *kit.Styles, c screen.Content, width int, ground kit.Ground) string {
	l := kit.NewLine(st, width, ground)
	c.Heads(l)
	return l.Done()
}

// hintLine writes the last row: what can be pressed, the likeliest first, and
// on the right what works everywhere.
func (f *frame) hintLine(hints []kit.Hint, ground kit.Ground) string {
	l := kit.NewLine(f.Styles, f.Size.Width, ground)
	hints = f.watcher.hints(f.paneHints(hints))
	always := []kit.Hint{f.Hint(keymap.Tables, "tables"), f.Hint(keymap.Help, "help"), f.Hint(keymap.Quit, "quit")}
	if _, typing := f.screens.typing(); typing { // letters are letters
		always = nil
	}
	hints = kit.WithKeys(hints)
	always = kit.WithKeys(always)
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
