package check_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/internal/fault"
	"tallylock/internal/testrun"
)

// These are the shortest histories that fool a check without one of its steps (X1 to X10). Each runs with many orders
// of reading. The check must not be fooled. A protocol without the step must be fooled, since the history proves
// nothing otherwise.
const segments = 16

// orders returns the number of orders that a test tries. A few are enough, since fooled tries more.
func orders() uint64 { return uint64(testrun.Runs(20, 2)) }

// teller finds the problems of a table.
type teller func(*world) []string

// by returns a teller that runs a check.
func by(settle time.Duration, o setting.Options) teller {
	return func(w *world) []string {
		o.Segments = segments
		found, _, err := run(w.t.Context(), w.open(settle), o)
		if err != nil {
			w.t.Fatal(err)
		}
		return said(found)
	}
}

// tell prepares a small table and runs the teller on it, once for each order. It returns all findings.
func tell(t *testing.T, d fault.Delays, how teller, prepare func(*world)) (findings []string) {
	t.Helper()
	for seed := range orders() {
		findings = append(findings, told(t, seed, d, how, prepare)...)
	}
	return findings
}

// told is tell for one order.
func told(t *testing.T, seed uint64, d fault.Delays, how teller, prepare func(*world)) (findings []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d.Seed = seed
		w := newWorld(t, seed, d)
		prepare(w)
		findings = how(w)
	})
	return findings
}

// sure reports whether a finding is confirmed.
func sure(finding string) bool { return !strings.HasSuffix(finding, "?") }

// right fails if a finding is confirmed, since no finding is true.
func right(t *testing.T, d fault.Delays, how teller, prepare func(*world)) {
	t.Helper()
	if findings := tell(t, d, how, prepare); slices.ContainsFunc(findings, sure) {
		t.Errorf("confirmed, and not true: %q", findings)
	}
}

// fooled fails if the teller without a step confirms no finding in any order.
func fooled(t *testing.T, without string, d fault.Delays, how teller, prepare func(*world)) {
	t.Helper()
	for seed := range uint64(500) {
		if slices.ContainsFunc(told(t, seed, d, how, prepare), sure) {
			return
		}
	}
	t.Errorf("without %s nothing is ever fooled: the trace shows nothing", without)
}

// X1: the second reading reads an old replica, at once. X2: the second reading sees only half of a transaction. Without
// the grace period, both fool the protocol and the check. With it they fool neither.
func TestX1X2TheWaitIsNeeded(t *testing.T) {
	t.Parallel()
	signUp := func(w *world) {
		w.signUp("A", "v")
		w.signUp("B", "u")
	}
	for name, test := range map[string]struct {
		delays fault.Delays
		look   setting.Look
	}{
		"X1, lag":    {fault.Delays{Lag: 5 * time.Second}, setting.Eventual},
		"X2, spread": {fault.Delays{Spread: 5 * time.Second}, setting.Strong},
	} {
		t.Run(name, func(t *testing.T) {
			d, waits := test.delays, whole
			waits.look = test.look == setting.Strong
			hurries := waits
			hurries.settle = 0
			fooled(t, "the wait", d, hurries.tell, signUp)
			right(t, d, waits.tell, signUp)
			fooled(t, "the wait", d, by(time.Nanosecond, setting.Options{Look: test.look}), signUp)
			right(t, d, by(settle, setting.Options{Look: test.look}), signUp)
		})
	}
}

// hide makes the first pass read the lock of v but not the account of v. The account changes its value, and changes it
// back.
func (w *world) hide(id, v, other string) func(request, string) {
	return func(q request, body string) {
		if q.operation != "Scan" || q.consistent {
			return
		}
		met := func(key string) bool { return strings.Contains(body, `"`+key+`"`) }
		switch {
		case w.accounts[id] == v && met("UNIQ#"+v) && !met("ACCT#"+id):
			w.change(id, other)
		case w.accounts[id] == other && met("ACCT#"+id):
			w.change(id, v)
		}
	}
}

// X3: the lock is read only after the accounts.
func TestX3TheLockIsReadBefore(t *testing.T) {
	t.Parallel()
	trace := func(w *world) {
		w.signUp("B", "v")
		w.signUp("C", "u")
		looked := false
		w.after = func(q request, body string) {
			_, there := w.accounts["B"]
			looked = looked || q.look()
			if there && q.operation == "Scan" && strings.Contains(body, `"UNIQ#v"`) {
				w.leave("B")
			}
		}
		w.before = func(q request) {
			if _, there := w.accounts["B"]; !there && looked && q.single() {
				w.signUp("A", "v")
			}
		}
	}
	d, after := fault.Delays{}, whole
	after.before = false
	fooled(t, "a reading of the lock before", d, after.tell, trace)
	right(t, d, whole.tell, trace)
	right(t, d, by(settle, setting.Options{}), trace)
}

