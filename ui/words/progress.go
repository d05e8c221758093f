package words

import (
	"fmt"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
)

// Progress says in a line where a change stands. How to leave stands within 80 columns,
// where the rest is cut off.
func Progress(p change.Progress) string {
	const cancel = " · ctrl+c cancels"
	if p.Attempt > 1 {
		return fmt.Sprintf("No answer yet: sent %d times, counted once", p.Attempt)
	}
	switch p.Stage {
	case change.StageMark:
		return "Marking the lock" + of(p) + cancel
	case change.StageWait:
		return fmt.Sprintf("Marked; waiting %.1f of %.1f s for sign-ups in progress%s",
			float64(p.Done)/1000, float64(p.Total)/1000, cancel)
	case change.StageLook:
		return fmt.Sprintf("Looking at every account: %s read%s%s · %s%s", phrase.Number(p.Done), share(p.Done, p.Total),
			cancel, ReadUnits(p.ReadUnits), throttled(p.Throttled))
	case change.StageDelete:
		return "Deleting the lock, if it is still marked" + of(p)
	case change.StageUnmark:
		return "Removing the marker" + of(p) + " · ctrl+c again leaves it to tallylock journal --resolve"
	}
	return "Writing"
}

// throttled says that requests were turned away.
func throttled(times int64) string {
	if times == 0 {
		return ""
	}
	return fmt.Sprintf(", throttled %d×", times)
}

// of says which of several locks it is.
func of(p change.Progress) string {
	if p.AllLocks < 2 {
		return ""
	}
	return fmt.Sprintf(", %d of %d", p.Locks+1, p.AllLocks)
}

// share is how much of an estimate is done; it is never all of it.
func share(done, total int64) string {
	if total <= 0 {
		return ""
	}
	return fmt.Sprintf(", about %d %%", min(99, 100*done/total))
}
