package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/session"
)

// Filter keeps the rows of a list that contain the text in its field. It filters only rows that were
// read. Its zero value keeps all rows.
type Filter struct {
	field  kit.Field
	typing bool
	by     keymap.Action // the action; its key is drawn before the field
}

// Open gives the cursor to the field.
func (f *Filter) Open() tea.Cmd { return f.open(keymap.Filter) }

func (f *Filter) open(by keymap.Action) tea.Cmd {
	f.field, f.typing, f.by = kit.NewField(f.field.Value()), true, by
	return nil
}

// Commands returns the commands that open the filter. They are for a screen without a search: there, the key of
// SearchRows, which is usually that of Find, opens the filter, too. none returns the reason why there are no rows to
// filter.
func (f *Filter) Commands(none func() string) Commands {
	const full = "filter rows"
	return Commands{
		{
			Action: keymap.SearchRows, Words: "filter", Full: full, Why: none,
			With: []keymap.Action{keymap.Filter}, Both: full,
			Run: func() tea.Cmd { return f.open(keymap.SearchRows) },
		},
		{Action: keymap.Filter, Full: full, Why: none, Run: f.Open},
	}
}

// Clear removes the text, so that the list has all rows again. It reports whether there was a text.
func (f *Filter) Clear() bool {
	on := f.On()
	*f = Filter{}
	return on
}

// Typing reports whether the field has the cursor.
func (f *Filter) Typing() bool { return f.typing }

// On reports whether the filter has a text.
func (f *Filter) On() bool { return f.Want() != "" }

// Want returns the text of the filter, in lower case.
func (f *Filter) Want() string { return strings.ToLower(strings.TrimSpace(f.field.Value())) }

// Typed handles a key or pasted text while the field has the cursor. It reports whether the text of
// the filter has changed. The arrows move the cursor of the list.
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

// Show puts the field into row 1, while the field has the cursor or a text. While it has the cursor, the hints are
// about the field. placeholder tells a person what to type.
func (f *Filter) Show(s *session.Session, c *Content, placeholder string) {
	if c.Blurred = f.typing; f.typing {
		c.Hints = []kit.Hint{{Key: "enter", Words: "done"}, {Key: "ctrl+u", Words: "clear"}, {Key: "esc", Words: "show all"}}
	}
	if f.typing || f.field.Value() != "" {
		line, end := s.Question(f.by, &f.field, f.typing, placeholder)
		c.Top = &Heading{Line: line, From: 1, To: end}
	}
}

// Holds reports whether one of the texts contains want, in any case, as it is or as the screen shows it. want is in
// lower case.
func Holds(want string, texts ...string) bool {
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), want) {
			return true
		}
		if shown := safe.Text(text); shown != text && strings.Contains(strings.ToLower(shown), want) {
			return true
		}
	}
	return false
}

// NoneFits draws, in place of the rows, that no row passes the filter.
func NoneFits(s *session.Session, d *kit.Block, noun string) {
	Nothing(d, "No matching "+noun+".", "", s.Hint(keymap.Back, "show all again"))
}
