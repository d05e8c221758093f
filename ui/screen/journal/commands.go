package journal

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	record "tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/dialog/resolve"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	rec := s.selected().Record
	none := screen.WhyIf(len(s.receipts.rows) == 0, "there is nothing to look through: nothing was changed from here yet")
	all := ""
	if s.look.On() {
		all = "show all"
	}
	return slices.Concat(
		repairs(s.Session, rec, s.planOf(rec)),
		screen.Commands{opening(s.Session, rec)},
		s.look.Commands(none),
		screen.Copies(s.Session, copied(s.Session, rec, s.planOf(rec))),
		screen.Commands{
			{Action: keymap.Back, Words: all},
			{
				Action: keymap.OnlyProblems,
				Words:  "not applied",
				Full:   "what was not applied",
				Why:    none,
				Run: func() tea.Cmd {
					s.onlyProblems = !s.onlyProblems
					s.filter()
					return s.Follow()
				},
			},
			{Action: keymap.Reload, Words: "read again", Run: s.Enter},
			{Action: keymap.Sort, Why: screen.WhyIf(true, "the newest stands first")},
			{Action: keymap.NextProblem, Why: none},
			{Action: keymap.PreviousProblem, Why: none},
		},
	)
}

const noneSelected = "no change is selected"

// repairs returns the commands that resolve or undo a change. r is nil if no change is selected. p is
// nil if the plan has not been read yet.
func repairs(s *session.Session, r *record.Record, p *plan.Plan) screen.Commands {
	on := func(why func() string) func() string {
		if r == nil {
			return screen.WhyIf(true, noneSelected)
		}
		return why
	}
	return screen.Commands{
		{
			Action: keymap.Mend,
			Words:  "resolve",
			Full:   "resolve it",
			Why:    on(func() string { return resolve.Why(s, r) }),
			Run:    func() tea.Cmd { return resolve.Ask(s, r) },
		},
		{
			Action: keymap.Undo,
			Words:  "undo",
			Full:   "undo it",
			Why:    on(func() string { return change.WhyUndo(s, r, p) }),
			Run:    func() tea.Cmd { return change.AskUndo(s, r) },
		},
	}
}

// opening returns the command that shows the whole receipt of a change. r is nil if no change is selected.
func opening(s *session.Session, r *record.Record) screen.Command {
	return screen.Command{
		Action: keymap.Open, Words: "whole receipt", Full: "see the whole receipt", Why: screen.WhyIf(r == nil, noneSelected),
		Run: func() tea.Cmd { return openReceipt(s, r) },
	}
}

// copied describes a change for copying. r is nil if no change is selected. p is nil if the plan has not
// been read yet.
func copied(s *session.Session, r *record.Record, p *plan.Plan) screen.Selected {
	if r == nil {
		return screen.Selected{None: noneSelected}
	}
	return screen.Selected{
		Cell: screen.Form{Hint: "copy receipt", Words: "the receipt's name", Text: screen.Plain(r.Receipt)},
		Whole: screen.Form{
			Words: "requests as JSON", Name: "the request as DynamoDB JSON",
			Why:  screen.WhyIf(p == nil, "the journal does not say what was sent")(),
			Text: func() (string, error) { return say.Requests(p) },
		},
		Command: func() (string, string) {
			c := s.ConnectionOf(r)
			if c != nil && c.Connection != nil && say.NoCommand(c.Connection) != "" {
				return "", say.NoCommand(c.Connection)
			}
			if why := change.WhyUndo(s, r, p); why != "" {
				return "", why
			}
			return say.ConnectionCommand(c.Connection, []string{"undo", "--write"}, r.Receipt), ""
		},
	}
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if rec := s.selected().Record; rec != nil {
		return "journal, " + say.Outcome(rec).Word
	}
	return "journal"
}
