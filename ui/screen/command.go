package screen

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// Command is one thing that can be done on a screen. Its keys, the hints, the help and
// what is said where it does nothing are all made from one table of them.
type Command struct {
	Action keymap.Action
	Words  string         // two or three, for the hints; empty: there is no hint
	Full   string         // in 22 cells, for the help and for what can be done; empty: Words
	Why    func() string  // why it does nothing now; empty where it does, nil: it always does
	Run    func() tea.Cmd // nil where the program does it
	Marked bool           // it is about what is marked, and not about the selected row
	Other  bool           // its action's name says something else: it is not typed
	// With share its row in the help where they do something, too, and Both is what stands there then.
	With []keymap.Action
	Both string
}

// Refuses says why the command does nothing now.
func (c Command) Refuses() string {
	if c.Why == nil {
		return ""
	}
	return c.Why()
}

// WhyIf says why a command does nothing now, if it does not.
func WhyIf(not bool, why string) func() string {
	return func() string {
		if not {
			return why
		}
		return ""
	}
}

// Commands are all that can be done on a screen, the likeliest first.
type Commands []Command

// Of finds what an action does.
func (t Commands) Of(action keymap.Action) (Command, bool) {
	for _, c := range t {
		if c.Action == action {
			return c, true
		}
	}
	return Command{}, false
}

// Says is what an action does: its name, where no command says more.
func (t Commands) Says(action keymap.Action) string {
	c, _ := t.Of(action)
	return cmp.Or(c.Full, c.Words, Name(action))
}

// Name is an action's name in words.
func Name(action keymap.Action) string { return strings.ReplaceAll(string(action), "-", " ") }

// Elsewhere is why what is not in a screen's table does nothing there.
const Elsewhere = "not on this screen"

// Why says why an action does nothing now: what is not in the table does nothing here.
func (t Commands) Why(action keymap.Action) string {
	if c, ok := t.Of(action); ok {
		return c.Refuses()
	}
	return Elsewhere
}

// Act does what an action asks for, where it does something.
func (t Commands) Act(action keymap.Action) tea.Cmd {
	if c, ok := t.Of(action); ok && c.Run != nil && c.Refuses() == "" {
		return c.Run()
	}
	return nil
}

// MarkFrom begins a range of marked rows, where none is marked yet: it marks the selected one.
func MarkFrom(s *session.Session, none bool, why func() string, mark func()) Command {
	c := Command{Action: keymap.MarkTo, Full: "mark from here on", Why: why, Run: func() tea.Cmd {
		mark()
		return s.Say("Marked. Move, then " + s.Keys.Key(keymap.MarkTo) + " marks all up to there.")
	}}
	if none {
		c.Why = WhyIf(true, "mark one first: "+s.Keys.Key(keymap.Mark))
	}
	return c
}

// Hints are those of what can be done now.
func (t Commands) Hints(s *session.Session) []kit.Hint {
	var out []kit.Hint
	for _, c := range t {
		if c.Words != "" && c.Refuses() == "" {
			out = append(out, s.Hint(c.Action, c.Words))
		}
	}
	return out
}

// YouCan lists what can be done now.
func (t Commands) YouCan(s *session.Session, d *kit.Block, col int) {
	var can []kit.Hint
	for _, c := range t {
		if says := cmp.Or(c.Full, c.Words); says != "" && c.Run != nil && c.Refuses() == "" {
			can = append(can, s.Hint(c.Action, says))
		}
	}
	d.Head(col, "YOU CAN")
	d.Keys(col, can...)
}
