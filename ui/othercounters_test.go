package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/ui/session"
)

// besideAnother returns the demo with a second connection, "support", to another demo. There, order_id is 7,777.
func besideAnother(t *testing.T) (s *setup, d, others *doors) {
	t.Helper()
	d, others = &doors{shut: map[string]chan struct{}{}}, &doors{shut: map[string]chan struct{}{}}
	s = onDemo(t, func(o *dynamo.Options) { d.next, o.Transport = o.Transport, d })
	other, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := sdk.Put(t.Context(), other.App(), "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.N("7777")}); err != nil {
		t.Fatal(err)
	}
	o := other.Options()
	o.Name, o.Write = "support", false
	others.next, o.Transport = o.Transport, others
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Connections = append(s.options.Connections, session.Connection{Connection: conn})
	s.w, s.h = 140, 40
	return s, d, others
}

// If a person changes the connection while counters are being read, these counters do not appear under the name of the
// new connection.
func TestCountersStandUnderTheirOwnConnection(t *testing.T) {
	s, d, _ := besideAnother(t)
	d.hold(`"order_id"`)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3")
	term.see("Looking for counters")
	term.meanwhile(":")
	term.see("support")
	term.meanwhile("support accounts")
	term.see("▸ ▎support")
	term.meanwhile("<enter>")
	term.see("support › embedded › accounts")
	d.release(`"order_id"`)
	term.see("● held", "confirmed")
	term.press("3")
	if frame := term.see("7,777", "support"); strings.Contains(frame, "5,000") {
		t.Errorf("a counter of the other connection:\n%s", frame)
	}
}

// Without an open table, counters do not appear under the name of another connection, either. After the new table has
// opened, the counters of its connection are shown.
func TestCountersAreThoseOfTheConnectionThatIsLookedAt(t *testing.T) {
	s, _, others := besideAnother(t)
	s.options.Table = ""
	others.hold(`"accounts"`)
	term := s.run(t)
	term.see("support")
	term.meanwhile("counters")
	term.see("▸ command")
	term.meanwhile("<enter>")
	term.see("5,000")
	term.meanwhile(":")
	term.see("support")
	term.meanwhile("support accounts")
	term.see("▸ ▎support")
	term.meanwhile("<enter>")
	term.see("opening accounts")
	term.meanwhile("<esc><esc>")
	term.see("Looking for counters in the tables of support")
	term.meanwhile("<esc>")
	term.see("Stopped.")
	others.release(`"accounts"`)
	if frame := term.see("support ›", "7,777"); strings.Contains(frame, "5,000") {
		t.Errorf("a counter of the other connection:\n%s", frame)
	}
}
