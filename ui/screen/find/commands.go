package find

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	at := screen.ValueRow{Relation: s.selected()}
	return slices.Concat(
		screen.Policies(s.Session, s.err),
		s.answering(at),
		screen.Commands{{Action: keymap.Find, Words: "ask again"}, {Action: keymap.Back, Words: "back"}},
		change.Changes(s.Session, s.Table, at),
		screen.Commands{{Action: keymap.Reload, Full: "ask again", Run: s.Refresh}},
	)
}

// answering returns the commands for a relation of the answer, and for the answer itself.
func (s *Screen) answering(at screen.ValueRow) screen.Commands {
	r := at.Relation
	open := screen.Command{
		Action: keymap.Open,
		Words:  "open",
		Why:    at.WhyItem,
		Run:    func() tea.Cmd { return s.Send(at.Item(s.Table)) },
	}
	if r != nil {
		open.Full = "open the lock"
		if r.Account != nil {
			open.Full = "open the account"
		}
	}
	copied := at.Copied(s.Session)
	copied.Cell = screen.Form{
		Hint:  "copy",
		Words: "this answer",
		Why:   screen.WhyIf(s.answer == nil, "there is no answer yet")(),
		Text:  func() (string, error) { return inWords(s.answer), nil },
	}
	repairs, whole := change.Repairs(s.Session, s.Table, at), screen.Commands{{
		Action: keymap.Pause,
		Words:  "read all",
		Full:   "read the whole table",
		Why:    s.whyWhole,
		Run:    func() tea.Cmd { return s.look(s.asked, true) },
	}}
	first := slices.Concat(repairs, whole)
	if r != nil && r.Verdict == verdict.Unknown { // a person should know more before a change
		first = slices.Concat(whole, repairs)
	}
	return slices.Concat(first, screen.Commands{
		open,
		{
			Action: keymap.Timeline,
			Words:  "past",
			Full:   "see the past",
			Why:    screen.WhyIf(r == nil, "no value is selected"),
			Run:    func() tea.Cmd { return s.Send(screen.Timeline{Relation: r, At: s.answer.At}) },
		},
	}, screen.Copies(s.Session, copied))
}

// whyWhole says why the whole table is not read; empty if it can be.
func (s *Screen) whyWhole() string {
	a := s.answer
	if _, busy := s.Tasks.Since(task.Finding); busy {
		return "the value is being looked up"
	}
	if a == nil || a.Whole == nil {
		return "reading the whole table would not change the answer"
	}
	if a.ScanDenied {
		return "the permission dynamodb:Scan is denied"
	}
	return s.WhyBudget(a.Whole.Units)
}

func (s *Screen) hints() []kit.Hint {
	if s.typing {
		h := []kit.Hint{{Key: "enter", Words: "ask"}, {Key: "ctrl+u", Words: "clear"}, {Key: "esc", Words: "back"}}
		if !s.Asked.Empty() {
			h = slices.Insert(h, 1, kit.Hint{Key: "↑↓", Words: "asked before"})
		}
		return h
	}
	if _, busy := s.Tasks.Since(task.Finding); busy {
		return []kit.Hint{s.Hint(keymap.Back, "cancel")}
	}
	return s.Commands().Hints(s.Session)
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if r := s.selected(); r != nil {
		return "find, " + say.Relation(r)
	}
	return "find"
}
