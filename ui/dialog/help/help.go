// Package help is the dialog that lists the keys. Start reading at Ask.
package help

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check/finding"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Subject is the screen whose keys the dialog lists.
type Subject struct {
	// About names the selection of the screen.
	About func() string
	// Commands returns all commands on the screen, including those of the program.
	Commands func() screen.Commands
}

// help lists the keys that work on the selection, and says why other keys do nothing.
type help struct {
	*session.Session
	Subject
	search *kit.Field // nil unless searching
}

// Ask shows the keys.
func Ask(s *session.Session, of Subject) tea.Cmd {
	return s.Send(message.Ask{Dialog: &help{Session: s, Subject: of}})
}

// The dialog widths for two columns of keys and for four columns.
const (
	twoColumns  = 72
	fourColumns = 136
	widest      = 180 // the dialog's largest width: each sentence fits on one line
)

func (h *help) Draw() *kit.Box {
	all := h.Commands()
	b := kit.NewBox(h.Styles, h.Size.Width, kit.Accent, kit.Heading.Of("Keys"), kit.Muted.Of(" · "+safe.Text(h.About())))
	columns := 1
	switch b.Width = min(widest, h.Size.Width-2); {
	case b.Width >= fourColumns:
		columns = 4
	case b.Width >= twoColumns:
		b.Width, columns = twoColumns, 2
	}
	if h.search != nil {
		h.drawSearch(b, all)
		return b
	}
	b.Gap()
	groups := slices.DeleteFunc([]group{
		h.groupOf(all, keymap.Move, "MOVE"), h.groupOf(all, keymap.Look, "LOOK"),
		h.groupOf(all, keymap.Change, "CHANGE"), h.groupOf(all, keymap.Take, "COPY, SAVE"),
	}, func(g group) bool { return len(g.rows) == 0 })
	for side := range slices.Chunk(groups, columns) {
		drawColumns(b, side, (b.Inner()-2)/columns)
		b.Gap()
	}
	h.refused(b, all)
	if columns == 4 && h.Size.Height >= 40 {
		drawSigns(b)
	}
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(b.Inner() - 29)
		l.Put(kit.Key, h.Keys.Key(keymap.Find))
		l.Put(kit.Muted, " search   ")
		l.Put(kit.Key, h.Keys.Key(keymap.Help))
		l.Put(kit.Muted, " or ")
		l.Put(kit.Key, h.Keys.Key(keymap.Back))
		l.Put(kit.Muted, " close")
	})
	return b
}

// group holds the keys of one kind, with a heading.
type group struct {
	heading string
	rows    []row
}

type row struct{ key, words string }

// groupOf returns the actions of a group that work now.
func (h *help) groupOf(all screen.Commands, of keymap.Group, heading string) group {
	out, said := group{heading: heading}, map[keymap.Action]bool{keymap.Help: true} // the foot of the dialog shows Help
	for _, info := range h.Keys.Of(keymap.Screen) {
		if info.Group != of || said[info.Action] || !h.isUsable(all, info.Action) {
			continue
		}
		one := row{h.Keys.Key(info.Action), all.Says(info.Action)}
		c, _ := all.Of(info.Action)
		between := " "
		for _, with := range c.With {
			if !h.isUsable(all, with) {
				continue
			}
			said[with] = true
			one.words = c.Both
			if both := info.Keys[0] + between + h.Keys.Key(with); kit.Width(both) < 9 {
				one.key = both
			}
			between = " - "
		}
		out.rows = append(out.rows, one)
	}
	return out
}

// isUsable reports whether an action has a key and works now.
func (h *help) isUsable(all screen.Commands, action keymap.Action) bool {
	return h.Keys.Key(action) != "" && all.Why(action) == ""
}

// drawColumns draws groups in columns.
func drawColumns(b *kit.Box, groups []group, width int) {
	longest := 0
	b.Row(kit.Must, func(l *kit.Line) {
		for n, g := range groups {
			l.To(2 + n*width)
			l.Put(kit.Muted, g.heading)
			longest = max(longest, len(g.rows))
		}
	})
	for row := range longest {
		b.Row(kit.Must, func(l *kit.Line) {
			for n, g := range groups {
				if row < len(g.rows) {
					g.rows[row].draw(l, 2+n*width, 2+(n+1)*width)
				}
			}
		})
	}
}

func (r row) draw(l *kit.Line, col, end int) {
	l.To(col)
	l.Put(kit.Key, r.key)
	l.To(col + 9)
	l.Words(kit.Text, r.words, end-l.At-1) // the narrowest column has room for 23 cells
}

// refused lists the commands of group Change that do nothing now, with the reasons. Commands of
// other screens are only found by the search.
func (h *help) refused(b *kit.Box, all screen.Commands) {
	shares, first := map[keymap.Action]bool{}, true // actions listed with another action share its reason
	for _, c := range all {
		for _, with := range c.With {
			shares[with] = true
		}
	}
	for _, info := range h.Keys.Of(keymap.Screen) {
		action, why, key := info.Action, all.Why(info.Action), h.Keys.Key(info.Action)
		if info.Group != keymap.Change || shares[action] || why == "" || why == screen.Elsewhere || key == "" {
			continue
		}
		if first {
			b.Para(kit.Must, kit.Muted, "NOT HERE")
			first = false
		}
		const at = 27 // wider than the longest action name
		for n, row := range kit.Wrap(why, b.Inner()-at-1) {
			b.Row(kit.Must, func(l *kit.Line) {
				if l.To(2); n == 0 {
					l.Put(kit.Muted, key)
					l.To(11)
					l.Put(kit.Muted, screen.Name(action))
				}
				l.To(at)
				l.Put(kit.Muted, row)
			})
		}
	}
	if !first {
		b.Gap()
	}
}

