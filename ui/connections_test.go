package ui_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
)

// Other connections are made only when a person looks at them. If one fails, the screen says why, and the others still
// work.
func TestConnectionsAreMadeWhenTheyAreLookedAt(t *testing.T) {
	s := onDemo(t)
	o := s.demo.Options()
	o.Name, o.Write = "support", false
	s.h = 40
	var dialled atomic.Int32
	s.options.Connections = append(s.options.Connections,
		session.Connection{Called: "support", Table: "members", Colour: "violet", Production: true, Dial: func(ctx context.Context) (*dynamo.Connection, error) {
			dialled.Add(1)
			return dynamo.Connect(ctx, o)
		}},
		session.Connection{Called: "expired", Dial: func(context.Context) (*dynamo.Connection, error) {
			return nil, &client.Error{Kind: client.Expired, Op: "connecting", Why: "the SSO session has expired", Do: "run: aws sso login"}
		}},
	)
	term := s.run(t)
	term.see("confirmed")
	if n := dialled.Load(); n != 0 {
		t.Errorf("it connected %d times before anybody looked", n)
	}
	term.press(":")
	term.see("3 connections, 14 tables", "▎support", "▎PRODUCTION", "▎expired", "expired: the SSO session has expired")
	term.press("connection support") // the config has the table
	term.until("its table", func(s string) bool { return strings.Contains(row(s, "▸"), " members ") })
	term.press("<ctrl+u>support acc")
	term.see("▸ ▎support", "support opens read-only.")
	term.press("<enter>")
	term.see("PRODUCTION  support › embedded › accounts", "READ-ONLY", "confirmed")
	term.press(":")
	term.see("type a table, or a command")
	term.press("demo mem")
	term.see("▸ ▎demo")
	term.press("<enter>")
	frame := term.see("demo › embedded › members", "WRITE")
	if strings.Contains(frame, "PRODUCTION") {
		t.Errorf("the other connection is still in the header:\n%s", frame)
	}
	if n := dialled.Load(); n != 1 {
		t.Errorf("it connected %d times", n)
	}
}

// The header writes a connection's name in its configured colour.
func TestTheHeaderHasTheConnectionsColour(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	for _, colour := range []client.Colour{"green", "yellow", "red", "violet", "blue"} {
		t.Run(string(colour), func(t *testing.T) {
			s := onDemo(t)
			s.options.Connections[0].Colour = colour
			term := s.run(t)
			term.see("confirmed")
			before, _, _ := strings.Cut(term.emu.Render(), "demo")
			at := strings.LastIndex(before, "\x1b[")
			if at < 0 || strings.Contains(before, "\n") {
				t.Fatalf("the header has no name in colour: %q", before)
			}
			if other, is := seen.LoadOrStore(before[at:], colour); is {
				t.Errorf("it looks like %s: %q", other, before[at:])
			}
		})
	}
}

// For an expired log-in, the screen shows the command that renews it. After the renewal, ctrl+r connects.
func TestAnExpiredConnectionSaysHowToLogIn(t *testing.T) {
	s := onDemo(t)
	s.h, s.options.Table = 40, ""
	o := s.demo.Options()
	o.Name, o.Write = "support", false
	var renewed atomic.Bool
	s.options.Connections = append(s.options.Connections,
		session.Connection{Called: "support", Dial: func(ctx context.Context) (*dynamo.Connection, error) {
			if renewed.Load() {
				return dynamo.Connect(ctx, o)
			}
			return nil, &client.Error{Kind: client.Expired, Op: "connecting", Why: "the SSO session has expired", Do: "run: aws sso login --profile support"}
		}},
	)
	term := s.run(t)
	term.see("expired: the SSO session has expired", "run: aws sso login --profile support.", "ctrl+r try again")
	renewed.Store(true)
	term.press("<ctrl+r>")
	term.see("2 connections, 14 tables")
	term.gone("expired")
}

// A connection without tables is found by its name, and the screen says why it has no tables. A misspelt name gets a
// suggestion. If a typed text begins a command, the command comes before an unlisted table of this name.
func TestAConnectionIsFoundByItsName(t *testing.T) {
	s := onDemo(t)
	s.options.Connections = append(s.options.Connections, session.Connection{
		Called: "wrong",
		Dial: func(context.Context) (*dynamo.Connection, error) {
			return nil, &client.Error{Kind: client.Expired, Op: "connecting", Why: "the session has expired", Do: "log in"}
		},
	})
	term := s.run(t)
	term.see("confirmed")
	term.press(":")
	term.see("2 connections")
	term.press("connection wrong")
	term.see("wrong", "expired: the session has expired")
	term.press("<ctrl+u>connection wrnog")
	term.see(`No connection is called "wrnog", did you mean "wrong"?`)
	term.press("<ctrl+u>conn")
	frame := term.until("the command first", func(s string) bool { return strings.Contains(row(s, "▸"), "connection NAME") })
	if !strings.Contains(frame, "not listed; enter opens it") {
		t.Errorf("the connection that is not listed offers no table:\n%s", frame)
	}
	term.press("<ctrl+u>acc")
	term.until("the table first", func(s string) bool {
		return strings.Contains(row(s, "▸"), " accounts ") && !strings.Contains(row(s, "▸"), "command")
	})
}

// A connection may be unable to list its tables. Then a table opens by the name in the config, or by the name that a
// person types.
func TestTablesThatAreNotListedAreOpened(t *testing.T) {
	f := &faults{deny: map[string]bool{"ListTables": true}}
	s := onDemo(t, withFaults(f))
	o := s.demo.Options()
	o.Name = "limited"
	hangs := &faults{hold: map[string]chan struct{}{"ListTables": make(chan struct{})}}
	withFaults(hangs)(&o)
	s.options.Table = ""
	s.options.Connections = append(s.options.Connections, session.Connection{
		Called: "limited", Table: "members",
		Dial: func(ctx context.Context) (*dynamo.Connection, error) { return dynamo.Connect(ctx, o) },
	})
	term := s.run(t)
	term.see("denied", "ListTables")
	term.meanwhile("accounts")
	term.until("the table to stand first", func(s string) bool { return strings.Contains(row(s, "▸"), "not listed") })
	term.meanwhile("<ctrl+u>connection limited")
	term.until("the config's table", func(s string) bool { return strings.Contains(row(s, "▸"), "members") })
	term.meanwhile("<enter>")
	term.see("limited › embedded › members", "MEM#")
	term.meanwhile(":")
	term.meanwhile("table accounts<enter>")
	term.see("demo › embedded › accounts", "ACCT#")
}

// Esc goes back through the opened tables, one by one.
func TestBackThroughTables(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("embedded › accounts", "confirmed")
	for _, name := range []string{"members", "all tables", "accounts"} {
		term.press(":table " + strings.ReplaceAll(name, "all tables", "order_id") + "<enter>") // order_id has a counter
		term.see("embedded › " + name)
		term.quiet()
	}
	term.press("2f<esc>")
	term.see("embedded › accounts", "LOCK")
	for _, name := range []string{"all tables", "members", "accounts", "accounts"} {
		term.press("<esc>")
		term.see("embedded › " + name)
		term.quiet()
	}
}
