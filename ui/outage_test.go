package ui_test

import (
	"strings"
	"testing"
)

// An outage ends even if a person has left the screen of the failed task.
func TestAnOutageEndsOnAnotherScreen(t *testing.T) {
	f := &faults{}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("● held", "confirmed")
	term.press("3")
	term.see("order_id", "5,000")
	f.set(func(f *faults) { f.down = true })
	term.see("OFFLINE", "tries again in")
	wait := make(chan struct{})
	f.set(func(f *faults) {
		f.down = false
		f.hold = map[string]chan struct{}{"GetItem": wait, "BatchGetItem": wait, "Scan": wait, "Query": wait}
	})
	term.see("tries again now")
	term.meanwhile("1") // leave the screen that waits for this try
	term.see("› accounts")
	f.set(func(f *faults) { f.hold = nil })
	close(wait)
	term.gone("OFFLINE")
}

// After a new log-in, all failed tasks continue, on every screen.
func TestAllThatFailedGoesOn(t *testing.T) {
	f := &faults{}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("● held", "confirmed")
	f.set(func(f *faults) { f.expired = true })
	term.press("<ctrl+r>")
	term.see("LOGGED OUT", "as at")
	term.press("3")
	term.see("reading starts after the next log-in")
	f.set(func(f *faults) { f.expired = false })
	term.meanwhile("<enter>")
	term.see("order_id", "5,000")
	term.press("1")
	if frame := term.see("● held", "confirmed"); strings.Contains(frame, "as at") {
		t.Errorf("the table was not read again:\n%s", frame)
	}
}

// A screen that does not show the outage keeps its own keys.
func TestAnOutageLeavesOtherScreensTheirKeys(t *testing.T) {
	f := &faults{}
	term := onDemo(t, withFaults(f)).run(t)
	term.ask("alan")
	term.release("ticket 48151")
	term.press("<esc>")
	f.set(func(f *faults) { f.down = true })
	term.press("1<ctrl+r>")
	term.see("OFFLINE")
	term.press("5")
	term.see("▸ today", "OFFLINE", "enter whole receipt")
	term.press("<enter>")
	term.see("journal › R-20", "RESULT")
}
