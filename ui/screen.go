package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
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
	above func(d *doc)
	// heads writes the list's heads; list and rows are the list itself.
	heads func(l *line)
	list  *list
	rows  source
	// instead replaces the list where there is nothing to choose from.
	instead func(d *doc)
	// below follows the list's rows where there is room.
	below func(d *doc)
	// more says on the completeness line that rows below do not fit.
	more func(n int) []span
	// cover is the completeness line; nil for none.
	cover *coverage
	// beneath is the detail under the list, of depth rows. beside stands next to
	// it on wide screens, and beneath it while it is read.
	beneath func(d *doc)
	depth   int
	beside  func(d *doc)
	// split is the column of a line that runs on beneath the completeness line;
	// 0 for none.
	split int
	// old says that what is shown is no longer so.
	old bool
	// blurred says that the list has lost the focus to a field.
	blurred bool
	hints   []hint
}

// hint is a key and one to three words.
type hint struct{ key, words string }

// hint makes a hint for an action, or none where it has no key.
func (a *app) hint(action keymap.Action, words string) hint {
	return hint{a.keys.Key(action), words}
}

// area is where on the screen the list stands, for the mouse.
type area struct{ top, height, width int }

// paint puts a screen's picture together: rows 1 to the last.
func (a *app) paint(c content, behind bool) []string {
	wallAt := -1
	width := a.size.w
	if c.beside != nil && a.size.wide() {
		width = a.size.w - a.size.besideWidth() - 1
		wallAt = width
	}
	out := c.top
	ground := base
	if behind {
		ground = backdrop
	}
	if out == nil {
		out = a.tabs(ground, wallAt)
	} else if wallAt >= 0 {
		out = []string{out[0], a.rule(a.underline.from, a.underline.to, wallAt, ground)}
	}
	a.reading.lacks = false
	body := a.size.body()
	under, room := 0, 1
	if a.size.short() || a.size.wide() {
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
		bar := asFaint
		if a.inDetail() {
			bar = asAccent
		}
		left = beside(a.st, left, a.detail(c.beside, a.size.w-width-1, middle, ground, c.old), bar, ground)
	}
	out = append(out, left...)
	if c.more != nil && c.cover != nil {
		if n := hidden(c.rows, c.list.top+c.list.height); n > 0 {
			c.cover.left = c.more(n)
		}
	}
	if c.cover != nil {
		at, joint := wallAt, wallUp
		if c.split > 0 {
			at, joint = c.split, wallDown
		}
		out = append(out, c.cover.draw(a.st, a.size.w, at, joint, ground))
	}
	if under > 0 {
		out = append(out, a.detail(c.reading(a), a.size.w, under+room, ground, false)...) // a long sentence may take the room below
	} else if room > 0 {
		out = append(out, spaces(a.size.w))
	}
	return out
}

// hidden counts the rows from a line on.
func hidden(rows source, from int) int {
	n := 0
	for at := from; at < rows.Len(); at++ {
		if _, _, ok := rows.Row(at); ok {
			n++
		}
	}
	return n
}

// middle is the part between the rule and the completeness line.
func (a *app) middle(c content, width, height int, ground ground) []string {
	var out []string
	if c.above != nil {
		d := a.newDoc(width, height-2, ground, false)
		c.above(d)
		out = append(out, d.lines...)
	}
	if c.instead != nil {
		if c.heads != nil {
			out = append(out, a.head(c, width, ground))
		}
		d := a.newDoc(width, height-len(out), ground, false)
		c.instead(d)
		return append(out, d.filled()...)
	}
	if c.heads != nil {
		out = append(out, a.head(c, width, ground))
	}
	rows := height - len(out)
	sel := selection
	switch {
	case ground == backdrop:
		sel = keptBehind
	case c.blurred || c.old || a.inDetail():
		sel = kept
	}
	a.list = area{1 + 2 + len(out), rows, width}
	lines := c.list.draw(a.st, c.rows, width, rows, ground, sel, c.old)
	if n := c.rows.Len(); c.below != nil && n < rows-1 {
		d := a.newDoc(width, rows-n, ground, false)
		c.below(d)
		lines = append(lines[:n:n], d.filled()...)
	}
	return append(out, lines...)
}

func (a *app) head(c content, width int, ground ground) string {
	l := newLine(a.st, width, ground)
	c.heads(l)
	return l.done()
}

func (a *app) newDoc(width, height int, g ground, quiet bool) *doc {
	d := newDoc(a.st, width, height)
	d.ground, d.quiet = g, quiet
	return d
}

// hintLine writes the last row: what can be pressed, the likeliest first, and
// on the right what works everywhere.
func (a *app) hintLine(hints []hint, ground ground) string {
	l := newLine(a.st, a.size.w, ground)
	hints = a.readingHints(hints)
	always := []hint{a.hint(keymap.Tables, "tables"), a.hint(keymap.Help, "help"), a.hint(keymap.Quit, "quit")}
	if _, typing := a.typing(); typing { // letters are letters
		always = nil
	}
	hints = present(hints)
	always = present(always)
	most := 5
	if a.size.w >= 100 {
		most = 8
	}
	hints = hints[:min(len(hints), most)]
	for len(always) > 2 && hintsWidth(hints)+hintsWidth(always)+6 > a.size.w {
		always = always[:len(always)-1]
	}
	for len(hints) > 1 && hintsWidth(hints)+hintsWidth(always)+6 > a.size.w {
		hints = hints[:len(hints)-1]
	}
	l.put(asText, " ")
	writeHints(l, hints)
	l.to(a.size.w - 1 - hintsWidth(always))
	writeHints(l, always)
	return l.done()
}

func present(hints []hint) []hint {
	var out []hint
	for _, h := range hints {
		if h.key != "" {
			out = append(out, h)
		}
	}
	return out
}

func hintsWidth(hints []hint) int {
	w := 0
	for n, h := range hints {
		if n > 0 {
			w += 3
		}
		w += cells(h.key) + 1 + cells(h.words)
	}
	return w
}

func writeHints(l *line, hints []hint) {
	for n, h := range hints {
		if n > 0 {
			l.put(asText, "   ")
		}
		l.put(asKey, h.key)
		l.put(asMuted, " "+h.words)
	}
}
