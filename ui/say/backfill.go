package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/phrase"
)

// BeforeBackfill says what the readings of a backfill will cost.
func BeforeBackfill(r *adopt.Rule, c progress.Cost) string {
	said := "A backfill reads " + r.Table.Name + " twice: first to count the values, then to put the locks"
	if c.Uncounted {
		return said + ". The price is unknown, because the endpoint does not report the size of the table."
	}
	return said + fmt.Sprintf(": about %s.", ReadUnits(rounded(c.First+c.Again)))
}

// BackfillLine describes the progress of a backfill in one line of a terminal, with the key that stops it.
func BackfillLine(p change.Progress, elapsed time.Duration) string {
	if p.Attempt > 1 {
		return Progress(p)
	}
	return BackfillDoing(p, elapsed) + " · ctrl+c stops"
}

// BackfillDoing describes the progress of a backfill, or of its undo. elapsed is the time since the stage began.
func BackfillDoing(p change.Progress, elapsed time.Duration) string {
	switch p.Stage {
	case change.StageCount:
		return fmt.Sprintf("Counting the values: %s read%s", phrase.Count(p.Done, "item"), share(p.Done, p.Total))
	case change.StageSettle:
		return "Looking for the last locks of the stopped run"
	case change.StageUnfill:
		return fmt.Sprintf("Deleting the locks: %s of %s%s", phrase.Number(p.Done), phrase.Number(p.Total),
			remaining(p.Done, p.Total, elapsed))
	}
	return fmt.Sprintf("Putting the locks: %s of %s%s", phrase.Number(p.Locks), phrase.Number(p.AllLocks),
		remaining(int64(p.Locks-p.EarlierLocks), int64(p.AllLocks-p.EarlierLocks), elapsed))
}

// remaining writes the estimated remaining time, from the elapsed time; empty if it is too early for an estimate.
func remaining(done, total int64, elapsed time.Duration) string {
	if done <= 0 || total <= done || elapsed < time.Second {
		return ""
	}
	left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
	return ", about " + Roughly(left) + " left"
}

// BackfillFinding says why a value got no lock.
func BackfillFinding(f change.BackfillFinding) string {
	switch f.Kind {
	case change.BackfillDuplicate:
		if f.Exists && f.Owner != "" {
			return "the lock exists and names " + f.Owner
		}
		if f.Exists {
			return "the lock exists and names no account"
		}
		return phrase.Count(len(f.Accounts)+f.More, "account") + " hold the value"
	case change.BackfillChanged:
		if f.Value == "" {
			return "the lock changed, so it stays"
		}
		if f.Code == change.OneHolder {
			return "several accounts held the value in the first reading, and only this account in the second"
		}
		return "the account changed after it was read"
	case change.BackfillBusy:
		if f.Value == "" {
			return "other programs kept writing the lock"
		}
		return "other programs kept writing the account or the lock"
	}
	if why := AdoptUnfit(adopt.Unfit{Code: adopt.Code(f.Code), Why: f.Why}); why != "" {
		return why
	}
	return f.Code
}

// BackfillFound is the heading of the findings of one kind.
func BackfillFound(kind change.BackfillKind, n int64) string {
	switch kind {
	case change.BackfillDuplicate:
		return phrase.Count(n, "value") + " used by several accounts: no lock put"
	case change.BackfillChanged:
		return phrase.Count(n, "value") + " skipped: the account changed"
	case change.BackfillBusy:
		return phrase.Count(n, "value") + " skipped: other programs kept writing the items"
	}
	return phrase.Count(n, "value") + " cannot have a lock"
}

// BackfillKinds lists the kinds of findings of a backfill in the order in which they are shown.
func BackfillKinds() []change.BackfillKind {
	return []change.BackfillKind{
		change.BackfillDuplicate, change.BackfillChanged, change.BackfillBusy, change.BackfillInvalid,
	}
}

// BackfillEnd says how far a backfill got.
func BackfillEnd(r change.BackfillResult) string {
	said := fmt.Sprintf("%s put, %s existed already", phrase.Count(r.Put, "lock"), phrase.Number(r.Had))
	if !r.Complete {
		said = "Stopped: " + said + ". The same command continues the backfill"
	}
	return said + unknownUntil(r) + "."
}

// UnfillEnd says how far the undo of a backfill got.
func UnfillEnd(r change.BackfillResult) string {
	said := fmt.Sprintf("%s deleted", phrase.Count(r.Put, "lock"))
	if r.Had > 0 {
		said += fmt.Sprintf("; %s already gone, or written again by the application", phrase.Count(r.Had, "lock"))
	}
	if n := r.Found[change.BackfillChanged]; n > 0 {
		said += "; " + Plural(int(n), "lock changed and stays", "locks changed and stay")
	}
	if n := r.Found[change.BackfillBusy]; n > 0 {
		said += "; " + Plural(int(n), "busy lock stays", "busy locks stay")
	}
	if !r.Complete {
		said = "Stopped: " + said + ". The same command continues the undo"
	}
	return said + unknownUntil(r) + "."
}

func unknownUntil(r change.BackfillResult) string {
	if r.Unknown == 0 {
		return ""
	}
	return fmt.Sprintf(". %s got no answer and may still arrive until %s. The same command finds the outcome later",
		phrase.Count(r.Unknown, "transaction"), phrase.Clock(r.Until))
}

// Abandoned lists the locks that an abandoned adoption leaves behind, and their risks.
func Abandoned(constraint string, left change.BackfillLeft) (lines []string) {
	if left.None() {
		return []string{
			"No locks of a backfill stay.",
			"Your application's writers may still put locks for new values. Only values with a lock are unique.",
		}
	}
	said := "Locks of the " + constraint + " may stay"
	if left.Locks > 0 {
		said = fmt.Sprintf(Plural(int(left.Locks), "lock of the %s stays", "locks of the %s stay")+
			", except those that your application has changed or deleted since", constraint)
	}
	lines = []string{said + ". They were put by: " + strings.Join(left.Runs, ", ") + "."}
	if left.Unknown > 0 {
		lines = append(lines, fmt.Sprintf("The outcome of %s is unknown: in addition, %s may exist, or may still arrive.",
			phrase.Count(left.Unknown, "transaction"), phrase.Count(left.UnknownLocks, "lock")))
	}
	for _, run := range slices.Sorted(maps.Keys(left.Missing)) {
		lines = append(lines, fmt.Sprintf("The file of %s is missing, so the number of its locks is unknown, and an undo is "+
			"impossible. Its locks have the attribute tallylock_adopt = %s.", run, left.Missing[run]))
	}
	for _, run := range left.Undoing {
		lines = append(lines, "The undo of "+run+" has not reached its end: some locks of this backfill are gone.")
	}
	return append(lines,
		"As long as your application uses the printed transactions, these locks keep their values: nobody else can take "+
			"them. A value without a lock can be taken twice.",
		"If your application returns to writers without locks, the locks become orphaned when their accounts change. "+
			"Then undo the backfill.",
	)
}
