// Package help is the dialog that lists the keys. Start reading at Ask.
package help

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Subject is the screen whose keys are listed.
type Subject struct {
	// About says what is selected on it.
	About func() string
	// Commands are all that can be done on it, be it by the screen or by the program.
	Commands func() screen.Commands
}

// help lists what the keys do on what is selected, and why others do nothing.
type help struct {
	*session.Session
	Subject
	search *kit.Field // nil unless searching
}

// Ask shows the keys.
func Ask(s *session.Session, of Subject) tea.Cmd {
	return s.Send(message.Ask{Dialog: &help{Session: s, Subject: of}})
}

// The widths of the dialog for two columns of keys, and for four.
const (
	twoColumns  = 72
	fourColumns = 136
	widest      = 180 // each sentence on one line
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

// group is the keys of one kind, under a heading.
type group struct {
	heading string
	rows    []row
}

type row struct{ key, words string }

// groupOf returns the actions of a group that do something now.
func (h *help) groupOf(all screen.Commands, of keymap.Group, heading string) group {
	out, said := group{heading: heading}, map[keymap.Action]bool{keymap.Help: true} // which stands at the foot
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

// isUsable reports whether an action has a key that does something now.
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

// refused lists commands that change something but do nothing now, with the reasons. Those of
// other screens are left to the search.
func (h *help) refused(b *kit.Box, all screen.Commands) {
	shares, first := map[keymap.Action]bool{}, true // whose row is another's, so is the reason
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
			b.Row(kit.Must, func(l *kit.Line) {
				l.To(2)
				l.Put(kit.Muted, "NOT HERE")
			})
			first = false
		}
		const at = 27 // no action's name reaches it
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
