package query

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	row, ok := s.selected()
	const noneSelected = "no item is selected"
	none, copied := screen.WhyIf(!ok, noneSelected), screen.Selected{None: noneSelected}
	if ok {
		copied = row.Selected(s.item())
	}
	more := screen.Command{
		Action: keymap.Pause,
		Words:  "read on",
		Why:    s.whyOn,
		Run:    func() tea.Cmd { return s.page(s.after) },
	}
	return slices.Concat(screen.Policies(s.Session, s.err), screen.Commands{
		{Action: keymap.Open, Words: "open", Full: "open the item", Why: none, Run: func() tea.Cmd {
			return s.Send(message.OpenItem{Owner: s.query.Table, Table: s.query.Table.Name, Key: row.Key})
		}},
		more,
	}, screen.Copies(s.Session, copied), screen.Commands{
		{
			Action: keymap.Save,
			Words:  "save",
			Full:   "save the list to a file",
			Why:    screen.WhyIf(len(s.rows) == 0, "there is nothing to save"),
			Run:    func() tea.Cmd { return s.Send(s.toSave()) },
		},
		{Action: keymap.Reload, Words: "ask again", Run: s.Refresh},
		{Action: keymap.Back, Words: "back"},
	})
}

// whyOn says why no further page is read.
func (s *Screen) whyOn() string {
	switch {
	case !s.read:
		return "nothing is read yet"
	case s.after == nil:
		return "all is read"
	}
	return ""
}
