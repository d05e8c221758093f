package check_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/internal/fault"
	"tallylock/internal/testrun"
)

// shares runs a check. It returns the last share of progress, and the last share in each stage. It fails if the share
// falls, or is 1 before the end.
func shares(t *testing.T, run func(each func(progress.State)) error) (last float64, at map[progress.Stage]float64) {
	t.Helper()
	at = map[progress.Stage]float64{}
	err := run(func(s progress.State) {
		if s.Share < last || s.Share < 0 || s.Share > 1 {
			t.Errorf("%v after %v, while stage %d: %+v", s.Share, last, s.Stage, s)
		}
		if last == 1 {
			t.Errorf("it was whole before %+v", s)
		}
		last = s.Share
		at[s.Stage] = last
	})
	if err != nil {
		t.Error(err)
	}
	return last, at
}

// The share of progress never falls and ends at 1, for any table, and while an application writes to the table.
func TestShareNeverFalls(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Runs(6, 2)) {
		for _, o := range []setting.Options{{Segments: 8}, {Segments: 8, Confirm: setting.ConfirmReads}, {Segments: 8, Confirm: setting.ConfirmNone}, {Segments: 8, Look: setting.Eventual, MaxReadUnits: 20}} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed, fault.Delays{Lag: lag, Spread: spread})
				w.latency = 700 * time.Millisecond
				for n := range 30 * int(seed) {
					w.signUp(fmt.Sprint(n), fmt.Sprint(n))
				}
				if seed > 1 {
					w.spoil()
				}
				table := w.open(settle)
				ctx, stop := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() {
					defer close(done)
					if seed%2 == 1 {
						w.live(ctx)
					}
				}()
				last, _ := shares(t, func(each func(progress.State)) error {
					_, err := check.Run(t.Context(), table, o, func(finding.Finding) {}, each)
					return err
				})
				stop()
				<-done
				if last != 1 {
					t.Errorf("seed %d, %+v: it ended at %v", seed, o, last)
				}
			})
		}
	}
}

// If a check has to wait, its share is small after the first reading: the share is about time.
func TestShareCountsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, fault.Delays{})
		w.latency = 100 * time.Millisecond
		w.signUp("A", "v")
		w.signUp("B", "u")
		w.expire("A")
		table := w.open(settle)
		var left time.Duration
		_, at := shares(t, func(each func(progress.State)) error {
			_, err := check.Run(t.Context(), table, setting.Options{}, func(finding.Finding) {}, func(s progress.State) {
				if s.Stage == progress.Waiting && left == 0 {
					left = s.Left
				}
				each(s)
			})
			return err
		})
		if at[progress.Reading] > 0.1 || at[progress.Waiting] < 0.9 {
			t.Errorf("after reading %v, after the wait %v", at[progress.Reading], at[progress.Waiting])
		}
		if left < settle-time.Second || left > settle+2*time.Second {
			t.Errorf("at the wait's beginning %s are said to be left", left)
		}
	})
}

// If each request is slow, the share rises during the first reading, too.
func TestShareCountsASlowEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, fault.Delays{})
		w.latency = 3 * time.Second
		for n := range 40 {
			w.signUp(fmt.Sprint(n), fmt.Sprint(n))
		}
		w.expire("7")
		table := w.open(settle)
		_, at := shares(t, func(each func(progress.State)) error {
			_, err := check.Run(t.Context(), table, setting.Options{Segments: 4}, func(finding.Finding) {}, each)
			return err
		})
		if at[progress.Reading] < 0.1 || at[progress.Waiting] <= at[progress.Reading] || at[progress.LookingAgain] < at[progress.Waiting]+0.1 {
			t.Errorf("after reading %v, the wait %v, reading again %v", at[progress.Reading], at[progress.Waiting], at[progress.LookingAgain])
		}
	})
}

// A constraint that the layout does not fit is not judged. The last stage counts only the values that it judges, and
// reaches its end.
func TestConfirmingCountsWhatItJudges(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{mail("gone")}
	for n := range 60 {
		v := fmt.Sprint(n)
		items = append(items, user(v, v, doc{"nick": str(v)}), mail(v), doc{"PK": str("NICK#" + v + "!"), "SK": str("LOCK")})
	}
	f.create("two", "PK:S", "SK:S", items...)
	l := users()
	nick := l.Accounts[0].Constraints[0]
	nick.Attribute, nick.PK = "nick", "NICK#{v}"
	l.Accounts[0].Constraints = append(l.Accounts[0].Constraints, nick)
	var expected int64
	sum, err := check.Run(t.Context(), f.described("two", l), setting.Options{}, func(finding.Finding) {}, func(now progress.State) {
		if now.Stage == progress.Confirming {
			expected = max(expected, now.Expected)
		}
	})
	if err != nil || sum.Findings[finding.OrphanedLock] != 1 || len(sum.Findings) != 1 || expected != 1 {
		t.Errorf("%d values were to be judged, want 1; %+v, %v", expected, sum, err)
	}
}
