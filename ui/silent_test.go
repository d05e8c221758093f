package ui_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
)

// An endpoint that takes requests and never answers is named while it is waited for; that
// it does not answer is said after a few seconds, and esc leaves.
func TestAnEndpointThatNeverAnswers(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts: the system takes connections all the same
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	where := silent.Addr().String()
	conn, err := dynamo.Connect(t.Context(), dynamo.Options{Options: client.Options{Endpoint: "http://" + where, Region: "us-east-1"}, Asked: true})
	if err != nil {
		t.Fatal(err)
	}
	var later atomic.Int64
	s := &setup{conn: conn, w: 80, h: 24, clock: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }, options: session.Options{
		Connections: []session.Connection{{Connection: conn}}, Table: "accounts", Theme: session.Dark,
	}}
	term := s.run(t)
	frame := term.see("Reading accounts at " + where)
	if strings.Contains(frame, "does not answer") {
		t.Errorf("it is said to be silent at once:\n%s", frame)
	}
	later.Store(int64(6 * time.Second))
	term.see("s so far: "+where+" is slow, or does not answer.", "esc leaves.")
	term.meanwhile("<esc>")
	term.see("Opening the table accounts was cancelled.", "ctrl+r try again")
}
