package ui_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/session"
)

// services has three connections: one to the demo, "support" to a second demo in production, and "staging". In the
// second demo, order_id is 7,777. staging fails until renewed is set.
type services struct {
	*setup
	support *demo.Demo
	faults  *faults      // the faults of support
	asked   atomic.Int32 // requests to support that were not cancelled
	dialled atomic.Int32
	// autoReadUnits is AutoReadUnits of support. Zero means the default.
	autoReadUnits float64
	layouts       []config.Layout // the layouts of support
	renewed       atomic.Bool
}

func onServices(t *testing.T) *services {
	t.Helper()
	s := &services{setup: onDemo(t), faults: &faults{}}
	changer := &change.Changer{Journal: s.options.Connections[0].Changer.Journal, Who: "sam"}
	var err error
	if s.support, err = demo.New(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sdk.Put(t.Context(), s.support.App(), "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.N("7777")}); err != nil {
		t.Fatal(err)
	}
	o := s.support.Options()
	o.Name, o.Guard, o.Settle = "support", client.GuardType, 20*time.Millisecond
	withFaults(s.faults)(&o)
	o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Context().Err() == nil {
			s.asked.Add(1)
		}
		return s.faults.RoundTrip(r)
	})
	s.options.Connections = append(s.options.Connections,
		session.Connection{Called: "support", Production: true, Changer: changer, Dial: func(ctx context.Context) (*dynamo.Connection, error) {
			s.dialled.Add(1)
			o := o
			o.AutoReadUnits = s.autoReadUnits
			if s.layouts != nil {
				o.Layouts = s.layouts
			}
			return dynamo.Connect(ctx, o)
		}},
		session.Connection{Called: "staging", Dial: func(ctx context.Context) (*dynamo.Connection, error) {
			if s.renewed.Load() {
				o := o
				o.Name = "staging"
				return dynamo.Connect(ctx, o)
			}
			return nil, &client.Error{Kind: client.Expired, Op: "connecting", Why: "the SSO session has expired", Do: "run: aws sso login --profile staging"}
		}},
	)
	return s
}

// orders returns the value of the counter order_id in a demo.
func orders(t *testing.T, d *demo.Demo) string {
	t.Helper()
	got, err := d.App().GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("order_id"), Key: sdk.Item{"id": sdk.N("0")}})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := got.Item["order_number"].(*types.AttributeValueMemberN)
	return n.Value
}

// toOrders lists the counters of all connections, and goes to order_id of support.
func (s *services) toOrders(t *testing.T) *terminal {
	t.Helper()
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3")
	term.see("of 8", "A all connections")
	if n := s.dialled.Load(); n != 0 {
		t.Errorf("it connected %d times before anybody asked", n)
	}
	term.press("A")
	term.see("of 16")
	term.press("Forder_id<enter>")
	term.see("of 2", "5,000", "7,777")
	term.press("G")
	term.until("support's", func(f string) bool { return strings.Contains(row(f, "▸"), "7,777") })
	return term
}

// TestEverywhereScreens draws the counters of all connections, a counter of another connection, and a failed
// connection.
func TestEverywhereScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, keys string
		until      []string
	}{
		{"counters", "", []string{"▾ demo", "▾ support", "of 16"}},
		{"counter", "G<up>", []string{"16 of 16", "support › posts"}},
		{"failed", "G", []string{"16 of 16", "run: aws sso login"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := onServices(t)
			s.options.Refresh = shownRefresh
			term := s.run(t)
			term.see("● held", "confirmed")
			term.press("3A")
			term.see("of 16")
			term.press(c.keys)
			term.until("rates of all", func(f string) bool { // a rate needs two readings
				for _, line := range strings.Split(f, "\n") {
					if strings.Contains(line, "· ids unknown") && strings.Contains(line, " last ") && !strings.Contains(line, "▁") {
						return false
					}
				}
				return true
			})
			term.pictures(c.until...)
		})
	}
}

// One list has the counters of all connections, below the names of the connections. If a connection fails, the list
// says why and what to do, and the other connections are read.
func TestCountersOfAllConnections(t *testing.T) {
	s := onServices(t)
	s.w, s.h = 140, 40
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3A")
	frame := term.see("▾ demo", "▾ support", "PRODUCTION", "▾ staging", "expired: the SSO session has expired", "16 counters in", "of 3 connections")
	if at := strings.Index(frame, "▾ support"); strings.Index(frame, "5,000") > at || strings.Index(frame, "7,777") < at {
		t.Errorf("a counter stands under another connection:\n%s", frame)
	}
	term.press("G")
	term.see("▸ ▾ staging", "run: aws sso login --profile staging", "automatic retry, or ctrl+r now")
	s.renewed.Store(true)
	term.press("<ctrl+r>")
	term.see("24 counters in")
	term.press("z")
	term.see("▸ ▸ staging")
	s.faults.set(func(f *faults) { f.down = true })
	term.see("as at")
	term.press("g")
	if frame := term.see("▸ ▾ demo", "as at"); strings.Contains(frame, "OFFLINE") {
		t.Errorf("the open connection answers:\n%s", frame)
	}
	term.press("A")
	if frame := term.see("8 counters in"); strings.Contains(frame, "support") {
		t.Errorf("more than the open connection:\n%s", frame)
	}
}

