package adopt

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/scan"
	"tallylock/ui/task"

	dialogs "tallylock/ui/dialog/adopt"
)

// showWriters shows the transactions for the application.
func (s *Screen) showWriters() tea.Cmd {
	strict := s.state.Verified != nil && s.state.Verified.Since != nil
	p, err := adopt.NewProtocol(s.rule, strict)
	if err != nil {
		return s.failed(err)
	}
	return dialogs.AskWriters(s.Session, p, s.command, s.askTimes)
}

// askTimes asks how to verify the writers.
func (s *Screen) askTimes() tea.Cmd {
	return dialogs.AskTimes(s.Session, s.rule, s.state.Writers, func(o adopt.SinceOptions) tea.Cmd {
		units := scan.Units(s.table.Description, 0, false)
		if o.Index != "" {
			units = 0 // a part of the index has no known size
		}
		return s.Reading(units, func() tea.Cmd { return s.judge(o) })
	})
}

// verified is the result of verifying the writers.
type verified struct {
	judgement *adopt.Judgement
	state     *adopt.State
}

// judge verifies the writers in the background, records the result, and shows it. Then a person can confirm the
// operations that are not verified.
func (s *Screen) judge(o adopt.SinceOptions) tea.Cmd {
	s.begin(adopt.PhaseWriters).read = o.Progress
	rule, record := s.rule, s.record
	return task.Start(s.Tasks, task.Adopting, func(ctx context.Context) (verified, error) {
		j, err := adopt.VerifyWriters(ctx, rule, o)
		if err != nil {
			return verified{}, err
		}
		now, err := s.keep(ctx, record, adopt.Event{Writers: j.Event(false)}, nil)
		return verified{j, now}, err
	}, func(v verified, err error) tea.Cmd {
		ended := s.ended(v.state, err, "")
		if err != nil {
			return ended
		}
		var confirm func() tea.Cmd
		if j := v.judgement; !j.TooFew() && j.Without == 0 && len(j.NotVerified) > 0 {
			confirm = func() tea.Cmd { return s.confirm(j) }
		}
		return tea.Batch(ended, dialogs.ShowJudgement(s.Session, v.judgement, s.constraint, confirm))
	})
}

// confirm records that a person has confirmed the operations that are not verified.
func (s *Screen) confirm(j *adopt.Judgement) tea.Cmd {
	record := s.record
	return task.Start(s.Tasks, task.Saving, func(ctx context.Context) (*adopt.State, error) {
		return s.keep(ctx, record, adopt.Event{Writers: j.Event(true)}, nil)
	}, func(now *adopt.State, err error) tea.Cmd { return s.ended(now, err, "") })
}