// away changes the account's value before the second reading of the accounts. It changes the value back before the last
// reading of the lock, after any number of readings of the accounts. The lock is absent in between.
func away(latency time.Duration) func(*world) {
	return func(w *world) {
		w.latency = latency
		w.signUp("A", "v")
		w.signUp("B", "u")
		w.after = w.hide("A", "v", "w")
		w.before = func(q request) {
			switch {
			case q.look() && w.accounts["A"] == "v" && !w.moved:
				w.change("A", "w")
				w.moved = true
			case q.single() && w.accounts["A"] == "w" && w.moved:
				w.change("A", "v")
			}
		}
	}
}

// handedOn is like away, but another account takes the value.
func handedOn(latency time.Duration) func(*world) {
	return func(w *world) {
		away(latency)(w)
		gone := w.before
		w.before = func(q request) {
			if q.single() && w.accounts["A"] == "w" && w.moved && w.accounts["B"] == "u" {
				w.change("B", "v")
				return
			}
			if w.accounts["B"] == "u" {
				gone(q)
			}
		}
	}
}

// X4: an account gives the value up during the second reading, and the same account or another one takes it again.
// Reading the lock before and after does not show this. Two or three second readings do not show it either. But the
// watch finds the lock absent.
func TestX4TheWatchMeetsAnAbsentLock(t *testing.T) {
	t.Parallel()
	for name, trace := range map[string]func(time.Duration) func(*world){"away and back": away, "handed on": handedOn} {
		t.Run(name, func(t *testing.T) {
			for looks := range 3 {
				p := whole
				p.looks += looks
				fooled(t, "the watch", fault.Delays{}, p.tell, trace(3*time.Second))
			}
			right(t, fault.Delays{}, by(settle, setting.Options{}), trace(3*time.Second))
		})
	}
}

// X4 is also the limit of every check that only reads. If the value is free for less time than between two readings of
// the lock, all answers are like those for an orphan. The evidence names this case as not excluded, and a release marks
// the lock first.
func TestX4IsTheLimitOfReading(t *testing.T) {
	d, fast := fault.Delays{}, away(time.Millisecond)
	fooled(t, "a write", d, by(settle, setting.Options{}), fast)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, d)
		w.signUp("A", "v")
		w.signUp("B", "u")
		w.expire("A")
		found, _, err := run(t.Context(), w.open(settle), setting.Options{})
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		if read, not := found[0].SplitEvidence(); read == "" || !strings.HasPrefix(not, "the value was given up and taken again") {
			t.Errorf("it rests on %q, but for %q", read, not)
		}
	})
}

// X5: the last reading of the lock is a transaction, which never sees half of another transaction.
func TestX5TheLastReadingIsOfOneMoment(t *testing.T) {
	t.Parallel()
	trace := func(w *world) {
		w.signUp("A", "v")
		w.signUp("B", "u")
		w.after = w.hide("A", "v", "w")
		w.before = func(q request) {
			if q.look() && w.accounts["A"] == "v" && !w.moved {
				w.change("A", "x") // w is held again later, which would be X4
				w.moved = true
			}
		}
	}
	d, strong := fault.Delays{Spread: 5 * time.Second}, whole
	strong.last = (*reader).lock
	fooled(t, "a transaction", d, strong.tell, trace)
	right(t, d, whole.tell, trace)
	right(t, d, by(settle, setting.Options{}), trace)
}

// X9: an account changes its value and changes it back, between any two requests. It always has a lock.
func TestX9MissingTakesOneMoment(t *testing.T) {
	t.Parallel()
	trace := func(w *world) {
		w.signUp("B", "v")
		w.before = func(request) {
			w.change("B", map[string]string{"v": "w", "w": "v"}[w.accounts["B"]])
		}
	}
	d := fault.Delays{Spread: 5 * time.Second}
	fooled(t, "a transaction", fault.Delays{}, missingBySteps, trace)
	right(t, d, by(settle, setting.Options{Confirm: setting.ConfirmReads}), trace) // orphans are tested by X4
	unsure(t, "missing-lock v", d, trace)
}

