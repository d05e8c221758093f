// Package help is the dialog that lists the keys. Start reading at Ask.
package help

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Subject is the screen whose keys are listed, with what only the program knows of it.
type Subject struct {
	// Top is the screen that is looked at.
	Top func() screen.Screen
	// Why says why an action does nothing on it, be it the screen's or the program's own.
	Why func(screen.Screen, keymap.Action) string
	// Through reports whether it looks through what it lists, instead of asking the table.
	Through func(screen.Screen) bool
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
	s := h.Top()
	b := kit.NewBox(h.Styles, h.Size.Width, kit.Accent, kit.Heading.Of("Keys"), kit.Muted.Of(" · "+safe.Text(s.About())))
	b.Width = min(helpWidth, h.Size.Width-2)
	if h.search != nil {
		h.drawSearch(b, s)
		return b
	}
	left := [][]keymap.Info{h.works(s, keymap.Move), h.works(s, keymap.Change)}
	right := [][]keymap.Info{h.works(s, keymap.Look), h.works(s, keymap.Take)}
	b.Gap()
	for n := range left {
		if narrow := b.Width < helpWidth; narrow {
			h.columns(b, left[n], nil)
			h.columns(b, right[n], nil)
		} else {
			h.columns(b, left[n], right[n])
		}
		b.Gap()
	}
	h.refused(b, s)
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

// works lists the actions of a group that do something now. Pairs of keys that
// go two ways share a row.
func (h *help) works(s screen.Screen, g keymap.Group) []keymap.Info {
	pair := map[keymap.Action]keymap.Action{
		keymap.Down: keymap.Up, keymap.First: keymap.Last, keymap.NextProblem: keymap.PreviousProblem,
	}
	for first, second := range map[keymap.Action]keymap.Action{keymap.CopyKey: keymap.CopyLine, keymap.OnlyProblems: keymap.Filter} {
		if h.Why(s, first) == "" && h.Why(s, second) == "" {
			pair[first] = second
		}
	}
	seconds := map[keymap.Action]bool{keymap.Locks: true, keymap.Counters: true, keymap.Findings: true, keymap.Journal: true, keymap.HalfPageUp: true, keymap.PageUp: true, keymap.Help: true}
	for _, second := range pair {
		seconds[second] = true
	}
	var out []keymap.Info
	for _, info := range h.Keys.Group(keymap.Screen, g) {
		if seconds[info.Action] || h.Why(s, info.Action) != "" {
			continue
		}
		label := info.Keys[0]
		own, _ := s.Commands().Of(info.Action)
		info.Help = cmp.Or(own.Full, own.Words, info.Help)
		if second, ok := pair[info.Action]; ok {
			label += " " + h.Keys.Key(second)
		}
		switch info.Action {
		case keymap.Down:
			info.Help = "down, up"
		case keymap.First:
			info.Help = "first, last"
		case keymap.NextProblem:
			info.Help = "next problem, previous"
		case keymap.CopyKey:
			if _, ok := pair[info.Action]; ok {
				info.Help = "copy the key, a command"
			}
		case keymap.OnlyProblems:
			if _, ok := pair[info.Action]; ok {
				info.Help = cmp.Or(own.Words, "only problems") + ", letters"
			}
		case keymap.Find:
			if h.Through(s) {
				info.Help = "look through this list"
			}
		case keymap.Accounts:
			label += " … " + h.Keys.Key((session.Tabs - 1).Action())
			info.Help = "screens"
		}
		info.Keys = []string{label}
		out = append(out, info)
	}
	return out
}

func (h *help) columns(b *kit.Box, left, right []keymap.Info) {
	if len(left) == 0 && len(right) == 0 {
		return
	}
	middle := b.Inner()/2 + 1
	if b.Width < helpWidth {
		middle = b.Inner()
	}
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		if len(left) > 0 {
			l.Put(kit.Muted, string(left[0].Group))
		}
		if len(right) > 0 {
			l.To(middle)
			l.Put(kit.Muted, string(right[0].Group))
		}
	})
	for n := range max(len(left), len(right)) {
		b.Row(kit.Must, func(l *kit.Line) {
			if n < len(left) {
				writeKey(l, 2, left[n], middle)
			}
			if n < len(right) {
				writeKey(l, middle, right[n], b.Inner())
			}
		})
	}
}

func writeKey(l *kit.Line, col int, info keymap.Info, end int) {
	l.To(col)
	l.Put(kit.Key, info.Keys[0])
	l.To(max(col+9, l.At+1))
	l.Words(kit.Text, info.Help, end-l.At-1)
}

// refused lists what does nothing on the selected row, with its reason; what belongs to other
// screens is left to the search.
func (h *help) refused(b *kit.Box, s screen.Screen) {
	first := true
	for _, action := range []keymap.Action{keymap.Release, keymap.Mark, keymap.Mend, keymap.ChangeValue, keymap.DeleteAccount, keymap.Undo, keymap.Bump, keymap.OtherSide, keymap.Find} {
		why, key := h.Why(s, action), h.Keys.Key(action)
		if why == "" || why == screen.Elsewhere || key == "" {
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
					l.Put(kit.Muted, strings.ReplaceAll(string(action), "-", " "))
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