// Before a counter of another connection is changed, that connection must be open. Then the header shows that
// connection, and its guard applies. Esc goes back.
func TestACounterOfAnotherConnectionIsChangedThere(t *testing.T) {
	s := onServices(t)
	term := s.toOrders(t)
	for _, key := range []string{"+", "m"} {
		term.press(key)
		if frame := term.see("order_id"); strings.Contains(frame, "only if") {
			t.Errorf("%s asks for a change of another connection:\n%s", key, frame)
		}
	}
	term.press("+")
	term.see("It is a counter of support: enter goes there first.", "demo ›", "WRITE ")
	term.press("<enter>")
	term.see("This is support now", "PRODUCTION  support ›", "WRITE · TYPED", "5,000")
	term.until("the counter", func(f string) bool { return strings.Contains(row(f, "▸"), "7,777") })
	term.press("+")
	term.see("goes from 7,777 up to 7,778")
	term.press("<shift+tab>order_id<tab><tab>")
	term.see("▸ Bump to 7,778")
	term.press("<enter>")
	term.see("✓ Applied", "order_id is at 7,778")
	term.press("<enter>")
	term.until("the new value", func(f string) bool { return strings.Contains(row(f, "▸"), "7,778") })
	if here, there := orders(t, s.demo), orders(t, s.support); here != "5000" || there != "7778" {
		t.Errorf("order_id of demo says %s, and of support %s", here, there)
	}
	term.press("k") // over the heading, to the other connection's counter
	term.press("k")
	term.until("demo's", func(f string) bool { return strings.Contains(row(f, "▸"), "5,000") })
	term.press("+")
	term.see("It is a counter of demo: enter goes there first.")
	term.press("<esc><esc>") // closes the filter, then leaves support
	if frame := term.see("demo › embedded", "of 16"); strings.Contains(frame, "PRODUCTION  ") && strings.Contains(row(frame, "tallylock"), "PRODUCTION") {
		t.Errorf("support is still open:\n%s", frame)
	}
	term.press("1")
	term.see("demo › embedded › accounts", "ACCT#")
}

// Other connections do not wait for a connection that does not answer.
func TestAConnectionThatHangsIsNotWaitedFor(t *testing.T) {
	s := onServices(t)
	gate := make(chan struct{})
	s.faults.hold = map[string]chan struct{}{"ListTables": gate}
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3A")
	term.see("▾ support", "not read yet")
	for _, n := range []string{"5001", "5002"} {
		s.put(t, "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.N(n)})
		term.see("5,00"+n[3:], "not read yet", "▾ staging", "expired")
	}
	close(gate)
	term.see("of 16")
}

// If AutoReadUnits is almost 0, the counters of a connection are read only when a person presses a key.
func TestCountersThatWereAskedForOnce(t *testing.T) {
	s := onServices(t)
	s.autoReadUnits, s.layouts = 0.01, []config.Layout{}
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3A")
	term.see("no counters found, read once at")
	before := s.asked.Load()
	for _, n := range []string{"5001", "5002", "5003"} {
		s.put(t, "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.N(n)})
		term.see("5,00" + n[3:])
	}
	if n := s.asked.Load() - before; n > 0 {
		t.Errorf("%d requests that nobody asked for", n)
	}
	term.press("G<up>")
	term.see("▸ ▾ support", "because auto_read_units is 0")
	term.press("<ctrl+r>")
	term.until("another reading", func(string) bool { return s.asked.Load() > before })
}

// Esc goes back through the opened connections, one by one.
func TestBackThroughConnections(t *testing.T) {
	s := onServices(t)
	s.renewed.Store(true)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3A")
	term.see("of 24")
	term.press("G<enter>")
	term.see("This is staging now", "staging › embedded")
	term.press("Fposts<enter>gjj")
	term.until("support's", func(f string) bool { return strings.Contains(row(f, "▸"), "support") })
	term.press("<enter>")
	term.see("This is support now", "PRODUCTION  support ›")
	term.press("<enter>") // the heading of support
	term.see("Support is open already.")
	term.press("<esc><esc>") // closes the filter first
	term.see("staging › embedded", "of 24")
	term.press("<esc>")
	term.see("demo › embedded", "of 24")
	term.press("<esc>")
	term.see("demo › embedded", "of 24")
}

// If no table was open before a visit to another connection, no table is open after it.
func TestBackFromAnotherConnectionToNoTable(t *testing.T) {
	s := onServices(t)
	s.options.Table = ""
	term := s.run(t)
	term.see("3 connections")
	term.meanwhile("counters")
	term.see("▸ command")
	term.meanwhile("<enter>")
	term.see("5,000")
	term.press("AForder_id<enter>")
	term.see("of 2", "7,777")
	term.press("G<enter>")
	term.see("This is support now", "support ›")
	term.press("<esc><esc>")
	term.see("demo › embedded › all tables", "of 16")
	term.press("1")
	term.see("Open a table first")
}

// When a person leaves the list, other connections are not read any more.
func TestOtherConnectionsAreReadWhileTheyAreListed(t *testing.T) {
	t.Parallel()
	for _, leave := range []string{"A", "1"} {
		t.Run(leave, func(t *testing.T) {
			s := onServices(t)
			term := s.toOrders(t)
			term.press("<esc>")
			term.see("of 16")
			term.press(leave)
			term.gone("7,777")
			before := s.asked.Load()
			for _, n := range []string{"5001", "5002", "5003"} {
				s.put(t, "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.N(n)})
				if leave == "A" {
					term.see("5,00" + n[3:])
				} else {
					term.press("<ctrl+r>")
				}
			}
			if n := s.asked.Load() - before; n > 0 {
				t.Errorf("%d requests to support", n)
			}
		})
	}
}