func (h *help) Key(msg tea.Msg) tea.Cmd {
	if h.search != nil {
		return h.typed(msg)
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if action, _ := h.Keys.Action(keymap.Screen, key.String()); action == keymap.Find {
		field := kit.NewField("")
		h.search = &field
		return nil
	}
	return h.Leave()
}

func (h *help) Press(int) tea.Cmd { return nil }

func (h *help) Leave() tea.Cmd { return h.Send(message.Close{}) }

// found is an action that matches the searched text.
type found struct {
	keys, words string
	why         string // why the action does nothing now; empty if it works
}

// matches returns the actions whose name, words, keys or reason contain the text. Actions that work
// now come first, actions of dialogs last.
func (h *help) matches(all screen.Commands, text string) []found {
	var works, refused []found
	for _, info := range h.Keys.Of(keymap.Screen) {
		f := found{keys: strings.Join(info.Keys, ", "), words: all.Says(info.Action), why: all.Why(info.Action)}
		name := screen.Name(info.Action)
		if !strings.Contains(strings.ToLower(strings.Join([]string{name, f.words, f.keys, f.why}, "\n")),
			strings.ToLower(text)) {
			continue
		}
		if f.why == "" {
			works = append(works, f)
		} else {
			f.words = name
			refused = append(refused, f)
		}
	}
	return slices.Concat(works, refused, h.inDialogs(text))
}

// inDialogs returns the actions of dialogs whose name or keys contain the text.
func (h *help) inDialogs(text string) []found {
	var out []found
	for _, info := range h.Keys.Of(keymap.Dialog) {
		f := found{keys: strings.Join(info.Keys, ", "), words: screen.Name(info.Action), why: "where a change is asked for"}
		if strings.Contains(strings.ToLower(f.words+"\n"+f.keys), strings.ToLower(text)) {
			out = append(out, f)
		}
	}
	return out
}

// searchRows is the fixed number of result rows. The dialog fits 80×24, and its height does not
// change while a person types.
const searchRows = 14

func (h *help) drawSearch(b *kit.Box, all screen.Commands) {
	b.Gap()
	b.InputRow("search", h.search, "a key, or a word of what it does", true, 40, "")
	b.Gap()
	matches := h.matches(all, strings.TrimSpace(h.search.Value()))
	for n := range searchRows {
		b.Row(kit.Must, func(l *kit.Line) {
			switch {
			case n == 0 && len(matches) == 0:
				l.To(2)
				l.Put(kit.Muted, "No key does that.")
			case n == searchRows-1 && len(matches) > searchRows:
				l.To(2)
				l.Put(kit.Muted, "…")
			case n < len(matches):
				matches[n].draw(l)
			}
		})
	}
	b.Gap()
	b.Hints(kit.Hint{Key: "ctrl+u", Words: "clear"}, kit.Hint{Key: "esc", Words: "all keys"})
}

func (f found) draw(l *kit.Line) {
	key, text := kit.Key, kit.Text
	if f.why != "" {
		key, text = kit.Muted, kit.Muted
	}
	l.To(2)
	l.Fit(key, cmp.Or(f.keys, "—"), 13)
	l.To(16)
	l.Words(text, f.words, 26)
	if f.why != "" {
		l.To(max(30, l.At+2))
		l.Words(text, f.why, l.Width-l.At-1)
	}
}

// typed handles a key or pasted text in the search; esc ends it.
func (h *help) typed(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc":
			h.search = nil
			return nil
		case "enter":
			return h.Leave()
		}
	}
	h.search.Update(msg)
	return nil
}

// drawSigns draws the kinds of problems with their meanings, in two columns.
func drawSigns(b *kit.Box) {
	type line struct {
		sign kit.Sign // empty except on the first line of a kind
		text string
	}
	const at = 16 // wider than the longest word
	width := (b.Inner() - 2) / 2
	var sides [2][]line
	kinds := finding.Kinds()
	for n, k := range kinds {
		sign, side := say.Kind(k), &sides[2*n/len(kinds)]
		for _, text := range kit.Wrap(say.KindMeans(k), width-at-2) {
			*side = append(*side, line{sign, text})
			sign = kit.Sign{}
		}
	}
	b.Para(kit.Note, kit.Muted, "PROBLEMS")
	for n := range max(len(sides[0]), len(sides[1])) {
		b.Row(kit.Note, func(l *kit.Line) {
			for m, side := range sides {
				if n >= len(side) {
					continue
				}
				l.To(2 + m*width)
				l.Put(side[n].sign.Style, side[n].sign.Glyph)
				l.Put(kit.Text, " "+side[n].sign.Word)
				l.To(2 + m*width + at)
				l.Put(kit.Muted, side[n].text)
			}
		})
	}
	b.Gap()
}
