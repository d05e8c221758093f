package verdict_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/internal/testrun"
)

// standing returns the fit of a layout with the given standing.
func standing(s layout.Standing) layout.Fit {
	e := layout.Evidence{Items: 100, Accounts: 30, Locks: 30, Values: 30, Claims: 30, Locked: 30, Met: 30, MetRight: 30}
	if s == layout.Contradicted {
		e.Locked = 0
	}
	f := e.Judge("email")
	if f.State = layout.Described; s == layout.Thin {
		f.State = layout.Guessed
	}
	return f
}

// evidences yields all combinations of facts, with the standing of their fit. It returns their number.
func evidences(yield func(verdict.Facts, layout.Standing)) (n int) {
	for claimants := range 3 {
		for others := verdict.OthersUnknown; others <= verdict.OthersSettled; others++ {
			for _, s := range []layout.Standing{layout.Supported, layout.Thin, layout.Contradicted} {
				for bits := range 1 << 13 {
					is := func(n int) bool { return bits>>n&1 == 1 }
					e := verdict.Facts{
						Value: "a", Lock: schema.Lock{Exists: is(0)}, Claimants: make([]schema.Account, claimants), OwnerKnown: is(1), NamesClaimant: is(2),
						Malformed: is(3), Apart: is(4), Scanned: is(5), Changed: is(6), Others: others, OthersWhy: "more has to be read", Fit: standing(s),
					}
					if is(7) {
						e.Owner = &schema.Account{}
					}
					if is(8) {
						e.Holders.Overflow = "an order holds it"
					}
					if is(9) {
						e.Holders.Known = []*verdict.Holding{{}}
					}
					e.TablesUnsaid, e.Digests = is(10), is(11)
					if is(12) {
						e.Unlikely = "it is young"
					}
					n++
					yield(e, s)
				}
			}
		}
	}
	return n
}

// For each combination of facts, the verdict is not surer than the weakest fact.
func TestJudgeIsNoStrongerThanItsEvidence(t *testing.T) {
	testrun.OneGoroutine(t)
	n := evidences(func(e verdict.Facts, s layout.Standing) {
		if wrong := tooStrong(e, s); wrong != "" {
			t.Fatalf("%s: %+v of %+v", wrong, verdict.Judge(e), e)
		}
	})
	if n != 3*5*3*8192 {
		t.Errorf("%d judged", n)
	}
}

// tooStrong describes the error of a judgement that is surer than its facts. It is empty if there is none.
func tooStrong(e verdict.Facts, s layout.Standing) string {
	j := verdict.Judge(e)
	sure := j.Verdict != verdict.Unknown && !j.Provisional
	nobody := j.Verdict == verdict.Orphaned || j.Verdict == verdict.Stale || j.Verdict == verdict.Malformed || j.Verdict == verdict.Free
	switch {
	case s == layout.Contradicted && j.Verdict != verdict.Unknown:
		return "a contradicted layout has a verdict"
	case s == layout.Thin && sure && j.Verdict != verdict.Held:
		return "a thin layout is sure"
	case e.Changed && j.Verdict != verdict.Unknown:
		return "what changed has a verdict"
	case e.Scanned && j.Verdict != verdict.Unknown && !j.Provisional:
		return "a scan alone is sure"
	case e.Apart && j.Verdict.Broken() && sure:
		return "readings at several moments are sure"
	case nobody && len(e.Claimants) > 0:
		return "somebody calls for it"
	case nobody && sure && e.Others < verdict.OthersAbsent:
		return "nobody was ruled out"
	case nobody && (e.Holders.Overflow != "" || len(e.Holders.Known) > 0):
		return "an item holds it"
	case nobody && e.Digests:
		return "a digest may be of another account"
	case sure && j.Verdict.Broken() && j.Verdict != verdict.Duplicate && e.TablesUnsaid:
		return "the tables are not said"
	case sure && nobody && j.Verdict != verdict.Free && e.Unlikely != "":
		return "it may belong to a sign-up"
	case j.Verdict == verdict.Unknown && j.Why == "":
		return "it does not say why it is unknown"
	}
	if more := e; len(e.Claimants) == 0 && sure && e.Others < verdict.OthersSettled {
		if more.Others++; verdict.Judge(more).Verdict != j.Verdict || verdict.Judge(more).Provisional {
			return "knowing more makes it less sure"
		}
	}
	return ""
}

// A reservation has only one effect: an unclaimed lock is Reserved until the reservation ends, or Unknown if the lock
// does not show its time. Before and after that time, and for all other verdicts, the judgement is the same as without
// a reservation.
func TestJudgeReserved(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Parallel()
	evidences(func(e verdict.Facts, _ layout.Standing) {
		without := verdict.Judge(e)
		e.Now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		e.Reserved = layout.Reservation{For: 48 * time.Hour, Since: "claimedAt"}
		for since, reserved := range map[string]bool{"2026-11-20T11:40:00Z": false, "2026-11-20T11:50:00Z": true, "": true, "yesterday": true} {
			if e.Lock.Since = (attr.Value{}); since != "" {
				e.Lock.Since = attr.String(since)
			}
			if wrong := wronglyReserved(e, without, reserved, since); wrong != "" {
				t.Fatalf("%s: %+v of %+v", wrong, verdict.Judge(e), e)
			}
		}
	})
}

// wronglyReserved describes the error in the judgement of a lock that may be reserved. without is the judgement without
// a reservation.
func wronglyReserved(e verdict.Facts, without verdict.Judgement, reserved bool, since string) string {
	j := verdict.Judge(e)
	unclaimed := without.Verdict == verdict.Orphaned || without.Verdict == verdict.Stale || without.Verdict == verdict.Malformed
	tells := strings.HasPrefix(since, "2026")
	pending := reserved && e.Lock.Exists && len(e.Claimants) == 0
	switch {
	case j.Pending != pending || j.Until.IsZero() == (pending && tells):
		return "it waits for nobody, or does not say so"
	case pending && unclaimed && tells:
		if j.Verdict != verdict.Reserved {
			return "it is not reserved"
		}
	case pending && unclaimed:
		if j.Verdict != verdict.Unknown || j.Why == "" {
			return "it is not unknown"
		}
	default:
		if j.Pending, j.Until = false, (time.Time{}); j != without {
			return "the reservation makes a difference"
		}
	}
	if j.Verdict == verdict.Reserved && !j.Provisional && (e.Others < verdict.OthersAbsent || e.Scanned || e.Fit.Standing() == layout.Thin) {
		return "it is too sure"
	}
	return ""
}
