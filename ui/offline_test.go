package ui_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// If the endpoint is unreachable, a reload keeps the rows on the screen.
func TestReadingAgainOffline(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	s.options.Refresh = 10 * time.Millisecond
	term := s.run(t)
	term.see("VERDICT", "● held", "confirmed")
	f.set(func(f *faults) { f.down = true })
	term.press("<ctrl+r>")
	term.see("OFFLINE", "● held", "this is earlier data", "as at")
	term.press("2")
	term.see("HOLDS", "● held")
	term.press("3")
	frame := term.see("nothing has been read yet", "the VPN")
	if n := strings.Count(frame, "! offline"); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, frame)
	}
	f.set(func(f *faults) { f.down = false })
	term.press("<enter>")
	term.gone("OFFLINE")
}

// If the endpoint is unreachable, the screen names the endpoint, and the command that finds the reason.
func TestWaysOnWhileOffline(t *testing.T) {
	s := onDemo(t)
	server := httptest.NewServer(s.demo.Engine)
	s.connect(t, served(server), func(o *dynamo.Options) { o.Place = []string{"--connection", "support"} })
	server.Close()
	term := s.run(t)
	term.see("OFFLINE", "Region    eu-central-1", "endpoint  127.0.0.1:", "tallylock doctor --connection support")
}

// Without permission to list tables, a person opens a table by name. The screen separates denied actions from
// actions that still work.
func TestListIsDenied(t *testing.T) {
	f := &faults{deny: map[string]bool{"ListTables": true}}
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.see("VERDICT", "confirmed")
	term.press("3")
	term.see("✓ accounts, locks", "✓ a table by its name", "✗ counters")
	term.press(":")
	term.see("denied", "type a table's name", "q quit")
	term.press("order_id")
	term.see("denied", "order_id", "enter opens it")
	term.press("<enter>")
	term.see("5,000", "this table only")
	term.press(":")
	term.see("type a table's name")
	term.press("q")
	term.exited()
}

func TestListIsDeniedWithoutATable(t *testing.T) {
	f := &faults{deny: map[string]bool{"ListTables": true}}
	s := onDemo(t, withFaults(f))
	s.options.Table = ""
	term := s.run(t)
	term.see("denied", "type a table's name")
	term.press("<ctrl+c>")
	term.exited()
}

// Even on a read-only connection, the answer says what a release would do.
func TestFindSaysWhatAReleaseWouldDo(t *testing.T) {
	s := onDemo(t)
	s.options.Connections[0].Changer = nil
	term := s.run(t)
	term.ask("alan")
	term.see("Releasing the lock", "frees the username", "release: this connection is read-only; start with --write")
}

// A value that is too long for a line is shown completely after a key.
func TestItemShowsLongValuesWhole(t *testing.T) {
	s := onDemo(t)
	s.put(t, "accounts", sdk.Item{
		"PK": sdk.S("UNIQ#HANDLE#longone"), "SK": sdk.S("LOCK"), "bio": sdk.S(strings.Repeat("ab ", 600) + "the end"),
		"keys": &types.AttributeValueMemberBS{Value: [][]byte{{1, 2}, {0xbe, 0xef}}},
		"tags": &types.AttributeValueMemberSS{Value: []string{strings.Repeat("one", 20), "two"}},
	})
	term := s.run(t)
	term.ask("longone")
	term.press("<enter>")
	term.see("ATTRIBUTE", "bio", "2 values of bytes")
	term.press("jj<enter>")
	term.see("fold")
	term.press("G")
	term.see("oneone")
	term.press("g")
	term.press("jj")
	term.see("▸ bio", "enter fold")
	term.press("jj<enter>") // on a row inside the value
	term.see("▸ bio", "enter show all", "2 values of bytes")
	term.press("j<enter>")
	term.see("be ef", "├ 01 02")
	term.press("jjj<enter>")
	term.see("├ oneone", "└ two")
}
