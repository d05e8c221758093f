package queue

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change/queue"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/dialog/refuse"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

const noneSelected = "no plan is selected"

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	e := s.selected()
	none := screen.WhyIf(len(s.rows()) == 0, "there are no plans")
	return slices.Concat(s.decisions(e), s.look.Commands(none), screen.Copies(s.Session, copied(e)), screen.Commands{
		{Action: keymap.Reload, Words: "read again", Run: s.poll},
		{Action: keymap.Sort, Why: screen.WhyIf(true, "open plans come first, and newer plans before older ones")},
		{Action: keymap.NextProblem, Why: none},
		{Action: keymap.PreviousProblem, Why: none},
	})
}

// decisions returns the commands that decide an entry: apply, refuse, withdraw. e is nil if none is selected.
func (s *Screen) decisions(e *queue.Entry) screen.Commands {
	of := func(why func(*queue.Entry) string) func() string {
		if e == nil {
			return screen.WhyIf(true, noneSelected)
		}
		return func() string { return why(e) }
	}
	whyApply := of(func(e *queue.Entry) string { return change.WhyNotQueued(s.Session, e) })
	apply := func() tea.Cmd { return change.AskQueued(s.Session, e) }
	return screen.Commands{
		{Action: keymap.Apply, Words: "apply", Full: "verify and apply it", Why: whyApply, Run: apply},
		{
			Action: keymap.Refuse, Words: "refuse", Full: "refuse it", Why: of(s.whyRefuse),
			Run: func() tea.Cmd { return refuse.Ask(s.Session, e) },
		},
		{
			Action: keymap.Withdraw, Words: "withdraw", Full: "withdraw your plan",
			Why: of(s.Options.Guest.Person().WhyNotWithdrawn), Run: func() tea.Cmd { return s.withdraw(e) },
		},
		{Action: keymap.Open, Full: "verify and apply it", Why: whyApply, Run: apply},
	}
}

// whyRefuse says why the person cannot refuse a plan. An operator can refuse a plan of their own.
func (s *Screen) whyRefuse(e *queue.Entry) string {
	by := s.Options.Guest.Person()
	by.ApproveOwn = true
	return by.WhyNotDecided(e)
}

// withdraw takes the person's own plan out of the queue.
func (s *Screen) withdraw(e *queue.Entry) tea.Cmd {
	guest := s.Options.Guest
	return task.Start(s.Tasks, task.Deciding, func(context.Context) (struct{}, error) {
		return struct{}{}, guest.Queue.Withdraw(guest.Person(), e.ID)
	}, func(_ struct{}, err error) tea.Cmd {
		if err != nil {
			return tea.Batch(s.poll(), s.Fail(err))
		}
		return tea.Batch(s.Send(message.Queued{}), s.Say("Withdrawn: no operator sees the plan any more."))
	})
}

// copied describes an entry for copying.
func copied(e *queue.Entry) screen.Selected {
	if e == nil {
		return screen.Selected{None: noneSelected}
	}
	return screen.Selected{
		None: "a plan has no key",
		Cell: screen.Form{Hint: "copy", Words: "the plan's id", Text: screen.Plain(e.ID)},
		Whole: screen.Form{Words: "it as JSON", Name: "the plan as JSON", Text: func() (string, error) {
			text, err := e.Plan.Bytes()
			return string(text), err
		}},
	}
}
