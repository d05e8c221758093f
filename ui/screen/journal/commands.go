package journal

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	record "tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/phrase"
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
	none := screen.WhyIf(len(s.receipts.rows) == 0, "there are no changes yet")
	all := ""
	if s.look.On() {
		all = "show all"
	}
	mark, to := s.marking(rec)
	rows := screen.Commands{opening(s.Session, rec), mark, to}
	if len(s.marked) > 0 { // marking a range comes before opening
		rows = screen.Commands{mark, to, opening(s.Session, rec)}
	}
	return slices.Concat(
		s.repairs(rec),
		rows,
		s.look.Commands(none),
		screen.Copies(s.Session, copied(s.Session, rec, s.planOf(rec))),
		screen.Commands{
			{Action: keymap.Back, Words: all},
			{
				Action: keymap.OnlyProblems,
				Words:  "not applied",
				Full:   "only unapplied",
				Why:    none,
				Run: func() tea.Cmd {
					s.onlyProblems = !s.onlyProblems
					s.filter()
					return s.Follow()
				},
			},
			{Action: keymap.Reload, Words: "read again", Run: s.Enter},
			{Action: keymap.Sort, Why: screen.WhyIf(true, "the newest is always first")},
			{Action: keymap.NextProblem, Why: none},
			{Action: keymap.PreviousProblem, Why: none},
		},
	)
}

// repairs returns the commands that resolve or undo the selected change, or undo the marked ones. r is nil if no change
// is selected.
func (s *Screen) repairs(r *record.Record) screen.Commands {
	out := repairs(s.Session, r, s.planOf(r))
	if n := len(s.marked); n > 0 {
		out.Change(keymap.Undo, func(c *screen.Command) {
			*c = screen.Command{
				Action: keymap.Undo, Words: "undo " + phrase.Number(n), Full: "undo the " + phrase.Number(n) + " marked",
				Marked: true, Why: func() string { return change.WhyUndos(s.Session, s.markedRecords()) }, Run: s.undoMarked,
			}
		})
	}
	return out
}

// undoMarked asks whether to undo the marked changes.
func (s *Screen) undoMarked() tea.Cmd {
	all := s.markedRecords()
	if len(all) == 1 {
		clear(s.marked)
		return change.AskUndo(s.Session, all[0])
	}
	return change.AskUndos(s.Session, all, func(receipt string) { delete(s.marked, receipt) })
}

// marking returns the commands that mark changes, in order to undo several together. r is nil if no change is selected.
func (s *Screen) marking(r *record.Record) (mark, to screen.Command) {
	why := func(r *record.Record) string {
		return change.WhyMarkUndo(s.Session, r, s.planOf(r), s.markedRecords())
	}
	lines := s.lines()
	return screen.Marking[*record.Record]{
		Session: s.Session, List: &s.list, Lines: lines, Row: lines.record,
		Any: len(s.marked) > 0, Has: func(r *record.Record) bool { return s.marked[r.Receipt] },
		Toggle: func(r *record.Record) {
			if s.marked[r.Receipt] {
				delete(s.marked, r.Receipt)
			} else {
				s.marked[r.Receipt] = true
			}
		},
		Why: why, Noun: "change", Done: "undone",
	}.Commands(screen.Command{Words: "mark", Full: "mark to undo", Why: func() string {
		switch {
		case r == nil:
			return noneSelected
		case s.marked[r.Receipt]:
			return ""
		}
		return why(r)
	}})
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
		Action: keymap.Open, Words: "whole receipt", Full: "see the whole receipt", Why: func() string {
			switch {
			case r == nil:
				return noneSelected
			case r.Said:
				return "this is an answer about a table: all of it is in the list"
			}
			return ""
		},
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
			Why:  screen.WhyIf(p == nil, "the journal has no request of this change")(),
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
