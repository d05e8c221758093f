package check_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/embedded"
)

// These are the shortest ways in which a check that leaves something out is
// fooled (X1 to X10). Each is tried with many orders of reading, and on a check
// that does leave it out, which it has to fool: else it shows nothing.
const orders = 40

// tell runs a check of a small town where prepare has set the stage, once for each
// order, and answers all that was found.
func tell(t *testing.T, d embedded.Delays, settle time.Duration, o check.Options, prepare func(*world)) (findings []string) {
	t.Helper()
	for seed := range uint64(orders) {
		findings = append(findings, told(t, seed, d, settle, o, prepare)...)
	}
	return findings
}

// told is tell for one order.
func told(t *testing.T, seed uint64, d embedded.Delays, settle time.Duration, o check.Options, prepare func(*world)) (findings []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d.Seed = seed
		w := newWorld(t, seed, d)
		table := w.open(settle)
		prepare(w)
		o.Segments = 32
		found, _, err := run(t.Context(), table, o)
		if err != nil {
			t.Fatal(err)
		}
		findings = said(found)
	})
	return findings
}

// sure and whatever tell which findings are meant.
func sure(finding string) bool { return !strings.HasSuffix(finding, "?") }
func whatever(string) bool     { return true }

// nothing fails where a finding is confirmed: none of these is true.
func nothing(t *testing.T, findings []string) {
	t.Helper()
	if slices.ContainsFunc(findings, sure) {
		t.Errorf("confirmed, and not true: %q", findings)
	}
}

// fooled fails where a check that leaves something out is right all the same, in
// however many orders it reads.
func fooled(t *testing.T, without string, by func(finding string) bool, d embedded.Delays, settle time.Duration, o check.Options, prepare func(*world)) {
	t.Helper()
	for seed := range uint64(25 * orders) {
		if slices.ContainsFunc(told(t, seed, d, settle, o, prepare), by) {
			return
		}
	}
	t.Errorf("a check without %s is never fooled: the trace shows nothing", without)
}

// unsettling are the ways to read lock and accounts that are not of one moment:
// a check that takes the passes' word, and one of an endpoint without transactions.
// Both say what is not true, and that it is not confirmed.
func unsettling(t *testing.T, want string, prepare func(*world)) {
	t.Helper()
	d := embedded.Delays{Spread: 5 * time.Second}
	is := func(finding string) bool { return finding == want+"?" }
	untransacted := func(w *world) { prepare(w); w.untransacted = true }
	for without, way := range map[string]struct {
		confirm check.Confirm
		prepare func(*world)
	}{
		"readings of one moment": {check.ConfirmNone, prepare},
		"transactions":           {check.ConfirmReads, untransacted},
	} {
		o := check.Options{Confirm: way.confirm}
		nothing(t, tell(t, d, settle, o, way.prepare))
		fooled(t, without, is, d, settle, o, way.prepare)
	}
}

// X1: a look at an old replica, at once. X2: a look at a transaction half of which
// is not visible yet. Without the wait both are fooled; with it neither is.
func TestX1X2TheWaitIsNeeded(t *testing.T) {
	signUp := func(w *world) {
		w.signUp("A", "v")
		w.signUp("B", "u")
	}
	for name, test := range map[string]struct {
		delays embedded.Delays
		look   check.Look
	}{
		"lag":    {embedded.Delays{Lag: 5 * time.Second}, check.Eventual},
		"spread": {embedded.Delays{Spread: 5 * time.Second}, check.Strong},
	} {
		t.Run(name, func(t *testing.T) {
			fooled(t, "the wait", sure, test.delays, time.Nanosecond, check.Options{Look: test.look}, signUp)
			nothing(t, tell(t, test.delays, settle, check.Options{Look: test.look}, signUp))
		})
	}
}

// hide has the first pass meet v's lock and not its account, by a change and a
// change back.
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

// X3: the lock is read only afterwards.
func TestX3TheLockIsReadBefore(t *testing.T) {
	trace := func(w *world) {
		pages := 0
		w.signUp("B", "v")
		w.after = func(q request, body string) {
			if _, there := w.accounts["B"]; there && q.operation == "Scan" && strings.Contains(body, `"UNIQ#v"`) {
				w.leave("B")
			}
		}
		w.before = func(q request) {
			if q.operation == "Scan" {
				pages++
			}
			// Somewhere in the second reading of the table, or after it.
			if _, there := w.accounts["B"]; !there && (q.operation == "TransactGetItems" || pages > 32+10) {
				w.signUp("A", "v")
			}
		}
	}
	nothing(t, tell(t, embedded.Delays{}, settle, check.Options{}, trace))
	fooled(t, "a reading of the lock before", whatever, embedded.Delays{}, settle, check.Options{Confirm: check.ConfirmNone}, trace)
}

