package adopt

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
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
	if s.work != nil {
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

// problem is a value with the reason why the rule cannot hold.
type problem struct{ value, why string }

func problemOf(p adopt.Problem) problem { return problem{p.Value, say.ProblemWhy(p)} }

// mostKept is the greatest number of problems that the screen keeps for a phase.
const mostKept = 200

// inbox passes the problems of a phase to the screen.
type inbox[T any] struct {
	mu  sync.Mutex
	all []T
}

func (i *inbox[T]) put(one T) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.all) < mostKept {
		i.all = append(i.all, one)
	}
}

func (i *inbox[T]) list() []T {
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

// run runs the survey or the verification in the background, and records its result.
func (s *Screen) run(phase adopt.Phase) tea.Cmd {
	w, in, record := s.begin(phase), &inbox[problem]{}, s.record
	work := s.survey(in)
	if phase == adopt.PhaseVerify {
		work = s.verify(in)
	}
	return task.Stream(s.Tasks, task.Adopting, func(
		ctx context.Context, report func(progress.State),
	) (*adopt.State, error) {
		event, err := work(ctx, report)
		if event == nil || client.KindOf(err) == client.Cancelled && !event.Disproves() {
			return nil, err
		}
		return s.keep(ctx, record, *event, err)
	}, func(now progress.State) { w.state = now }, func(now *adopt.State, err error) tea.Cmd {
		if phase == adopt.PhaseSurvey {
			s.problems = in.list()
		} else {
			s.unproven = in.list()
		}
		return s.ended(now, err, "")
	})
}

// reads is a function that reads the tables. It returns the event to record; nil if there is nothing to record.
type reads func(context.Context, func(progress.State)) (*adopt.Event, error)

func (s *Screen) survey(in *inbox[problem]) reads {
	o, rule := s.Options.Check, s.rule
	o.Say = say.Do
	return func(ctx context.Context, report func(progress.State)) (*adopt.Event, error) {
		sum, err := adopt.Survey(ctx, rule, o, func(p adopt.Problem) { in.put(problemOf(p)) }, report)
		return &adopt.Event{Survey: sum}, err
	}
}

// verify checks the rule. If the journal cannot store the receipt, verify records nothing, because the rule does not
// hold yet.
func (s *Screen) verify(in *inbox[problem]) reads {
	o, rule, changer, unwritable := s.Options.Check, s.rule, s.Connection().Changer, s.WhyNoJournal()
	record := s.record
	o.Say = say.Do
	return func(ctx context.Context, report func(progress.State)) (*adopt.Event, error) {
		if changer == nil {
			return nil, unwritable
		}
		if err := changer.Journal.CheckWritable(); err != nil {
			return nil, err
		}
		if err := changer.CheckUndos(rule.Table, rule.Constraint); err != nil {
			return nil, err
		}
		state, err := record.State() // another process may have added results
		if err == nil {
			err = state.Allows(adopt.PhaseVerify)
		}
		if err != nil {
			return nil, err
		}
		v, err := adopt.Verify(ctx, rule, state, o, func(f finding.Finding) { in.put(problem{f.Value, f.Detail}) }, report)
		for _, one := range v.UnfitValues {
			in.put(problemOf(one))
		}
		if v.Since != nil {
			if err = record.Withdraw(v); err != nil {
				return nil, err
			}
		}
		if v.Since != nil { // Withdraw has not taken the result back
			v.Receipt, err = changer.RecordAdopted(context.WithoutCancel(ctx), rule.Table, rule.Constraint, *v.Since, "")
			if err != nil {
				return nil, err
			}
		}
		return &adopt.Event{Verify: v}, err
	}
}

// keep adds an event to the record, even if ctx is cancelled, and returns the state after it. If the phase failed with
// err, keep returns err rather than its own error.
func (s *Screen) keep(ctx context.Context, record *adopt.Record, e adopt.Event, err error) (*adopt.State, error) {
	if kept := record.Append(context.WithoutCancel(ctx), e); err == nil {
		err = kept
	}
	now, unread := record.State()
	if err == nil {
		err = unread
	}
	return now, err
}

// refusal puts a refusal into words; empty if err is no refusal.
func (s *Screen) refusal(err error) string {
	if refusal, ok := errors.AsType[*adopt.Refusal](err); ok {
		why, do := say.AdoptRefusal(refusal, s.command)
		return say.Sentence(why) + " " + say.Sentence(do)
	}
	if refusal, ok := errors.AsType[*plan.Refusal](err); ok {
		return say.Sentence(refusal.Error())
	}
	return ""
}
