package adopt

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/say"
	"tallylock/ui/task"

	dialogs "tallylock/ui/dialog/adopt"
	changes "tallylock/ui/dialog/change"
)

// planBackfill reads the accounts, and asks whether to put the missing locks.
func (s *Screen) planBackfill() tea.Cmd {
	w, c, o := s.begin(adopt.PhaseBackfill), s.Connection(), s.Options.Check
	rule := s.rule
	return task.Stream(s.Tasks, task.Adopting, func(
		ctx context.Context, report func(change.Progress),
	) (*change.Backfill, error) {
		return c.Changer.PlanBackfill(ctx, rule.Table, rule.Constraint, rule.Locks(), o, report)
	}, func(p change.Progress) { w.report(p, s.Now()) }, func(planned *change.Backfill, err error) tea.Cmd {
		s.work = nil
		if err != nil {
			return s.ended(nil, err, "")
		}
		put := func() tea.Cmd { return s.backfill(planned) }
		return changes.AskRun(s.Session, c, "backfill "+s.constraint, planned.Plan, put)
	})
}

// filled is the result of a backfill or of its undo.
type filled struct {
	result change.BackfillResult
	state  *adopt.State
}

// backfill puts the missing locks in the background, and records the result.
func (s *Screen) backfill(planned *change.Backfill) tea.Cmd {
	changer := s.Connection().Changer
	event := adopt.Backfill{
		Receipt: planned.Plan.ID, File: changer.Journal.FileOf(planned.Plan.ID), Total: planned.Expected(),
	}
	return s.fill(s.begin(adopt.PhaseBackfill), planned.Plan, &event, func(
		ctx context.Context, found func(change.BackfillFinding), report func(change.Progress),
	) change.BackfillResult {
		r := changer.RunBackfill(ctx, planned, found, report)
		event.Done, event.Put, event.Existed = r.Complete && r.Unknown == 0, r.Put, r.Had
		event.Duplicates = r.Found[change.BackfillDuplicate]
		event.Invalid = r.Found[change.BackfillInvalid]
		event.Skipped = r.Findings() - event.Duplicates - event.Invalid
		return r
	})
}

// planUndo plans the undo of a backfill (see undoable), and asks whether to run it.
func (s *Screen) planUndo() tea.Cmd {
	c, of := s.Connection(), *s.undoable()
	s.begin(adopt.PhaseBackfill).undo = true
	return task.Start(s.Tasks, task.Adopting, func(ctx context.Context) (*change.BackfillUndo, error) {
		r, err := c.Changer.Journal.Record(of.Receipt)
		if err == nil && r == nil {
			err = &client.Error{
				Kind: client.Failed, Op: "undoing " + of.Receipt, Why: "the backfill is no longer in the journal",
				Do: "nothing was sent",
			}
		}
		if err != nil {
			return nil, err
		}
		return c.Changer.PlanBackfillUndo(ctx, c.Connection, r)
	}, func(planned *change.BackfillUndo, err error) tea.Cmd {
		s.work = nil
		if err != nil {
			return s.ended(nil, err, "")
		}
		return changes.AskRun(s.Session, c, "undo "+of.Receipt, planned.Plan, func() tea.Cmd { return s.undo(planned, of) })
	})
}

// undo deletes the locks of a backfill in the background. It first records that the backfill is no longer done.
func (s *Screen) undo(planned *change.BackfillUndo, of adopt.Backfill) tea.Cmd {
	changer, w := s.Connection().Changer, s.begin(adopt.PhaseBackfill)
	was := of
	w.undo, of.Done, of.Undoing = true, false, true
	return s.fill(w, planned.Plan, &of, func(
		ctx context.Context, found func(change.BackfillFinding), report func(change.Progress),
	) change.BackfillResult {
		r := changer.RunBackfillUndo(ctx, planned, found, report)
		of.Undone = r.Complete && r.Unknown == 0 && r.Err == nil
		of.Undoing = !of.Undone
		if r.Outcome == journal.Refused { // nothing was sent
			of = was
		}
		return r
	})
}

