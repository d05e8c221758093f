package ui_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/layout/config"
)

// Without AutoReadUnits, opening a table reads no items, and the screen says why. A key reads the table.
func TestNothingIsReadUnasked(t *testing.T) {
	s := onDemo(t, undescribed, func(o *dynamo.Options) { o.AutoReadUnits = 0.1 })
	term := s.run(t)
	frame := term.see("Nothing was read, because auto_read_units is 0.", "read the table")
	if strings.Contains(frame, "first page") || !strings.Contains(frame, "nothing has been read") {
		t.Errorf("a page is awaited:\n%s", frame)
	}
	if strings.Contains(strings.ReplaceAll(frame, " 0 RU", ""), " RU") {
		t.Errorf("something was read:\n%s", frame)
	}
	term.press("<ctrl+r>")
	term.see("The layout is unknown, because", "ACCT#")
}

// Without AutoReadUnits, counters are not read when their screen opens, and are not polled. One key reads them once,
// and another key starts the polling.
func TestCountersAreNotReadUnasked(t *testing.T) {
	var scanned atomic.Int32
	s := onDemo(t, func(o *dynamo.Options) {
		o.AutoReadUnits = 0.1
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"order_id"}, Counters: []config.Counter{{
			Name: "order_id", PK: "0", Attribute: "order_number", Semantics: "last",
		}}}}
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op == "BatchGetItem" || op == "Scan" {
				scanned.Add(1)
			}
			return next.RoundTrip(r)
		})
	})
	term := s.run(t)
	term.see("Nothing was read, because auto_read_units is 0.")
	term.press("3")
	term.see("Nothing was read, because auto_read_units is 0.", "read the counters once")
	term.press("1")
	term.see("read the table")
	term.press("3")
	term.see("read the counters once")
	if n := scanned.Load(); n > 0 {
		t.Errorf("%d readings unasked", n)
	}
	term.press("<ctrl+r>")
	term.see("order_id", "paused, as read at")
	once := scanned.Load()
	term.press("13")
	term.see("order_id", "paused, as read at")
	if n := scanned.Load(); n != once {
		t.Errorf("%d readings unasked", n-once)
	}
	term.press("p")
	term.see("RU/s")
}

// If AutoReadUnits is too small to recognise counters, the screen says so, and not that no layout fits.
func TestCountersThatAreNotLookedFor(t *testing.T) {
	t.Parallel()
	for auto, says := range map[float64]string{0.1: "The tables were not searched for counters, because", 0.6: "0.6 read units (auto_read_units) were not enough"} {
		t.Run(says, func(t *testing.T) {
			s := onDemo(t, undescribed, func(o *dynamo.Options) { o.AutoReadUnits = auto })
			term := s.run(t)
			term.see("accounts")
			term.press("3")
			term.press("<ctrl+r>")
			if screen := term.see("No counters found.", says); strings.Contains(screen, "No layout that we know") {
				t.Errorf("%v:\n%s", auto, screen)
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// If the layout does not fit, no text says that nobody holds a value.
func TestAMisfitDoesNotSayThatNobodyHolds(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFIL", Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
		}}}}
	})
	term := s.run(t)
	term.pastLayout()
	term.see("? unknown", "sk = \"PROFILE\"")
	term.press("D")
	term.see("The holder of \"")
}
