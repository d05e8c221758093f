package change

import (
	"context"
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// BackfillLeft describes the locks that stay if an adoption is abandoned.
type BackfillLeft struct {
	// Runs has the receipts of the backfills that were not undone, and Locks counts the locks that they put. Some of
	// these locks may be gone since.
	Runs  []string `json:"runs"`
	Locks int64    `json:"locks"`
	// Open counts the backfills that have not reached their end.
	Open int `json:"open"`
	// Unknown counts the transactions whose outcome is unknown, and UnknownLocks their locks: each of these locks may
	// exist, or may still arrive.
	Unknown      int   `json:"unknown"`
	UnknownLocks int64 `json:"unknown_locks"`
	// Missing maps the receipts of the backfills whose file is missing to the marks of their locks. The number of these
	// locks is unknown, and an undo is impossible.
	Missing map[string]string `json:"missing"`
	// Undoing has the receipts of the backfills whose undo has not reached its end. Some of their locks are gone.
	Undoing []string `json:"undoing"`
}

// None reports whether no lock stays.
func (l *BackfillLeft) None() bool { return l.Locks == 0 && l.Unknown == 0 && len(l.Missing) == 0 }

// BackfillLeft describes the locks that stay if the adoption of a constraint is abandoned. It reads no table.
func (c *Changer) BackfillLeft(t *dynamo.Table, con *layout.Constraint) (BackfillLeft, error) {
	left := BackfillLeft{Runs: []string{}, Missing: map[string]string{}, Undoing: []string{}}
	runs, err := c.backfills(t, con.Name)
	for _, run := range runs {
		id := run.record.Receipt
		left.Runs = append(left.Runs, id)
		if run.record.Undoing != "" {
			left.Undoing = append(left.Undoing, id)
		}
		if run.summary == nil {
			left.Missing[id] = run.Plan.Backfill.Mark
			continue
		}
		left.Locks += run.summary.Put
		left.Unknown += len(run.summary.Open)
		for _, l := range run.summary.Open {
			left.UnknownLocks += int64(len(l.Puts()))
		}
		if !run.summary.Finished {
			left.Open++
		}
	}
	return left, err
}

// AbandonBackfills records in the journal that the adoption of a constraint was abandoned. It writes to no table. A
// later backfill of the constraint is a new run. It returns the receipt.
func (c *Changer) AbandonBackfills(
	ctx context.Context, t *dynamo.Table, con *layout.Constraint, left BackfillLeft, reason string,
) (string, error) {
	p := planner.Abandon(t, con)
	p.Reason = reason
	p.Live.Run = p.ID
	if err := c.recordMany(ctx, p); err != nil {
		return "", err
	}
	words := fmt.Sprintf("abandoned; %s of %s stay", phrase.Count(left.Locks, "lock"), phrase.Count(len(left.Runs), "backfill"))
	if left.Unknown > 0 {
		words += fmt.Sprintf("; the outcome of %s is unknown", phrase.Count(left.Unknown, "transaction"))
	}
	if len(left.Missing) > 0 {
		words += fmt.Sprintf("; the files of %s are missing", phrase.Count(len(left.Missing), "backfill"))
	}
	return p.ID, c.answerMany(ctx, p, &BackfillResult{Outcome: journal.Applied}, words)
}