// fill runs a backfill or its undo. It records the event twice: before the run, and after the run has updated the
// event.
func (s *Screen) fill(w *work, p *plan.Plan, event *adopt.Backfill, run func(
	ctx context.Context, found func(change.BackfillFinding), report func(change.Progress),
) change.BackfillResult,
) tea.Cmd {
	in, record := &inbox[change.BackfillFinding]{}, s.record
	s.filled, s.left = nil, nil
	return task.Stream(s.Tasks, task.Adopting, func(
		ctx context.Context, report func(change.Progress),
	) (filled, error) {
		free, err := record.TryLock(adopt.PhaseBackfill)
		if err != nil {
			return filled{}, err
		}
		defer free()
		// Another process may have added results since the screen read the record.
		now, err := record.State()
		switch {
		case err != nil:
			return filled{}, err
		case w.undo && now.IsUndone(event.Receipt):
			return filled{}, plan.Refuse(plan.NotUndone, "%s is already undone", event.Receipt)
		case !w.undo:
			if err := now.Allows(adopt.PhaseBackfill); err != nil {
				return filled{}, err
			}
		}
		before := *event
		if err := record.Append(ctx, adopt.Event{Backfill: &before}); err != nil {
			return filled{}, err
		}
		r := run(ctx, in.put, report)
		s.Unreported.Store(&[]change.Receipt{{
			Plan: p, Answer: plan.Answer{ID: r.Receipt, Outcome: r.Outcome, Err: r.Err, WriteUnits: r.WriteUnits},
		}})
		now, err = s.keep(ctx, record, adopt.Event{Backfill: event}, r.Err)
		return filled{r, now}, err
	}, func(p change.Progress) { w.report(p, s.Now()) }, func(f filled, err error) tea.Cmd {
		s.Unreported.Store(nil)
		if f.state != nil {
			s.filled, s.left = &f.result, in.list()
		}
		return s.ended(f.state, err, s.filledWords(w, f.result))
	})
}

// filledWords says how far a backfill, or its undo, got.
func (s *Screen) filledWords(w *work, r change.BackfillResult) string {
	switch {
	case r.Complete && w.undo:
		return say.UnfillEnd(r)
	case r.Complete:
		return say.BackfillEnd(r)
	}
	again := keymap.Open
	if w.undo {
		again = keymap.UndoBackfill
	}
	return fmt.Sprintf("Stopped: %s. %s continues.", phrase.Count(r.Put, "lock"), s.Keys.Key(again))
}

// askAbandon asks whether to end the adoption.
func (s *Screen) askAbandon() tea.Cmd {
	changer, rule, record := s.Connection().Changer, s.rule, s.record
	return task.Start(s.Tasks, task.Planning, func(context.Context) (change.BackfillLeft, error) {
		return changer.BackfillLeft(rule.Table, rule.Constraint)
	}, func(left change.BackfillLeft, err error) tea.Cmd {
		if err != nil {
			return s.failed(err)
		}
		return dialogs.AskAbandon(s.Session, s.constraint, left, func(reason string) tea.Cmd {
			return task.Start(s.Tasks, task.Changing, func(ctx context.Context) (*adopt.State, error) {
				free, err := record.TryLock(adopt.PhaseBackfill)
				if err != nil {
					return nil, err
				}
				defer free()
				if left, err = changer.BackfillLeft(rule.Table, rule.Constraint); err != nil {
					return nil, err
				}
				if _, err := changer.AbandonBackfills(ctx, rule.Table, rule.Constraint, left, reason); err != nil {
					return nil, err
				}
				return s.keep(ctx, record, adopt.Event{Abandoned: &adopt.Abandoned{Locks: left.Locks}}, nil)
			}, func(now *adopt.State, err error) tea.Cmd {
				return s.ended(now, err, "The adoption of the "+s.constraint+" is abandoned.")
			})
		})
	})
}
