package write

import (
	"context"
	"errors"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// UndoneBackfill is the JSON of the undo of a backfill. Its names are a contract.
type UndoneBackfill struct {
	Outcome journal.Outcome `json:"outcome"`
	Undoes  string          `json:"undoes"`
	Receipt *string         `json:"receipt"` // the receipt of the undo, even if nothing was sent
	// Left lists locks of the backfill that stay, because they have changed or were busy. If a lock was busy, the undo is
	// not complete.
	Left []change.BackfillFinding `json:"left"`
	Undo change.BackfillResult    `json:"undo"`
	// Stopped is the error that stopped the undo; empty if the undo is complete.
	Stopped string `json:"stopped,omitempty"`
}

// undoBackfill deletes the locks of a backfill.
func (w *writing) undoBackfill(ctx context.Context, record *journal.Record) error {
	u, err := w.changer.PlanBackfillUndo(ctx, w.conn, record)
	if refused, ok := errors.AsType[*plan.Refusal](err); ok {
		return w.answer([]change.Receipt{change.NotMade(nil, refused)})
	}
	if err != nil {
		return err
	}
	u.Plan.Reason = w.reason
	show := func(to *print.Printer) { writePlan(to, u.Plan) }
	if w.dryRun {
		return w.planned(&change.Batch{Plans: []*plan.Plan{u.Plan}}, show)
	}
	if err := w.confirmPlans(ctx, []*plan.Plan{u.Plan}, show, u.Plan.Button); err != nil {
		return err
	}
	t, constraint := u.Adoption()
	kept := adopt.RecordOf(w.changer.Journal.Path(), t, constraint, app.Who())
	free, err := kept.TryLock(adopt.PhaseBackfill)
	if refused, ok := errors.AsType[*adopt.Refusal](err); ok {
		why, do := say.AdoptRefusal(refused, nil)
		running := plan.Refuse(plan.Running, "%s; %s; nothing was sent", why, do)
		return w.answer([]change.Receipt{change.NotMade(u.Plan, running)})
	}
	if err != nil {
		return err
	}
	defer free()
	was, err := recordUndo(ctx, kept, record.Receipt, false)
	if err != nil {
		return err
	}
	bar, begun := app.NewProgress(w.Run), time.Now()
	left := []change.BackfillFinding{}
	r := w.changer.RunBackfillUndo(ctx, u, func(f change.BackfillFinding) {
		if len(left) < mostLeft {
			left = append(left, f)
		}
	}, func(p change.Progress) { bar.ShowStage(string(p.Stage), say.BackfillLine(p, time.Since(begun))) })
	bar.Clear()
	w.writeUndone(u, r, left)
	if r.Outcome == journal.Refused && was != nil { // nothing was sent
		if err := kept.Append(ctx, adopt.Event{Backfill: was}); err != nil {
			return err
		}
	}
	switch {
	case r.Unknown > 0:
		w.Complain(r.Err)
		return exit.Unknown
	case r.Err != nil:
		return r.Err
	}
	if _, err := recordUndo(ctx, kept, record.Receipt, true); err != nil {
		return err
	}
	if r.Findings() > 0 {
		return exit.Refused
	}
	return nil
}

// mostLeft limits the remaining locks that the output lists.
const mostLeft = 1000

// writeUndone writes the result of the undo of a backfill.
func (w *writing) writeUndone(u *change.BackfillUndo, r change.BackfillResult, left []change.BackfillFinding) {
	if w.Flags.Output != app.Text {
		out := UndoneBackfill{Outcome: r.Outcome, Undoes: u.Plan.Undoes, Receipt: &r.Receipt, Left: left, Undo: r}
		if r.Err != nil {
			out.Stopped = r.Err.Error()
		}
		w.Print(out)
		return
	}
	p := w.Printer()
	for _, f := range left {
		if key, err := u.KeyOf(f); err == nil {
			p.Line(kit.Warn, "%s", key+": "+say.BackfillFinding(f))
		}
	}
	p.Hang(kit.Text, 0, say.UnfillEnd(r))
	var about print.Facts
	about.Add("receipt", r.Receipt)
	about.Add("used", say.WriteUnits(r.WriteUnits))
	p.Facts(2, about)
}

// recordUndo notes in the record of the adoption that the undo of a backfill begins. If ended is true, it notes that
// the backfill is undone. It returns the earlier state of the backfill, or nil if the record does not have the
// backfill.
func recordUndo(
	ctx context.Context, record *adopt.Record, receipt string, ended bool,
) (was *adopt.Backfill, err error) {
	state, err := record.State()
	if err != nil {
		return nil, err
	}
	for _, b := range state.Backfills {
		if b.Receipt == receipt && !b.Undone {
			was = new(*b)
			b.Done, b.Undoing, b.Undone = false, !ended, ended
			return was, record.Append(ctx, adopt.Event{Backfill: b})
		}
	}
	return nil, nil
}
