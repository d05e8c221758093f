package session_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/ui/session"
)

// Several goroutines that dial at the same time get one connection. A failure is not kept.
func TestAConnectionIsMadeOnce(t *testing.T) {
	t.Parallel()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made, failed := 0, errors.New("the VPN is down")
	s := session.New(t.Context(), session.Options{Connections: []session.Connection{{
		Called: "support", Dial: func(ctx context.Context) (*dynamo.Connection, error) {
			if made++; made == 1 {
				return nil, failed
			}
			return dynamo.Connect(ctx, d.Options())
		},
	}}}, func(any) tea.Cmd { return nil })
	if _, err := s.Connections[0].Connected(t.Context()); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	var all [8]*dynamo.Connection
	var wait sync.WaitGroup
	for n := range all {
		c := s.Connections[0]
		wait.Go(func() { all[n], _ = c.Connected(t.Context()) })
	}
	wait.Wait()
	for _, c := range all {
		if c == nil || c != all[0] {
			t.Errorf("there are several connections: %v", all)
		}
	}
}

// A table whose connection was replaced cannot be changed through the connection on the screen.
func TestATableOfAReplacedConnectionIsNotChanged(t *testing.T) {
	t.Parallel()
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	connect := func() *dynamo.Connection {
		c, err := dynamo.Connect(t.Context(), d.Options())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	on, before := connect(), connect()
	s := session.New(t.Context(), session.Options{Connections: []session.Connection{{Connection: on}}}, func(any) tea.Cmd { return nil })
	if c := s.ConnectionTo(on); c.Connection != on || c.Replaced {
		t.Errorf("%+v", c)
	}
	c := s.ConnectionTo(before)
	if c.Connection != before || c.WhyReadOnly() == "" || c.WritesTo("order_id") {
		t.Errorf("a table of another connection can be changed: %+v", c)
	}
}
