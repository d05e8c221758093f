package ui

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// area is where on the screen the list stands, for the mouse.
type area struct{ top, height, width int }

// paint puts a screen's picture together: rows 1 to the last.
func (a *app) paint(c screen.Content) []string {
	wallAt := -1
	width := a.Size.Width
	if c.Beside != nil && a.Size.Wide() {
		width = a.Size.Width - a.Size.BesideWidth() - 1
		wallAt = width
	}
	ground := a.Ground()
	var out []string
	if c.Top != nil {
		out = []string{c.Top.Line, a.rule(c.Top.From, c.Top.To, wallAt, ground)}
	} else {
		out = a.tabs(ground, wallAt)
	}
	a.reading.lacks = false
	body := a.Size.Body()
	under, room := 0, 1 // room for a message, below what is known
	if a.Size.Short() && wallAt < 0 && c.Beneath != nil {
		room = 0
	}
	if wallAt < 0 && c.Beneath != nil {
		under = a.depthOf(c, body-room)
	}
	middle := body - under - room
	if c.Cover != nil {
		middle--
	}
	left := a.middle(c, width, middle, ground)
	if wallAt >= 0 {
		bar := kit.Faint
		if a.inDetail() {
			bar = kit.Accent
		}
		left = kit.Beside(a.Styles, left, a.detail(c.Beside, a.Size.Width-width-1, middle, ground, c.Old), bar, ground)
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
		out = append(out, c.Cover.Draw(a.Styles, a.Size.Width, at, joint, ground))
	}
	if under > 0 {
		out = append(out, a.detail(a.readingOf(c), a.Size.Width, under+room, ground, false)...) // a long sentence may take the room below
	} else if room > 0 {
		out = append(out, kit.Spaces(a.Size.Width))
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
func (a *app) middle(c screen.Content, width, height int, ground kit.Ground) []string {
	var out []string
	if c.Above != nil {
		d := a.Block(width, height-2, ground, false)
		c.Above(d)
		out = append(out, d.Lines...)
	}
	if c.Instead != nil {
		if c.Heads != nil {
			out = append(out, a.head(c, width, ground))
		}
		d := a.Block(width, height-len(out), ground, false)
		c.Instead(d)
		return append(out, d.Filled()...)
	}
	if c.Heads != nil {
		out = append(out, a.head(c, width, ground))
	}
	rows := height - len(out)
	sel := kit.Selected
	switch {
	case ground == kit.Backdrop:
		sel = kit.SelectedBehind
	case c.Blurred || c.Old || a.inDetail():
		sel = kit.SelectedUnfocused
	}
	a.list = area{1 + 2 + len(out), rows, width}
	lines := c.List.Draw(a.Styles, c.Rows, width, rows, ground, sel, c.Old)
	if n := c.Rows.Len(); c.Below != nil && n < rows-1 {
		d := a.Block(width, rows-n, ground, false)
		c.Below(d)
		lines = append(lines[:n:n], d.Filled()...)
	}
	return append(out, lines...)
}

func (a *app) head(c screen.Content, width int, ground kit.Ground) string {
	l := kit.NewLine(a.Styles, width, ground)
	c.Heads(l)
	return l.Done()
}

// hintLine writes the last row: what can be pressed, the likeliest first, and
// on the right what works everywhere.
func (a *app) hintLine(hints []kit.Hint, ground kit.Ground) string {
	l := kit.NewLine(a.Styles, a.Size.Width, ground)
	hints = a.readingHints(hints)
	always := []kit.Hint{a.Hint(keymap.Tables, "tables"), a.Hint(keymap.Help, "help"), a.Hint(keymap.Quit, "quit")}
	if _, typing := a.typing(); typing { // letters are letters
		always = nil
	}
	hints = kit.WithKeys(hints)
	always = kit.WithKeys(always)
	most := 5
	if a.Size.Width >= 100 {
		most = 8
	}
	hints = hints[:min(len(hints), most)]
	for len(always) > 2 && kit.HintsWidth(hints)+kit.HintsWidth(always)+6 > a.Size.Width {
		always = always[:len(always)-1]
	}
	for len(hints) > 1 && kit.HintsWidth(hints)+kit.HintsWidth(always)+6 > a.Size.Width {
		hints = hints[:len(hints)-1]
	}
	l.Put(kit.Text, " ")
	a.hints = kit.WriteHints(l, hints)
	l.To(a.Size.Width - 1 - kit.HintsWidth(always))
	a.hints = append(a.hints, kit.WriteHints(l, always)...)
	return l.Done()
}
