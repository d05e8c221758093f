package ui_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// faulty returns the demo with a described layout. Its faults prevent the reading of locks.
func faulty(t *testing.T, breaks func(*faults)) (*setup, *faults) {
	f := &faults{}
	breaks(f)
	s := onDemo(t, func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
		}}}}
	}, withFaults(f))
	s.w, s.h = 140, 40
	return s, f
}

// If the opening fails after the first rows, the rows stay, and the screen says why. After the repair, a key finishes
// the opening.
func TestTheFirstRowsStayWhenTheirLocksCannotBeRead(t *testing.T) {
	s, f := faulty(t, func(f *faults) { f.deny = map[string]bool{"BatchGetItem": true} })
	term := s.run(t)
	frame := term.see("ACCT#", "? unknown", "not judged", "dynamodb:BatchGetItem", "ctrl+r go on")
	if strings.Contains(frame, "● held") {
		t.Errorf("something is judged:\n%s", frame)
	}
	term.press("/")
	term.see("The layout was not checked, since", "ctrl+r continues the check.")
	term.press("<ctrl+r>")
	term.see("ACCT#", "? unknown", "not judged", "dynamodb:BatchGetItem")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<ctrl+r>")
	term.see("● held", "confirmed")
}

// The first rows also stay if the endpoint is unreachable, and the program tries again.
func TestTheFirstRowsStayWhenTheEndpointIsAway(t *testing.T) {
	s, f := faulty(t, func(f *faults) { f.away = map[string]bool{"BatchGetItem": true} })
	term := s.run(t)
	frame := term.see("ACCT#", "? unknown", "OFFLINE")
	if strings.Contains(frame, "● held") {
		t.Errorf("something is judged:\n%s", frame)
	}
	f.set(func(f *faults) { f.away = nil })
	term.press("<ctrl+r>")
	frame = term.see("● held", "confirmed")
	if strings.Contains(frame, "OFFLINE") {
		t.Errorf("it is still away:\n%s", frame)
	}
}

// Old rows get no verdict: they are read again first, and stay on the screen until then.
func TestOldRowsAreReadAgainBeforeTheyAreJudged(t *testing.T) {
	s, f := faulty(t, func(f *faults) { f.deny = map[string]bool{"BatchGetItem": true} })
	var waited atomic.Int64
	s.clock = func() time.Time { return time.Now().Add(time.Duration(waited.Load())) }
	term := s.run(t)
	term.see("ada@lovelace.io", "? unknown", "not judged", "dynamodb:BatchGetItem")
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("ACCT#a1f9c3"), "SK": sdk.S("PROFILE"), "email": sdk.S("augusta@lovelace.io")})
	waited.Store(int64(10 * time.Minute))
	f.set(func(f *faults) { f.deny = map[string]bool{"DescribeTable": true} })
	term.press("<ctrl+r>")
	term.see("ada@lovelace.io", "? unknown", "not judged", "dynamodb:DescribeTable")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<ctrl+r>")
	term.see("augusta@lovelace.io", "● held", "○ missing")
}

// after calls do once, when the first page of a table has been read.
type after struct {
	next http.RoundTripper
	once sync.Once
	do   func()
}

func (a *after) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(r)
	if _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op == "Scan" {
		a.once.Do(a.do)
	}
	return answer, err
}

// The first items may contain no account when the opening fails. Then the keys must not crash the program, and ctrl+r
// opens the table again.
func TestFirstItemsWithoutAccountsThatCannotBeJudged(t *testing.T) {
	t.Parallel()
	every := map[string]bool{"Scan": true, "BatchGetItem": true, "Query": true, "DescribeTable": true, "TransactGetItems": true}
	for name, c := range map[string]struct {
		breaks func(*faults)
		says   string
	}{
		"denied": {func(f *faults) { f.deny = every }, "dynamodb:"},
		"away":   {func(f *faults) { f.down = true }, "OFFLINE"},
		"stopped": {func(f *faults) {
			f.hold = map[string]chan struct{}{"Scan": make(chan struct{}), "BatchGetItem": make(chan struct{})}
		}, " was cancelled."},
	} {
		t.Run(name, func(t *testing.T) {
			f := &faults{}
			s := onDemo(t, func(o *dynamo.Options) {
				o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"orders"}, Accounts: []config.Account{{
					PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
				}}}}
			}, withFaults(f), func(o *dynamo.Options) {
				o.Transport = &after{next: o.Transport, do: func() { f.set(c.breaks) }}
			})
			var items []sdk.Item
			for n := range 4000 {
				items = append(items, sdk.Item{"PK": sdk.S(fmt.Sprintf("ORDER#%d", n)), "SK": sdk.S("ORDER"), "note": sdk.S(strings.Repeat("it was cloudy ", 20))})
			}
			if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("orders", "PK:S", "SK:S"), items...); err != nil {
				t.Fatal(err)
			}
			s.options.Table = "orders"
			term := s.run(t)
			if name == "stopped" {
				term.see("checking the layout")
				term.meanwhile("<esc>")
			}
			term.see(c.says)
			term.meanwhile("jmG1n")
			f.set(func(f *faults) { f.deny, f.down, f.hold = nil, false, nil })
			term.press("<ctrl+r>")
			term.see("ACCT#", "ORDER#")
		})
	}
}