// away has the account be away from v while it is looked at. The lock is absent
// from the first page of the look to its end.
func away(w *world, latency time.Duration) {
	w.latency = latency
	w.signUp("A", "v")
	w.signUp("B", "u")
	hide := w.hide("A", "v", "w")
	w.after = func(q request, body string) { hide(q, body) }
	w.before = func(q request) {
		switch {
		case q.look() && w.accounts["A"] == "v" && !w.moved:
			w.change("A", "w")
			w.moved = true
		case q.operation == "TransactGetItems" && w.accounts["A"] == "w" && w.moved:
			w.change("A", "v")
		}
	}
}

// X4: given up and taken again while it is looked at. The watch meets the lock
// absent, unless that is over between two of its readings: no check without writes
// can tell, and the evidence says so.
func TestX4TheWatchMeetsAnAbsentLock(t *testing.T) {
	nothing(t, tell(t, embedded.Delays{}, settle, check.Options{}, func(w *world) { away(w, 3*time.Second) }))
	fooled(t, "the watch", sure, embedded.Delays{}, settle, check.Options{}, func(w *world) { away(w, time.Millisecond) })
}

// X5: the last reading of the lock is a transaction's: it meets no half of one.
func TestX5TheLastReadingIsOfOneMoment(t *testing.T) {
	trace := func(w *world) {
		w.signUp("A", "v")
		w.after = w.hide("A", "v", "w")
		w.before = func(q request) {
			if q.look() && w.accounts["A"] == "v" && !w.moved {
				w.change("A", "w")
				w.moved = true
			}
		}
	}
	nothing(t, tell(t, embedded.Delays{Spread: 5 * time.Second}, settle, check.Options{}, trace))
	fooled(t, "a last reading", whatever, embedded.Delays{Spread: 5 * time.Second}, settle, check.Options{Confirm: check.ConfirmNone}, trace)
}

// X9: an account that changes its value and changes it back, between any two
// requests, is never without a lock.
func TestX9MissingTakesOneMoment(t *testing.T) {
	trace := func(w *world) {
		w.signUp("B", "v")
		w.before = func(request) {
			w.change("B", map[string]string{"v": "w", "w": "v"}[w.accounts["B"]])
		}
	}
	nothing(t, tell(t, embedded.Delays{Spread: 5 * time.Second}, settle, check.Options{Confirm: check.ConfirmReads}, trace))
	unsettling(t, "missing-lock v", trace)
}

// X10: a value that goes to and fro between two accounts is never with both.
func TestX10DuplicateTakesOneMoment(t *testing.T) {
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
	nothing(t, tell(t, embedded.Delays{Spread: 5 * time.Second}, settle, check.Options{Confirm: check.ConfirmReads}, trace))
	unsettling(t, "duplicate-value v", trace)
}

// Every order of reading has its ghost: an account without a lock hides behind
// one that signs up with its value while the table is read. A check may miss what
// changes its kind meanwhile; the next one does not.
func TestGhost(t *testing.T) {
	missed, met := 0, 0
	for seed := uint64(0); seed < orders || (missed == 0 || met == 0) && seed < 25*orders; seed++ {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed, embedded.Delays{})
			table := w.open(settle)
			w.imports("B", "v")
			w.after = func(q request, body string) {
				if q.operation == "Scan" && len(w.accounts) == 1 && strings.Contains(body, `"ACCT#B"`) {
					w.signUp("A", "v")
				}
			}
			found, _, err := run(t.Context(), table, check.Options{Segments: 32})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				missed++
			} else {
				met++
			}
			if found, _, err = run(t.Context(), table, check.Options{Segments: 32}); err != nil || len(found) != 1 || found[0].Kind != check.DuplicateValue {
				t.Errorf("the next check finds %v: %v", said(found), err)
			}
		})
	}
	if missed == 0 || met == 0 {
		t.Errorf("the ghost was missed %d times and met %d times", missed, met)
	}
}

// No page of a look is asked for before the locks under suspicion have settled,
// and the locks are read all the while.
func TestTheLookWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, embedded.Delays{})
		w.latency = 4 * time.Second
		w.signUp("A", "v")
		w.signUp("B", "u")
		w.expire("A")
		found, _, err := run(t.Context(), w.open(settle), check.Options{Segments: 64})
		if err != nil || len(found) != 1 || !found[0].Confirmed {
			t.Fatalf("%v %v", said(found), err)
		}
		var read, page time.Time
		readings := 0
		for _, q := range w.asked {
			switch {
			case q.look() && page.IsZero():
				page = q.at
			case q.operation == "BatchGetItem" && len(w.asked) > 0 && page.IsZero() && read.IsZero():
				read = q.at
			case q.operation == "BatchGetItem":
				readings++
			}
		}
		if page.Sub(read) < settle {
			t.Errorf("a page was asked for %s after the locks", page.Sub(read))
		}
		if readings < 3 || !strings.Contains(found[0].Evidence, "more readings") {
			t.Errorf("%d readings: %s", readings, found[0].Evidence)
		}
	})
}
