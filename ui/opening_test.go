package ui_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/layout/config"
)

// gate lets the first requests of each operation through, up to let. It holds the others until open is closed.
type gate struct {
	next http.RoundTripper
	mu   sync.Mutex
	let  map[string]int
	open chan struct{}
}

func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	g.mu.Lock()
	g.let[op]--
	held := g.let[op] < 0
	g.mu.Unlock()
	if held {
		select {
		case <-g.open:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return g.next.RoundTrip(r)
}

// gated opens the demo. Only the first round trip of the opening gets answers.
func gated(t *testing.T, described bool) (*terminal, *gate) {
	g := &gate{let: map[string]int{"DescribeTable": 1, "Scan": 1}, open: make(chan struct{})}
	s := onDemo(t, func(o *dynamo.Options) {
		g.next, o.Transport, o.Layouts = o.Transport, g, nil
		if described {
			o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
				PK: "ACCT#{id}", SK: "PROFILE",
				Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, {Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
			}}}}
		}
	})
	s.w, s.h = 140, 40
	return s.run(t), g
}

// After the first round trip, the rows are on the screen, but their locks are unknown. Then no row has a verdict, and
// no action that needs a verdict is possible.
func TestTheFirstRowsAreNotJudged(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]string{"described": "checking the layout", "recognised": "recognising the layout"} {
		t.Run(name, func(t *testing.T) {
			term, g := gated(t, name == "described")
			frame := term.see("ACCT#", waits)
			for _, verdict := range []string{"held", "orphaned", "missing", "no lock", "release", "change the value", "delete the account"} {
				if strings.Contains(frame, verdict) {
					t.Errorf("it says %q before anything is judged:\n%s", verdict, frame)
				}
			}
			if name == "described" && strings.Count(frame, "unknown") < 10 {
				t.Errorf("the verdicts are not unknown:\n%s", frame)
			}
			term.meanwhile("jrmeD +unNfsoz24L<enter>/")
			frame = term.see("Still checking the layout; try again in a moment.")
			if strings.Contains(frame, "No, leave it") {
				t.Errorf("a change is asked about:\n%s", frame)
			}
			g.mu.Lock()
			for op := range g.let {
				if op != "DescribeTable" && op != "Scan" && op != "BatchGetItem" {
					t.Errorf("%s is sent", op)
				}
			}
			g.mu.Unlock()
			close(g.open)
			term.press("j") // a key closes the message, which covers a line
			term.see("● held", "confirmed")
		})
	}
}

// A person can stop the opening. The first rows stay, and a key continues later.
func TestOpeningIsStopped(t *testing.T) {
	term, g := gated(t, true)
	term.see("ACCT#", "checking the layout")
	term.meanwhile("<esc>")
	term.see("ACCT#", "not judged", "ctrl+r go on")
	close(g.open)
	term.press("<ctrl+r>")
	term.see("● held", "confirmed")
}

// The cursor stays on its account when the layout is recognised.
func TestTheCursorStaysOnItsAccount(t *testing.T) {
	term, g := gated(t, false)
	frame := term.see("ACCT#", "recognising the layout")
	selected := func(frame string) string { return row(frame, "▸") }
	for n := 0; !strings.Contains(selected(frame), "ACCT#") || n < 3; n++ {
		before := selected(frame)
		term.meanwhile("j")
		frame = term.until("the next item", func(s string) bool { return selected(s) != before })
	}
	account, _, _ := strings.Cut(strings.TrimPrefix(selected(frame), "▸ "), " ")
	close(g.open)
	frame = term.see("● held", "confirmed")
	if !strings.Contains(selected(frame), account) {
		t.Errorf("the cursor was on %s:\n%s", account, frame)
	}
}
