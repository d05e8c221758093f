package change_test

import (
	"context"
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
)

// stopped cancels a release while its mark is on its way, and returns the request of the mark.
func (f *fixture) stopped(p *plan.Plan, arrives bool) (mark []byte) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	lose := func(operation string, body []byte) error {
		if operation != "TransactWriteItems" || !marks(body) {
			return nil
		}
		mark = body
		cancel()
		return context.Canceled
	}
	if arrives {
		f.after = lose
	} else {
		f.before = lose
	}
	r := f.changer.Apply(ctx, p, nil)
	f.found()
	if want := map[bool]journal.Outcome{true: journal.Refused, false: journal.Unknown}[arrives]; r.Outcome != want || f.record(p.ID).Open == arrives {
		f.t.Errorf("arrives %v: %s %v, open %v; want %s", arrives, r.Outcome, r.Reasons, f.record(p.ID).Open, want)
	}
	if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
		f.t.Errorf("the lock is %v", lock)
	}
	return mark
}

// A release is cancelled while its mark is on its way. The lock has no mark yet, but the mark may still arrive. The
// release stays open until the mark can no longer arrive.
func TestAMarkThatComesLate(t *testing.T) {
	t.Parallel()
	t.Run("it was there already", func(t *testing.T) {
		f := start(t)
		f.stopped(f.mustPlan(f.open("accounts"), "username", "alan"), true)
	})
	t.Run("it comes", func(t *testing.T) {
		f := start(t)
		table := f.open("accounts")
		mark := f.stopped(f.mustPlan(table, "username", "alan"), false)
		f.later(16 * time.Minute)
		if s := f.examine(table); choices(s) != "" || s.Later.IsZero() {
			t.Errorf("before it comes: %s, choices %s", s.Words, choices(s))
		}
		f.deliver(mark)
		f.resolve(table, change.TakeOff, journal.Refused)
		if lock := f.get("accounts", handle("alan")); len(lock) != 2 {
			t.Errorf("the lock is %v", lock)
		}
	})
	t.Run("the lock is put anew, as it was, and then it comes", func(t *testing.T) {
		f := start(t)
		table := f.open("accounts")
		mark := f.stopped(f.mustPlan(table, "username", "alan"), false)
		f.delete("accounts", handle("alan"))
		if s := f.examine(table); choices(s) != "" {
			t.Errorf("while the lock is gone: %s, choices %s", s.Words, choices(s))
		}
		f.put("accounts", handle("alan"))
		f.deliver(mark)
		f.resolve(table, change.TakeOff, journal.Refused)
	})
	t.Run("it never comes", func(t *testing.T) {
		f := start(t)
		table := f.open("accounts")
		f.stopped(f.mustPlan(table, "username", "alan"), false)
		f.later(17 * time.Minute)
		f.resolve(table, change.Close, journal.Refused)
	})
}
