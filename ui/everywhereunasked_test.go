package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// onUnread returns services in which support describes order_id, and has almost no AutoReadUnits.
func onUnread(t *testing.T) *services {
	t.Helper()
	s := onServices(t)
	s.autoReadUnits, s.layouts = 0.01, []config.Layout{{Name: "mine", Tables: []string{"order_id"}, Counters: []config.Counter{{
		Name: "order_id", PK: "0", Attribute: "order_number", Semantics: "last",
	}}}}
	return s
}

// moves changes order_id of the demo, and waits until the screen shows each new value. It returns the number of
// requests to support during this time.
func (s *services) moves(t *testing.T, term *terminal, values ...string) int32 {
	t.Helper()
	before := s.asked.Load()
	for _, n := range values {
		s.put(t, "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.N(n)})
		term.until(n, func(f string) bool { return strings.Contains(row(f, "order_id      last"), n[:1]+","+n[1:]) })
	}
	return s.asked.Load() - before
}

// A connection without AutoReadUnits is read only after its key. It is not read when a person returns to the counters,
// after a change of another connection, or periodically once it is open.
func TestConnectionsThatMayNotBeReadUnasked(t *testing.T) {
	s := onUnread(t)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3A")
	term.see("of 9", "1 counter, read once at")
	before := s.asked.Load()
	term.press("1")
	term.see("● held")
	term.press("3Forder_id<enter>")
	term.see("of 2", "5,000", "7,777")
	if n := s.moves(t, term, "6001", "6002") + s.asked.Load() - before; n > 0 {
		t.Errorf("%d requests after coming back", n)
	}
	term.press("gj+")
	term.see("goes from 6,002 up to 6,003")
	term.agree("Bump to 6,003")
	before = s.asked.Load()
	term.press("<enter>")
	if n := s.moves(t, term, "7001", "7002") + s.asked.Load() - before; n > 0 {
		t.Errorf("%d requests after a change of another connection", n)
	}
	term.press("G<enter>")
	term.see("This is support now")
	if n := s.moves(t, term, "8001", "8002"); n > 0 {
		t.Errorf("%d requests once it is open", n)
	}
	term.press("A")
	term.see("paused, as read at", "7,777")
}

// toUnread opens a table of support.
func (s *services) toUnread(t *testing.T) *terminal {
	t.Helper()
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press(":")
	term.see("support")
	term.press("support acc")
	term.see("▸ ▎support")
	term.press("<enter>")
	term.see("PRODUCTION  support ›", "read the table")
	return term
}

// If one connection waits for a key, the others are still read.
func TestOneConnectionWaitsForAKey(t *testing.T) {
	s := onUnread(t)
	term := s.toUnread(t)
	term.press("3")
	term.see("Nothing was read, because auto_read_units is 0.", "read the counters once")
	term.press("A")
	term.see("of 9", "read every")
	term.press("Forder_id<enter>")
	s.moves(t, term, "6001", "6002")
}

// If a person leaves the list before a connection has answered, the list does not say that the connection is being
// read.
func TestWhatNobodyReadsIsNotLookedFor(t *testing.T) {
	s := onUnread(t)
	term := s.toUnread(t)
	term.press(":")
	term.see("type a table")
	term.press("demo mem")
	term.see("▸ ▎demo")
	term.press("<enter>")
	term.see("demo › embedded › members")
	gate := make(chan struct{})
	s.faults.set(func(f *faults) { f.hold = map[string]chan struct{}{"ListTables": gate} })
	term.press("3A")
	term.see("▾ support", "━", "not read yet", "of 8")
	term.meanwhile("1")
	term.see("ACCOUNT")
	close(gate)
	term.press("3")
	term.see("▾ support", "not read yet")
	term.press("G<up>")
	term.see("▸ ▾ support", "Nothing was read, because auto_read_units is 0.", "ctrl+r reads the counters once")
	term.press("<ctrl+r>")
	term.see("of 9")
}
