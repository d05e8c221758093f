package adopt

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	phase := s.phase()
	words := map[adopt.Phase]string{adopt.PhaseWriters: "transactions"}[phase]
	full := map[adopt.Phase]string{adopt.PhaseWriters: "show the transactions"}[phase]
	if words == "" {
		words, full = "start "+string(phase), "start the "+string(phase)
		if phase == adopt.PhaseBackfill && s.state != nil && s.state.Unfinished() != nil {
			words, full = "continue", "continue the backfill"
		}
	}
	all := screen.Commands{{
		Action: keymap.Open, Words: words, Full: full,
		Why: func() string { return s.whyNot(phase) }, Run: func() tea.Cmd { return s.start(phase) },
	}}
	switch phase {
	case adopt.PhaseWriters:
		all = append(all, screen.Command{
			Action: keymap.VerifyWriters, Words: "verify them", Full: "verify the writers",
			Why: func() string { return s.whyNot(phase) }, Run: s.askTimes,
		})
	case adopt.PhaseBackfill:
		all = append(all, screen.Command{
			Action: keymap.UndoBackfill, Words: "undo", Full: "undo the backfill",
			Why: s.whyNoUndo, Run: s.planUndo,
		})
	}
	return slices.Concat(all, screen.Commands{
		{
			Action: keymap.Stop, Words: "stop", Full: "stop the phase",
			Why: screen.WhyIf(s.work == nil, "no phase is running"),
			Run: func() tea.Cmd { s.Tasks.Cancel(task.Adopting); return nil },
		},
		{
			Action: keymap.Abandon, Words: "abandon", Full: "abandon the adoption",
			Why: s.whyNotAbandon, Run: s.askAbandon,
		},
	}, screen.Copies(s.Session, screen.Selected{
		None: "a phase has no key",
		Command: func() (string, string) {
			if why := say.NoCommand(s.table.Connection()); why != "" {
				return "", why
			}
			if s.state == nil {
				return "", "the record is not read yet"
			}
			return s.command(say.PhaseFlags(s.state, phase, s.constraint)...), ""
		},
	}), screen.Commands{
		{Action: keymap.Reload, Words: "read again", Why: screen.WhyIf(s.work != nil, "a phase is running"), Run: s.Refresh},
		{Action: keymap.Back, Words: "back"},
	})
}

// busy returns the reason why no phase can start now; empty if a phase can start.
func (s *Screen) busy() string {
	switch {
	case s.WhyViewer() != "":
		return s.WhyViewer()
	case s.state == nil:
		return "the record is not read yet"
	case s.work != nil:
		return "the " + s.work.name() + " is running"
	}
	return ""
}

// whyNot returns the reason why a phase cannot start here; empty if it can.
func (s *Screen) whyNot(phase adopt.Phase) string {
	if why := s.busy(); why != "" {
		return why
	}
	if refusal, ok := errors.AsType[*adopt.Refusal](s.state.Allows(phase)); ok {
		why, _ := say.AdoptRefusal(refusal, s.command)
		return why
	}
	if phase == adopt.PhaseBackfill {
		return s.WhyWriteOn(s.Connection(), s.rule.LockTable, client.Put, client.Check)
	}
	return ""
}

// whyNoUndo returns the reason why no backfill can be undone here; empty if one can.
func (s *Screen) whyNoUndo() string {
	switch why := s.busy(); {
	case why != "":
		return why
	case s.undoable() == nil:
		return "there is no backfill to undo"
	}
	return s.WhyWriteOn(s.Connection(), s.rule.LockTable, client.Delete)
}

// undoable returns the backfill to undo; nil if there is none. A backfill with a stopped undo comes first. Otherwise it
// is the last backfill that is not undone.
func (s *Screen) undoable() *adopt.Backfill {
	if b := s.state.StoppedUndo(); b != nil {
		return b
	}
	for _, b := range slices.Backward(s.state.Backfills) {
		if !b.Undone {
			return b
		}
	}
	return nil
}

// whyNotAbandon returns the reason why the adoption cannot be abandoned here; empty if it can.
func (s *Screen) whyNotAbandon() string {
	switch why := s.busy(); {
	case why != "":
		return why
	case !s.state.Begun() && s.undoable() == nil:
		return "this adoption has not begun"
	case s.Connection().Changer == nil:
		return s.Connection().WhyReadOnly()
	}
	return ""
}

// start starts a phase. If the session would exceed its limit of read units, it asks first.
func (s *Screen) start(phase adopt.Phase) tea.Cmd {
	switch phase {
	case adopt.PhaseWriters:
		return s.showWriters()
	case adopt.PhaseBackfill:
		return s.Reading(s.cost(adopt.PhaseSurvey).Units(), s.planBackfill)
	}
	return s.Reading(s.cost(phase).Units(), func() tea.Cmd { return s.run(phase) })
}
