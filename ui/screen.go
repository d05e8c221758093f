package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
)

// screen is one thing to look at: a tab, or what was opened on top of it.
type screen interface {
	// about says what is selected, for the help: "accounts, an orphaned lock".
	about() string
	// content is what to show.
	content() content
	// act does what a key asks for.
	act(keymap.Action) tea.Cmd
	// why says why an action does nothing here; empty where it does something.
	why(keymap.Action) string
}

// content is a screen's picture: the app puts frame, list and detail together,
// so that they stand alike everywhere.
type content struct {
	// top is rows 1 and 2 of a screen without tabs.
	top []string
	// above is what stands over the list.
	above func(d *kit.Block)
	// heads writes the list's heads; list and rows are the list itself.
	heads func(l *kit.Line)
	list  *kit.List
	rows  kit.Source
	// instead replaces the list where there is nothing to choose from.
	instead func(d *kit.Block)
	// below follows the list's rows where there is room.
	below func(d *kit.Block)
	// more says on the completeness line that rows below do not fit.
	more func(n int) []kit.Span
	// cover is the completeness line; nil for none.
	cover *kit.Coverage
	// beneath is the detail under the list, of depth rows. beside stands next to
	// it on wide screens, and beneath it while it is read.
	beneath func(d *kit.Block)
	depth   int
	beside  func(d *kit.Block)
	// split is the column of a line that runs on beneath the completeness line;
	// 0 for none.
	split int
	// old says that what is shown is no longer so.
	old bool
	// blurred says that the list has lost the focus to a field.
	blurred bool
	hints   []kit.Hint
}

// area is where on the screen the list stands, for the mouse.
type area struct{ top, height, width int }

// paint puts a screen's picture together: rows 1 to the last.
func (a *app) paint(c content, behind bool) []string {
	wallAt := -1
	width := a.Size.Width
	if c.beside != nil && a.Size.Wide() {
		width = a.Size.Width - a.Size.BesideWidth() - 1
		wallAt = width
	}
	out := c.top
	ground := kit.Base
	if behind {
		ground = kit.Backdrop
	}
	if out == nil {
		out = a.tabs(ground, wallAt)
	} else if wallAt >= 0 {
		out = []string{out[0], a.rule(a.underline.from, a.underline.to, wallAt, ground)}
	}
	a.reading.lacks = false
	body := a.Size.Body()
	under, room := 0, 1
	if a.Size.Short() || a.Size.Wide() {
		room = 0
	}
	if wallAt < 0 && c.beneath != nil {
		under = a.depthOf(c, body-room)
	}
	middle := body - under - room
	if c.cover != nil {
		middle--
	}
	left := a.middle(c, width, middle, ground)
	if wallAt >= 0 {
		bar := kit.Faint
		if a.inDetail() {
			bar = kit.Accent
		}
		left = kit.Beside(a.Styles, left, a.detail(c.beside, a.Size.Width-width-1, middle, ground, c.old), bar, ground)
	}
	out = append(out, left...)
	if c.more != nil && c.cover != nil {
		if n := hidden(c.rows, c.list.Top+c.list.Height); n > 0 {
			c.cover.Left = c.more(n)
		}
	}
	if c.cover != nil {
		at, joint := wallAt, kit.WallUp
		if c.split > 0 {
			at, joint = c.split, kit.WallDown
		}
		out = append(out, c.cover.Draw(a.Styles, a.Size.Width, at, joint, ground))
	}
	if under > 0 {
		out = append(out, a.detail(c.reading(a), a.Size.Width, under+room, ground, false)...) // a long sentence may take the room below
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
func (a *app) middle(c content, width, height int, ground kit.Ground) []string {
	var out []string
	if c.above != nil {
		d := a.Block(width, height-2, ground, false)
		c.above(d)
		out = append(out, d.Lines...)
	}
	if c.instead != nil {
		if c.heads != nil {
			out = append(out, a.head(c, width, ground))
		}
		d := a.Block(width, height-len(out), ground, false)
		c.instead(d)
		return append(out, d.Filled()...)
	}
	if c.heads != nil {
		out = append(out, a.head(c, width, ground))
	}
	rows := height - len(out)
	sel := kit.Selected
	switch {
	case ground == kit.Backdrop:
		sel = kit.SelectedBehind
	case c.blurred || c.old || a.inDetail():
		sel = kit.SelectedUnfocused
	}
	a.list = area{1 + 2 + len(out), rows, width}
	lines := c.list.Draw(a.Styles, c.rows, width, rows, ground, sel, c.old)
	if n := c.rows.Len(); c.below != nil && n < rows-1 {
		d := a.Block(width, rows-n, ground, false)
		c.below(d)
		lines = append(lines[:n:n], d.Filled()...)
	}
	return append(out, lines...)
}

func (a *app) head(c content, width int, ground kit.Ground) string {
	l := kit.NewLine(a.Styles, width, ground)
	c.heads(l)
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
	kit.WriteHints(l, hints)
	l.To(a.Size.Width - 1 - kit.HintsWidth(always))
	kit.WriteHints(l, always)
	return l.Done()
}
