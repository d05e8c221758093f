package check_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// pausing shuts the gate at every nth request, and opens it an hour later. The field every is n. It fails the test if a
// request is sent while the gate is shut.
type pausing struct {
	t     *testing.T
	next  http.RoundTripper
	gate  *client.Gate
	every int

	mu     sync.Mutex
	seen   int
	pauses int
}

func (p *pausing) RoundTrip(r *http.Request) (*http.Response, error) {
	if since := p.gate.Since(); !since.IsZero() && time.Now().After(since) {
		p.t.Errorf("%s was sent %s after it was paused", r.Header.Get("X-Amz-Target"), time.Since(since))
	}
	p.mu.Lock()
	if p.seen++; p.seen%p.every == 0 && p.gate.Since().IsZero() {
		p.gate.Shut()
		p.pauses++
		time.AfterFunc(time.Hour, p.gate.Open)
	}
	p.mu.Unlock()
	return p.next.RoundTrip(r)
}

// A paused check sends nothing. After a pause it finds the same as without one. Its duration leaves out the pauses.
func TestPausedCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		want, whole := f.run(f.open("accounts"), setting.Options{})
		p := &pausing{t: t, gate: new(client.Gate), every: 3}
		table := f.open("accounts", func(o *dynamo.Options) { p.next, o.Transport = o.Transport, p })
		found, sum := f.run(table, setting.Options{Gate: p.gate})
		if !sum.Complete || sum.Items != whole.Items || !slices.Equal(said(found), said(want)) {
			t.Errorf("paused %d times: found %q, %+v; want %q, %+v", p.pauses, said(found), sum, said(want), whole)
		}
		for _, f := range found {
			if f.Kind == finding.OrphanedLock && !strings.Contains(f.Evidence, "while the check was paused") {
				t.Errorf("nobody is told that the lock was not read for an hour: %s", f.Evidence)
			}
		}
		if held := p.gate.Held(); p.pauses < 3 || held < 3*time.Hour || sum.Seconds > time.Hour.Seconds() {
			t.Errorf("%d pauses of %s, and %v s", p.pauses, held, sum.Seconds)
		}
	})
}

// Retries wait for the end of a pause, too.
func TestPausedScanThatIsThrottled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &network{Table: madeUp(), latency: 10 * time.Millisecond}
		_, d := n.open(t)
		n.Faults.Throttled = 0.5
		p := &pausing{t: t, next: n, gate: new(client.Gate), every: 40}
		c := connected(t, behind(p))
		got, totals, err := scanned(t, p.gate.Hold(t.Context()), c, d, scan.Options{Attributes: columns, Segments: 20, Workers: 4, MaxReadUnits: 200})
		if err != nil || !totals.Complete() || len(got) != n.Items() {
			t.Errorf("%d items of %d, %+v: %v", len(got), n.Items(), totals, err)
		}
		if p.pauses == 0 || totals.Throttled == 0 {
			t.Errorf("%d pauses, %d throttled", p.pauses, totals.Throttled)
		}
	})
}

// A paused check can be stopped.
func TestStopAPausedCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gate client.Gate
		gate.Shut()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		time.AfterFunc(time.Hour, stop)
		found, sum, err := run(ctx, start(t).open("accounts"), setting.Options{Gate: &gate})
		if client.KindOf(err) != client.Cancelled || sum.Complete || sum.ReadUnits != 0 || len(found) > 0 || sum.Seconds > 1 {
			t.Errorf("%d found, %+v: %v", len(found), sum, err)
		}
	})
}

// The progress of a segment is an estimate that only rises. It is complete only if the segment has ended.
func TestPartsOfACheck(t *testing.T) {
	t.Parallel()
	for _, segments := range []int{1, 4, 16, 50} {
		synctest.Test(t, func(t *testing.T) {
			n := &network{Table: madeUp(), latency: 300 * time.Millisecond}
			c, _ := n.open(t)
			table, err := c.Open(t.Context(), n.Name)
			if err != nil {
				t.Fatal(err)
			}
			between, last := 0, progress.State{}
			if _, err := check.Run(t.Context(), table, setting.Options{Segments: segments}, func(finding.Finding) {}, func(s progress.State) {
				if len(s.Parts) == 0 {
					return
				}
				if s.Segments != segments || len(s.Parts) != min(segments, 16) {
					t.Fatalf("%d parts of %d segments", len(s.Parts), s.Segments)
				}
				whole := 0
				for n, part := range s.Parts {
					if part < 0 || part > 1 || last.Stage == s.Stage && part < last.Parts[n]-0.02 {
						t.Errorf("part %d is at %v, and was at %v", n, part, last.Parts[n])
					}
					switch part {
					case 1:
						whole++
					case 0:
					default:
						between++
					}
				}
				if s.Ended == segments != (whole == len(s.Parts)) || segments <= 16 && whole != s.Ended {
					t.Errorf("%d parts are whole, and %d of %d have ended", whole, s.Ended, segments)
				}
				last = s
			}); err != nil {
				t.Fatal(err)
			}
			if between == 0 {
				t.Errorf("of %d segments none was seen half way", segments)
			}
		})
	}
}
