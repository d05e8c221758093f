package adopt

import (
	"cmp"
	"context"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/task"
)

// opened is the rule with its record and state.
type opened struct {
	rule   *adopt.Rule
	record *adopt.Record
	state  *adopt.State
}

// Refresh implements screen.Refresher. It reads the record of the adoption.
func (s *Screen) Refresh() tea.Cmd {
	if s.running != "" {
		return nil
	}
	journal, who := s.Journal(), ""
	if journal == nil {
		s.err = s.WhyNoJournal()
		return nil
	}
	if c := s.Connection().Changer; c != nil {
		who = cmp.Or(c.AppliedBy, c.Who)
	}
	return task.Start(s.Tasks, task.Fetching, func(ctx context.Context) (opened, error) {
		rule, err := adopt.Open(ctx, s.table, s.constraint)
		if err != nil {
			return opened{}, err
		}
		o := opened{rule: rule, record: adopt.OpenRecord(journal.Path(), rule, who)}
		o.state, err = o.record.State()
		return o, err
	}, func(o opened, err error) tea.Cmd {
		if s.err = err; err == nil {
			first := s.state == nil
			s.rule, s.record, s.state = o.rule, o.record, o.state
			if first {
				s.list.Put(min(done(s.state), len(adopt.Phases())-1))
			}
		}
		return nil
	})
}

// mostProblems is how many problems of a survey the screen keeps.
const mostProblems = 200

// inbox passes the problems of a survey to the screen.
type inbox struct {
	mu  sync.Mutex
	all []adopt.Problem
}

func (i *inbox) put(p adopt.Problem) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.all) < mostProblems {
		i.all = append(i.all, p)
	}
}

func (i *inbox) problems() []adopt.Problem {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clip(i.all)
}

// cost estimates the price of a phase.
func (s *Screen) cost(phase adopt.Phase) progress.Cost {
	if phase == adopt.PhaseSurvey {
		return adopt.EstimateSurvey(s.rule, s.Options.Check)
	}
	return setting.Estimate(s.table, adopt.VerifyOptions(s.Options.Check))
}

// start starts a phase. If the session would exceed its limit of read units, it asks first.
func (s *Screen) start(phase adopt.Phase) tea.Cmd {
	return s.Reading(s.cost(phase).Units(), func() tea.Cmd { return s.run(phase) })
}

// run runs a phase in the background, and records its result.
func (s *Screen) run(phase adopt.Phase) tea.Cmd {
	s.running, s.progress, s.stopped, s.inbox = phase, progress.State{}, nil, &inbox{}
	in, o, rule, record, state := s.inbox, s.Options.Check, s.rule, s.record, s.state
	o.Say = say.Do
	changer := s.Connection().Changer
	return task.Stream(s.Tasks, task.Adopting, func(
		ctx context.Context, report func(progress.State),
	) (*adopt.State, error) {
		event := adopt.Event{}
		var err error
		if phase == adopt.PhaseSurvey {
			event.Survey, err = adopt.Survey(ctx, rule, o, in.put, report)
		} else {
			event.Verify, err = adopt.Verify(ctx, rule, state, o, func(finding.Finding) {}, report)
			if since := event.Verify.Since; err == nil && since != nil && changer != nil {
				ctx := context.WithoutCancel(ctx)
				event.Verify.Receipt, err = changer.RecordAdopted(ctx, rule.Table, rule.Constraint, *since, "")
			}
		}
		if client.KindOf(err) == client.Cancelled {
			return nil, err
		}
		if kept := record.Append(context.WithoutCancel(ctx), event); err == nil {
			err = kept
		}
		now, unread := record.State()
		if err == nil {
			err = unread
		}
		return now, err
	}, func(now progress.State) { s.progress = now }, func(now *adopt.State, err error) tea.Cmd {
		s.running, s.stopped, s.problems = "", err, in.problems()
		if now != nil {
			s.state = now
		}
		if err != nil && client.KindOf(err) != client.Cancelled {
			return s.Fail(err)
		}
		if err != nil {
			return s.Say("Stopped. " + s.Keys.Key(keymap.Open) + " starts the phase again.")
		}
		return s.Send(message.Changed{}) // the journal may have a new receipt
	})
}
