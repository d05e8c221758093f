package ui_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo/embedded/sdk"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// watching releases alan, as the screen that finds it does, and watches it.
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

// A released value that is watched is told of when somebody has taken it, and the screen
// that asks for it shows who.
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

// Esc stops watching: what comes later is not told.
func TestWatchingStops(t *testing.T) {
	s := onDemo(t)
	term := s.watching(t)
	frame := term.see(`Watching "alan": 10 min left, `, "esc stops watching")
	if strings.Contains(frame, "esc back") {
		t.Errorf("the key is said to go back:\n%s", frame)
	}
	term.press("j") // it is said for as long as it is watched
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

// Nobody comes for ten minutes: watching ends by itself, and says so.
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

// Another table that is opened does not end the watch.
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
