// Package help is the dialog that lists the keys. Start reading at Ask.
package help

import (
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

// help lists what the keys do on what is selected, and why the others do nothing there.
type help struct {
	*session.Session
	Subject
	search *kit.Field // nil while nothing is searched for
}

// Ask shows the keys.
func Ask(s *session.Session, of Subject) tea.Cmd {
	return s.Send(message.Ask{Dialog: &help{Session: s, Subject: of}})
}

// helpWidth takes two columns of keys.
const helpWidth = 72

func (h *help) Draw() *kit.Box {
	all := h.Commands()
	b := kit.NewBox(h.Styles, h.Size.Width, kit.Accent, kit.Heading.Of("Keys"), kit.Muted.Of(" · "+safe.Text(h.About())))
	b.Width = min(helpWidth, h.Size.Width-2)
	if h.search != nil {
		h.drawSearch(b, all)
		return b
	}
	b.Gap()
	for _, side := range [][2]group{
		{h.works(all, keymap.Move, "MOVE"), h.works(all, keymap.Look, "LOOK")},
		{h.works(all, keymap.Change, "CHANGE"), h.works(all, keymap.Take, "COPY, SAVE")},
	} {
		if narrow := b.Width < helpWidth; narrow {
			columns(b, side[0], group{})
			columns(b, side[1], group{})
		} else {
			columns(b, side[0], side[1])
		}
		b.Gap()
	}
	h.refused(b, all)
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

// group is what keys of one kind do, under a heading.
type group struct {
	heading string
	rows    []row
}

type row struct{ key, words string }

// works are the actions of a group that do something now.
func (h *help) works(all screen.Commands, of keymap.Group, heading string) group {
	out, said := group{heading: heading}, map[keymap.Action]bool{keymap.Help: true} // which stands at the foot
	for _, info := range h.Keys.Of(keymap.Screen) {
		if info.Group != of || said[info.Action] || !h.does(all, info.Action) {
			continue
		}
		one := row{h.Keys.Key(info.Action), all.Says(info.Action)}
		c, _ := all.Of(info.Action)
		between := " "
		for _, with := range c.With {
			if !h.does(all, with) {
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

// does reports whether an action has a key that does something now.
func (h *help) does(all screen.Commands, action keymap.Action) bool {
	return h.Keys.Key(action) != "" && all.Why(action) == ""
}

func columns(b *kit.Box, left, right group) {
	if len(left.rows) == 0 && len(right.rows) == 0 {
		return
	}
	middle := b.Inner()/2 + 1
	if b.Width < helpWidth {
		middle = b.Inner()
	}
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		if len(left.rows) > 0 {
			l.Put(kit.Muted, left.heading)
		}
		if len(right.rows) > 0 {
			l.To(middle)
			l.Put(kit.Muted, right.heading)
		}
	})
	for n := range max(len(left.rows), len(right.rows)) {
		b.Row(kit.Must, func(l *kit.Line) {
			if n < len(left.rows) {
				left.rows[n].draw(l, 2, middle)
			}
			if n < len(right.rows) {
				right.rows[n].draw(l, middle, b.Inner())
			}
		})
	}
}

func (r row) draw(l *kit.Line, col, end int) {
	l.To(col)
	l.Put(kit.Key, r.key)
	l.To(max(col+8, l.At+1)) // two cells are left behind 24 of words
	l.Words(kit.Text, r.words, end-l.At-1)
}

// refused lists what would change something but does nothing now, with its reason; what belongs
// to other screens is left to the search.
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
