package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/safe"
)

// helpDialog lists what the keys do on what is selected, and why the others do
// nothing there.
type helpDialog struct{ app *app }

func (h *helpDialog) draw() *box {
	a := h.app
	s := a.top()
	b := newBox(a.st, a.size.w, asAccent, span{asBold, "Keys"}, span{asMuted, " · " + safe.Text(s.about())})
	b.width = min(72, a.size.w-2)
	left := [][]keymap.Info{a.works(s, keymap.Move), a.works(s, keymap.Change)}
	right := [][]keymap.Info{a.works(s, keymap.Look), a.works(s, keymap.Take)}
	b.gap()
	for n := range left {
		h.columns(b, left[n], right[n])
		b.gap()
	}
	h.refused(b, s)
	b.row(must, func(l *line) {
		l.to(b.inner() - 18)
		l.put(asKey, a.keys.Key(keymap.Help))
		l.put(asMuted, " or ")
		l.put(asKey, a.keys.Key(keymap.Back))
		l.put(asMuted, " close")
	})
	return b
}

// works lists the actions of a group that do something now. Pairs of keys that
// go two ways share a row.
func (a *app) works(s screen, g keymap.Group) []keymap.Info {
	pair := map[keymap.Action]keymap.Action{
		keymap.Down: keymap.Up, keymap.First: keymap.Last, keymap.NextProblem: keymap.PreviousProblem,
	}
	seconds := map[keymap.Action]bool{keymap.Locks: true, keymap.Counters: true, keymap.Findings: true, keymap.Journal: true, keymap.HalfPageUp: true, keymap.PageUp: true}
	for _, second := range pair {
		seconds[second] = true
	}
	var out []keymap.Info
	for _, info := range a.keys.Group(keymap.Screen, g) {
		if seconds[info.Action] || a.why(s, info.Action) != "" {
			continue
		}
		label := info.Keys[0]
		if second, ok := pair[info.Action]; ok {
			label += " " + a.keys.Key(second)
		}
		switch info.Action {
		case keymap.Down:
			info.Help = "down, up"
		case keymap.First:
			info.Help = "first, last"
		case keymap.NextProblem:
			info.Help = "next problem, previous"
		case keymap.Find:
			if a.looksThrough(s) {
				info.Help = "look through this list"
			}
		case keymap.Accounts:
			label += " … " + a.keys.Key((tabs - 1).action())
			info.Help = "screens"
		}
		info.Keys = []string{label}
		out = append(out, info)
	}
	return out
}

func (h *helpDialog) columns(b *box, left, right []keymap.Info) {
	if len(left) == 0 && len(right) == 0 {
		return
	}
	middle := b.inner()/2 + 1
	b.row(plain, func(l *line) {
		l.to(2)
		if len(left) > 0 {
			l.put(asMuted, string(left[0].Group))
		}
		if len(right) > 0 {
			l.to(middle)
			l.put(asMuted, string(right[0].Group))
		}
	})
	for n := range max(len(left), len(right)) {
		b.row(must, func(l *line) {
			if n < len(left) {
				writeKey(l, 2, left[n], middle)
			}
			if n < len(right) {
				writeKey(l, middle, right[n], b.inner())
			}
		})
	}
}

func writeKey(l *line, col int, info keymap.Info, end int) {
	l.to(col)
	l.put(asKey, info.Keys[0])
	l.to(max(col+9, l.at+1))
	l.words(asText, info.Help, end-l.at-1)
}

// refused lists what does nothing on the selected row, with its reason.
func (h *helpDialog) refused(b *box, s screen) {
	a := h.app
	first := true
	for _, action := range []keymap.Action{keymap.Release, keymap.Mark, keymap.Mend, keymap.ChangeValue, keymap.DeleteAccount, keymap.Undo, keymap.Bump, keymap.OtherSide, keymap.Find} {
		why, key := a.why(s, action), a.keys.Key(action)
		if why == "" || key == "" {
			continue
		}
		if first {
			b.row(plain, func(l *line) {
				l.to(2)
				l.put(asMuted, "NOT HERE")
			})
			first = false
		}
		b.row(plain, func(l *line) {
			l.to(2)
			l.put(asMuted, key)
			l.to(11)
			l.put(asMuted, strings.ReplaceAll(string(action), "-", " "))
			l.to(max(27, l.at+2))
			l.words(asMuted, why, b.inner()-l.at-1)
		})
	}
	if !first {
		b.gap()
	}
}

func (h *helpDialog) key(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(tea.KeyPressMsg); ok {
		h.app.hide()
	}
	return nil
}

func (h *helpDialog) press(int) tea.Cmd { return nil }

func (h *helpDialog) leave() tea.Cmd {
	h.app.hide()
	return nil
}
