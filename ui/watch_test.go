package ui_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo/embedded/sdk"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// watching releases the username alan from the answer of find, and watches it.
func (s *setup) watching(t *testing.T) *terminal {
	t.Helper()
	term := s.run(t)
	term.see("confirmed")
	term.asksRelease()
	term.agree("Release the lock")
	term.see("w watch")
	term.press("w")
	term.see(`"alan" is free`)
	return term
}

// When an account takes a watched value, a message says so, with the account.
func TestAReleasedValueIsWatched(t *testing.T) {
	s := onDemo(t)
	term := s.watching(t)
	for _, item := range []map[string]types.AttributeValue{
		{"PK": sdk.S("ACCT#anew"), "SK": sdk.S("PROFILE"), "username": sdk.S("alan"), "email": sdk.S("alan@new.example")},
		{"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK")},
	} {
		s.put(t, "accounts", item)
	}
	term.see(`"alan" was taken again at `, "ACCT#anew")
	term.press("j") // the message stays until a key is pressed
	term.gone("was taken again")
}

// Esc stops watching. Later events show no message.
func TestWatchingStops(t *testing.T) {
	s := onDemo(t)
	term := s.watching(t)
	frame := term.see(`Watching "alan": 10 min left, `, "esc stops watching")
	if strings.Contains(frame, "esc back") {
		t.Errorf("the key is said to go back:\n%s", frame)
	}
	term.press("j") // the line stays while the value is watched
	term.see(`Watching "alan": `)
	term.press("<esc>")
	term.see(`Stopped watching "alan".`, "READ AS")
	term.press("j")
	term.gone("esc stops watching")
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK")})
	term.press("<esc>")
	if frame := term.see("ACCOUNT", "VERDICT"); strings.Contains(frame, "taken again") {
		t.Errorf("it is told all the same:\n%s", frame)
	}
}

// If nobody takes the value within ten minutes, the watching ends, and a message says so.
func TestWatchingEndsByItself(t *testing.T) {
	s := onDemo(t)
	var later atomic.Int64
	s.clock = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	term := s.watching(t)
	later.Store(int64(7 * time.Minute))
	term.see(`Watching "alan": 3 min left, `)
	later.Store(int64(11 * time.Minute))
	term.see(`Stopped watching "alan": nobody took it in 10 min`)
}

// Opening another table does not end the watching.
func TestWatchingGoesOnBesideAnotherTable(t *testing.T) {
	s, _ := twoTables(t)
	term := s.watching(t)
	term.press(":")
	term.see("towns")
	term.press("towns<enter>")
	term.see("› towns")
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK")})
	term.see(`"alan" was taken again at `)
}
