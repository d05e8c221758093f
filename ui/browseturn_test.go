package ui_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
)

// A second enter does not start a second attempt: the program waits for the page that it already reads.
func TestATryThatIsUnderWayIsWaitedFor(t *testing.T) {
	f := &faults{}
	var dropped atomic.Int32
	term := onDemo(t, withFaults(f), func(o *dynamo.Options) {
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(r)
			if r.Context().Err() != nil && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") {
				dropped.Add(1)
			}
			return answer, err
		})
	}).run(t)
	term.see("● held", "confirmed")
	f.set(func(f *faults) { f.down = true })
	term.press("<ctrl+r>")
	term.see("OFFLINE", "tries again in")
	wait := make(chan struct{})
	f.set(func(f *faults) { f.down, f.hold = false, map[string]chan struct{}{"Scan": wait} })
	term.meanwhile("<enter>")
	term.see("tries again now")
	term.meanwhile("<enter>")
	term.screen()
	close(wait)
	term.gone("OFFLINE")
	term.press("<ctrl+r>")
	term.see("● held", "confirmed")
	if n := dropped.Load(); n > 0 {
		t.Errorf("%d pages that were asked for were dropped", n)
	}
}
