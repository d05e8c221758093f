package change_test

import (
	"bytes"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
)

// lose loses all answers to writes, whether the writes arrive or not. It returns the bytes that were sent.
func (f *fixture) lose(arrives bool) *[][]byte {
	sent := &[][]byte{}
	lost := func(operation string, body []byte) error {
		if operation != "TransactWriteItems" {
			return nil
		}
		*sent = append(*sent, body)
		return errCut
	}
	f.before, f.after = nil, lost
	if !arrives {
		f.before, f.after = lost, nil
	}
	return sent
}

// The guard of a table also holds for resolving a change. If a table denies changes, no change of the table is sent
// again. A text that had to be typed for the change has to be typed again.
func TestResolvingHeedsTheGuard(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.lose(false)
	f.bump()
	f.found()
	s := f.examine(f.open("order_id", func(o *dynamo.Options) { o.Guard = client.GuardType }))
	if s.Typed(change.SendAgain) != "order_id" {
		t.Errorf("%q has to be typed; want the counter's name", s.Typed(change.SendAgain))
	}
	s = f.examine(f.open("order_id", func(o *dynamo.Options) { o.Guard = client.GuardDeny }))
	written := len(entries(t, f.journal))
	r := f.changer.Resolve(t.Context(), s, change.SendAgain, nil)
	if client.KindOf(r.Err) != client.ReadOnly || r.Outcome != journal.Unknown || len(entries(t, f.journal)) != written {
		t.Errorf("%s %v; want it refused before anything is written down", r.Outcome, r.Err)
	}
}

// found ends the loss of answers.
func (f *fixture) found() { f.before, f.after = nil, nil }

// later moves the changer's clock forward.
func (f *fixture) later(by time.Duration) {
	f.changer.Now = func() time.Time { return time.Now().Add(by) }
}

