package app

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/ui/cli/print"
)

// The terminal names the endpoint after 0.2 s, and says after a few seconds that the endpoint is slow. The line
// disappears at the end of the wait.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out taken
		bar := &ProgressLine{to: &print.Printer{W: &out, Width: 120}}
		end := bar.showWait(&endpoint{where: "127.0.0.1:8000"}, "opening accounts")
		shown := func(after time.Duration) string {
			time.Sleep(after)
			synctest.Wait()
			return out.take()
		}
		if got := shown(190 * time.Millisecond); got != "" {
			t.Errorf("at once there is %q", got)
		}
		if got := shown(20 * time.Millisecond); !strings.Contains(got, "Waiting for 127.0.0.1:8000: opening accounts · ctrl+c stops") {
			t.Errorf("after a moment there is %q", got)
		}
		if got := shown(4 * time.Second); !strings.Contains(got, "4 s so far: 127.0.0.1:8000 is slow, or does not answer · ctrl+c stops · opening accounts") {
			t.Errorf("after a while there is %q", got)
		}
		end()
		end() // a question and the command may both end the wait
		if got := shown(0); got != "\r\x1b[K" {
			t.Errorf("in the end there is %q", got)
		}
		if got := shown(time.Minute); got != "" {
			t.Errorf("after the end there is %q", got)
		}
	})
}

// Without a terminal, one note says that an endpoint does not answer.
func TestWaitingUnwatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out taken
		bar := &ProgressLine{note: func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }}
		end := bar.showWait(&endpoint{where: "127.0.0.1:8000"}, "opening accounts")
		shown := func(after time.Duration) string {
			time.Sleep(after)
			synctest.Wait()
			return out.take()
		}
		if got := shown(2 * time.Second); got != "" {
			t.Errorf("after 2 s it says %q", got)
		}
		if got := shown(time.Minute); got != "127.0.0.1:8000 is slow, or does not answer: opening accounts.\n" {
			t.Errorf("after a minute it says %q", got)
		}
		end()
	})
}

// A wait is called throttled while DynamoDB throttles, on a terminal and in a note.
func TestWaitingWhileThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var line, notes taken
		at := &endpoint{where: "eu-west-1"}
		at.throttled.Store(true)
		watched := (&ProgressLine{to: &print.Printer{W: &line, Width: 120}}).showWait(at, "opening accounts")
		noted := (&ProgressLine{note: func(format string, args ...any) {
			fmt.Fprintf(&notes, format+"\n", args...)
		}}).showWait(at, "opening accounts")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		got := line.take()
		if !strings.Contains(got, "so far: throttled by DynamoDB; retrying · ctrl+c stops") || strings.Contains(got, "slow") {
			t.Errorf("the line says %q", got)
		}
		if got := notes.take(); got != "Throttled by DynamoDB; retrying: opening accounts.\n" {
			t.Errorf("the note says %q", got)
		}
		at.throttled.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := line.take(); !strings.Contains(got, "eu-west-1 is slow, or does not answer") {
			t.Errorf("after the throttling the line says %q", got)
		}
		watched()
		noted()
	})
}

// endpoint is an endpoint that a command waits for.
type endpoint struct {
	where     string
	throttled atomic.Bool
}

func (e *endpoint) Where() string   { return e.where }
func (e *endpoint) Throttled() bool { return e.throttled.Load() }

// A fast answer shows no line.
func TestNoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		(&ProgressLine{to: &print.Printer{W: &out, Width: 80}}).showWait(&endpoint{where: "aws"}, "opening accounts")()
		if out.Len() > 0 {
			t.Errorf("there is %q", out.String())
		}
	})
}

// taken keeps the text that any goroutine wrote since the last call of take.
type taken struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *taken) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *taken) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.text.Reset()
	return o.text.String()
}
