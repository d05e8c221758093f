package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// Filter leaves of a list, among what was read, the rows that hold the letters typed into its
// field. Its zero value leaves all.
type Filter struct {
	field  kit.Field
	typing bool
}

// Open gives the cursor to the field.
func (f *Filter) Open() tea.Cmd {
	f.field, f.typing = kit.NewField(f.field.Value()), true
	return nil
}

// Clear leaves all rows again, and reports whether any may have been left out.
func (f *Filter) Clear() bool {
	on := f.On()
	*f = Filter{}
	return on
}

// Typing reports whether the field has the cursor.
func (f *Filter) Typing() bool { return f.typing }

// On reports whether something is looked for.
func (f *Filter) On() bool { return f.Want() != "" }

// Want is what is looked for, in lower case.
func (f *Filter) Want() string { return strings.ToLower(strings.TrimSpace(f.field.Value())) }

// Typed takes a key of the field in, and reports whether what is looked for has changed. The
// arrows move the cursor of the list.
func (f *Filter) Typed(msg tea.Msg, l *kit.List, rows kit.Source) bool {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			f.typing = false
			return false
		case "esc":
			return f.Clear()
		case "up":
			l.Move(rows, -1)
			return false
		case "down":
			l.Move(rows, 1)
			return false
		}
	}
	return f.field.Update(msg)
}

// Heading is row 1 while something is typed or looked for; nil else. placeholder says what can
// be typed.
func (f *Filter) Heading(s *session.Session, placeholder string) *Heading {
	if !f.typing && f.field.Value() == "" {
		return nil
	}
	line, end := s.Question(keymap.Filter, &f.field, f.typing, placeholder)
	return &Heading{Line: line, From: 1, To: end}
}

// Hints are those of the field.
func (f *Filter) Hints() []kit.Hint {
	return []kit.Hint{{Key: "enter", Words: "done"}, {Key: "ctrl+u", Words: "clear"}, {Key: "esc", Words: "show all"}}
}

// Holds reports whether one of the texts holds what is looked for, which is in lower case.
func Holds(want string, texts ...string) bool {
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), want) {
			return true
		}
	}
	return false
}

// NoneFits stands in place of rows that a filter left out, all of them.
func NoneFits(s *session.Session, d *kit.Block, noun string) {
	Nothing(d, "No "+noun+" fits.", "", s.Hint(keymap.Back, "show all again"))
}