// examine examines the only open change.
func (f *fixture) examine(t *dynamo.Table) *change.Resolution {
	f.t.Helper()
	records, err := f.changer.Journal.Records()
	if err != nil {
		f.t.Fatal(err)
	}
	open := journal.Unresolved(records)
	if len(open) != 1 {
		f.t.Fatalf("%d changes are open", len(open))
	}
	s, err := f.changer.Examine(f.t.Context(), t.Connection(), open[0])
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func choices(s *change.Resolution) string {
	var out []string
	for _, c := range s.Choices {
		text := string(c.Do)
		if c.Safe {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// resolve applies an action to the only open change, and checks that the change is closed.
func (f *fixture) resolve(t *dynamo.Table, do change.Action, want journal.Outcome) change.Receipt {
	f.t.Helper()
	s := f.examine(t)
	r := f.changer.Resolve(f.t.Context(), s, do, nil)
	if r.Outcome != want || r.Err != nil {
		f.t.Errorf("to %s made it %s %v %v; want %s", do, r.Outcome, r.Reasons, r.Err, want)
	}
	if rec := f.record(r.ID); rec.Open || rec.Outcome != want {
		f.t.Errorf("the journal says %s, open %v; want %s, closed", rec.Outcome, rec.Open, want)
	}
	return r
}

// All answers to a change were lost. The cases differ in whether the change arrived, and in the time since then. They
// have the outcome that reads prove, and the offered actions. An action with "!" may run without asking.
func TestWhatReadsTell(t *testing.T) {
	t.Parallel()
	bump := func(f *fixture) (*plan.Plan, error) {
		return planner.Bump(f.t.Context(), f.counter("order_id", "order_id"), big.NewInt(1))
	}
	lower := func(f *fixture) (*plan.Plan, error) {
		return planner.Lower(f.t.Context(), f.counter("order_id", "order_id"), big.NewInt(10))
	}
	owned := func(f *fixture) (*plan.Plan, error) { return f.plan(f.owners(), "username", "mel") }
	moved := func(f *fixture) { f.put("order_id", item{"id": num("0"), "order_number": num("7777")}) }
	for _, tc := range []struct {
		name    string
		plan    func(*fixture) (*plan.Plan, error)
		arrives bool
		after   time.Duration
		meddle  func(*fixture)
		outcome journal.Outcome
		choices string
	}{
		{"a bump, at once", bump, true, 0, nil, journal.Unknown, "send again"},
		{"a bump that never arrived, at once", bump, false, 0, nil, journal.Unknown, "send again"},
		{"a bump, after minutes", bump, true, 7 * time.Minute, nil, journal.Unknown, "send again"},
		{"a bump that never arrived, and still might", bump, false, 10 * time.Minute, nil, journal.Unknown, ""},
		{"a bump that never arrived, too late", bump, false, 17 * time.Minute, nil, journal.Refused, "close!"},
		{"a bump, too late", bump, true, 10 * time.Minute, nil, journal.Unknown, "give up!"},
		{"a bump, and others counted", bump, true, 7 * time.Minute, moved, journal.Unknown, "send again"},
		{"a bump, and others counted, too late", bump, false, 10 * time.Minute, moved, journal.Unknown, "give up!"},
		{"a lower", lower, true, 0, nil, journal.Applied, "close!"},
		{"a lower that never arrived, too late", lower, false, 17 * time.Minute, nil, journal.Refused, "close!"},
		{"a release by owner", owned, true, 0, nil, journal.Applied, "close!"},
		{"a release by owner that never arrived", owned, false, 0, nil, journal.Unknown, "send again"},
		{"a release by owner that never arrived, too late", owned, false, 17 * time.Minute, nil, journal.Refused, "close!"},
		{"a release by owner, and the lock is another's", owned, true, 10 * time.Minute, func(f *fixture) {
			f.put("members", more(handle("mel"), strs("memberId", "MEM#new")))
		}, journal.Unknown, "give up!"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t)
			p, err := tc.plan(f)
			if err != nil {
				t.Fatal(err)
			}
			f.lose(tc.arrives)
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown {
				t.Fatalf("%s; want unknown", r.Outcome)
			}
			f.found()
			if tc.meddle != nil {
				tc.meddle(f)
			}
			f.later(tc.after)
			writes := f.writes()
			table := f.open(p.Accounts)
			s := f.examine(table)
			if s.Outcome != tc.outcome || choices(s) != tc.choices || s.Words == "" || len(s.Facts) == 0 {
				t.Errorf("%s (%s), %v, choices %s; want %s, choices %s", s.Outcome, s.Words, s.Facts, choices(s), tc.outcome, tc.choices)
			}
			if c, ok := s.Safe(); ok {
				f.resolve(table, c.Do, s.Outcome)
			}
			if f.writes() != writes {
				t.Error("something was sent")
			}
		})
	}
}

// A change that is sent again is the same request, byte by byte. It is applied once, whether the first request had
// arrived or not.
func TestSentAgainItHappensOnce(t *testing.T) {
	t.Parallel()
	for _, arrives := range []bool{true, false} {
		f := start(t)
		table := f.open("order_id")
		sent := f.lose(arrives)
		first := f.bump()
		again := f.lose(true)
		f.after = func(operation string, body []byte) error {
			if operation == "TransactWriteItems" {
				*again = append(*again, body)
			}
			return nil
		}
		r := f.resolve(table, change.SendAgain, journal.Applied)
		if r.ID != first.ID || r.Before != "5000" || r.After != "5001" {
			t.Errorf("%+v", r)
		}
		if got := f.counter("order_id", "order_id").Value; got != "5001" {
			t.Errorf("arrived %v: the counter says %s", arrives, got)
		}
		all := slices.Concat(*sent, *again)
		if len(*sent) != 7 || len(*again) != 1 || len(slices.CompactFunc(all, bytes.Equal)) != 1 {
			t.Errorf("arrived %v: %d requests and %d, not all alike", arrives, len(*sent), len(*again))
		}
		if request, err := planOf(f.record(r.ID)).Steps[0].Body(); err != nil || !bytes.Equal(request, all[0]) {
			t.Errorf("the journal's plan asks for %s (%v); sent was %s", request, err, all[0])
		}
	}
}

// The bump never arrived, and the counter has moved on. When the bump is sent again, it is refused.
func TestSentAgainItMayBeRefused(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.lose(false)
	f.bump()
	f.found()
	f.put("order_id", item{"id": num("0"), "order_number": num("5004")})
	f.resolve(f.open("order_id"), change.SendAgain, journal.Refused)
	if got := f.counter("order_id", "order_id").Value; got != "5004" {
		t.Errorf("the counter says %s", got)
	}
}

// A closed change is never sent again, and neither is a change with an expired token.
func TestWhatIsNeverSentAgain(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("order_id")
	p := f.planBump()
	f.put("order_id", item{"id": num("0"), "order_number": num("1")})
	p2, err := planner.Lower(t.Context(), f.counter("order_id", "order_id"), big.NewInt(0))
	if err != nil {
		t.Fatal(err)
	}
	f.put("order_id", item{"id": num("0"), "order_number": num("2")})
	refused := f.changer.Apply(t.Context(), p2, nil)
	if _, err := f.changer.Examine(t.Context(), table.Connection(), f.record(refused.ID)); client.KindOf(err) != client.Usage {
		t.Errorf("a refused change: %v", err)
	}
	f.put("order_id", item{"id": num("0"), "order_number": num("5000")})
	f.lose(true)
	f.changer.Apply(t.Context(), p, nil)
	f.found()
	s := f.examine(table)
	writes := f.writes()
	f.later(9*time.Minute + time.Second)
	if r := f.changer.Resolve(t.Context(), s, change.SendAgain, nil); r.Outcome != journal.Unknown || r.Err == nil || f.writes() != writes {
		t.Errorf("too late: %s %v, %d sent", r.Outcome, r.Err, f.writes()-writes)
	}
	f.later(0)
	readOnly := f.open("order_id", func(o *dynamo.Options) { o.Write = false })
	if r := f.changer.Resolve(t.Context(), f.examine(readOnly), change.SendAgain, nil); client.KindOf(r.Err) != client.ReadOnly || f.writes() != writes {
		t.Errorf("read-only: %s %v, %d sent", r.Outcome, r.Err, f.writes()-writes)
	}
	// Somebody else resolves the change first.
	f.resolve(table, change.SendAgain, journal.Applied)
	writes = f.writes()
	if r := f.changer.Resolve(t.Context(), s, change.SendAgain, nil); r.Err == nil || f.writes() != writes {
		t.Errorf("resolved already: %s %v, %d sent", r.Outcome, r.Err, f.writes()-writes)
	}
}

// A change that was sent again may still arrive, so reads from before prove nothing about it.
func TestSentAgainItIsUnderWayAnew(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("order_id")
	p := f.planBump()
	f.lose(false)
	f.changer.Apply(t.Context(), p, nil)
	one := f.examine(table)
	f.later(17 * time.Minute)
	other := f.examine(table)
	if choices(one) != "send again" || choices(other) != "close!" {
		t.Fatalf("offered are %q, and later %q", choices(one), choices(other))
	}
	f.later(0) // the clock was corrected
	if r := f.changer.Resolve(t.Context(), one, change.SendAgain, nil); r.Outcome != journal.Unknown {
		t.Errorf("sent again without an answer it is %s", r.Outcome)
	}
	if s := f.examine(table); s.Outcome != journal.Unknown || s.Later.IsZero() {
		t.Errorf("a moment later it is %s: %s", s.Outcome, s.Words)
	}
	if r := f.changer.Resolve(t.Context(), other, change.Close, nil); r.Err == nil || !f.record(p.ID).Open {
		t.Errorf("it was closed as %s, on what was read before it was sent again", r.Outcome)
	}
}

// The clock was set back, so the age of the token is unknown.
func TestATokenFromTheFutureIsNotUsed(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("order_id")
	p := f.planBump()
	f.lose(true)
	f.later(time.Hour)
	f.changer.Apply(t.Context(), p, nil)
	f.later(11 * time.Minute)
	if s := f.examine(table); choices(s) != "give up!" {
		t.Errorf("offered is %q", choices(s))
	}
}

// The change was made at another endpoint, or in an earlier table with the same name: its outcome is not determined,
// and nothing is sent.
func TestAChangeIsResolvedInItsOwnPlace(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.lose(true)
	r := f.bump()
	f.found()
	elsewhere := f.open("order_id", func(o *dynamo.Options) { o.Endpoint = "http://127.0.0.1:1" })
	f.remake("order_id", item{"id": num("0"), "order_number": num("5001")})
	for want, table := range map[string]*dynamo.Table{"this connection is 127.0.0.1:1": elsewhere, "created again": f.open("order_id")} {
		s, err := f.changer.Examine(t.Context(), table.Connection(), f.record(r.ID))
		if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want a word on %q", s, err, want)
		}
	}
	if !f.record(r.ID).Open {
		t.Error("it was closed")
	}
}

// While a change is being made, nobody else can resolve it.
func TestAChangeUnderWayIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	other := f.operator("another")
	p := f.mustPlan(table, "username", "alan")
	looked := false
	r := f.changer.Apply(t.Context(), p, func(now change.Progress) {
		if now.Stage != "look" || looked {
			return
		}
		looked = true
		s, err := other.Examine(t.Context(), table.Connection(), f.record(p.ID))
		if err != nil || len(s.Choices) > 0 || s.Later.IsZero() {
			t.Errorf("%+v, %v; want no choice", s, err)
		}
	})
	if r.Outcome != journal.Applied || !looked {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
}