// X10: a value moves between two accounts, again and again. They never hold it at the same time.
func TestX10DuplicateTakesOneMoment(t *testing.T) {
	t.Parallel()
	trace := func(w *world) {
		w.signUp("A", "v")
		w.before = func(request) {
			from, to := "A", "B"
			if _, there := w.accounts["B"]; there {
				from, to = to, from
			}
			w.leave(from)
			w.signUp(to, "v")
		}
	}
	d := fault.Delays{Spread: 5 * time.Second}
	for _, careful := range []bool{false, true} {
		fooled(t, "a transaction", fault.Delays{}, duplicateBySteps(careful), trace)
	}
	right(t, d, by(settle, setting.Options{Confirm: setting.ConfirmReads}), trace) // orphans are tested by X4
	unsure(t, "duplicate-value v", d, trace)
}

// X10, second half: one account of a duplicate leaves and takes the lock with it. The value is no longer a duplicate.
// But the other account's lock is missing, and the check reports this.
func TestX10WhoIsLeftIsJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, fault.Delays{})
		w.signUp("A", "v")
		w.imports("B", "v")
		w.before = func(q request) {
			if _, there := w.accounts["A"]; there && q.operation == "TransactGetItems" {
				w.leave("A")
			}
		}
		found, _, err := run(t.Context(), w.open(settle), setting.Options{Segments: segments})
		if want := []string{"missing-lock v"}; err != nil || !slices.Equal(said(found), want) {
			t.Errorf("found %q, want %q: %v", said(found), want, err)
		}
	})
}

// unsure fails if a check confirms the false finding. The check reads the lock and the accounts one after the other,
// because it reads nothing again, or because the endpoint has no transactions.
func unsure(t *testing.T, finding string, d fault.Delays, prepare func(*world)) {
	t.Helper()
	untransacted := func(w *world) { prepare(w); w.untransacted = true }
	for without, way := range map[string]struct {
		confirm setting.Confirm
		prepare func(*world)
	}{
		"readings of one moment": {setting.ConfirmNone, prepare},
		"transactions":           {setting.ConfirmReads, untransacted},
	} {
		how, met := by(settle, setting.Options{Confirm: way.confirm}), false
		for seed := uint64(0); seed < orders()/5 || !met && seed < 500; seed++ {
			findings := told(t, seed, d, how, way.prepare)
			if met = met || slices.Contains(findings, finding+"?"); slices.ContainsFunc(findings, sure) {
				t.Errorf("without %s confirmed, and not true: %q", without, findings)
			}
		}
		if !met {
			t.Errorf("without %s %s is never met: the trace shows nothing", without, finding)
		}
	}
}

// In every order of reading, a check may miss a problem whose kind changes during the check: an account without a lock
// is hidden if another account signs up with its value while the table is read. The next check finds the problem.
func TestGhost(t *testing.T) {
	t.Parallel()
	missed, met := 0, 0
	for seed := uint64(0); seed < orders() || (missed == 0 || met == 0) && seed < 500; seed++ {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed, fault.Delays{})
			table := w.open(settle)
			w.imports("B", "v")
			w.after = func(q request, body string) {
				if q.operation == "Scan" && len(w.accounts) == 1 && strings.Contains(body, `"ACCT#B"`) {
					w.signUp("A", "v")
				}
			}
			found, _, err := run(t.Context(), table, setting.Options{Segments: 32})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				missed++
			} else {
				met++
			}
			if found, _, err = run(t.Context(), table, setting.Options{Segments: 32}); err != nil || len(found) != 1 || found[0].Kind != finding.DuplicateValue {
				t.Errorf("the next check finds %v: %v", said(found), err)
			}
		})
	}
	if missed == 0 || met == 0 {
		t.Errorf("the ghost was missed %d times and met %d times", missed, met)
	}
}

// The second reading requests no page before the grace period of the suspected locks is over. The check reads these
// locks all the time.
func TestTheLookWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, fault.Delays{})
		w.latency = 4 * time.Second
		w.signUp("A", "v")
		w.signUp("B", "u")
		w.expire("A")
		found, _, err := run(t.Context(), w.open(settle), setting.Options{Segments: 64})
		if err != nil || len(found) != 1 || !found[0].Confirmed {
			t.Fatalf("%v %v", said(found), err)
		}
		var read, page time.Time
		readings := 0
		for _, q := range w.asked {
			switch {
			case q.look() && (page.IsZero() || q.sent.Before(page)):
				page = q.sent
			case q.operation == "BatchGetItem" && page.IsZero() && read.IsZero():
				read = q.answered
			case q.operation == "BatchGetItem":
				readings++
			}
		}
		if wait := page.Sub(read); read.IsZero() || wait < settle {
			t.Errorf("a page was asked for %s after the locks were read", wait)
		}
		if readings < 3 || !strings.Contains(found[0].Evidence, "more readings") {
			t.Errorf("%d readings: %s", readings, found[0].Evidence)
		}
	})
}
