package ui_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
)

// faulty is the demo with its layout described, whose locks cannot be read for now.
func faulty(t *testing.T, breaks func(*faults)) (*setup, *faults) {
	f := &faults{}
	breaks(f)
	s := onDemo(t, func(o *dynamo.Options) {
		o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"accounts"}, Accounts: []layout.AccountConfig{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []layout.ConstraintConfig{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
		}}}}
	}, withFaults(f))
	s.w, s.h = 140, 40
	return s, f
}

// What fails after the first rows have come takes none of them away: it is said, and what
// was left is done when it can be.
func TestTheFirstRowsStayWhenTheirLocksCannotBeRead(t *testing.T) {
	s, f := faulty(t, func(f *faults) { f.deny = map[string]bool{"BatchGetItem": true} })
	term := s.run(t)
	frame := term.see("ACCT#", "? unknown", "not judged", "dynamodb:BatchGetItem", "ctrl+r go on")
	if strings.Contains(frame, "● held") {
		t.Errorf("something is judged:\n%s", frame)
	}
	term.press("/")
	term.see("The layout was not judged, since", "ctrl+r goes on.")
	term.press("<ctrl+r>")
	term.see("ACCT#", "? unknown", "not judged", "dynamodb:BatchGetItem")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<ctrl+r>")
	term.see("● held", "confirmed")
}

// The same where the endpoint is away: it is tried again.
func TestTheFirstRowsStayWhenTheEndpointIsAway(t *testing.T) {
	s, f := faulty(t, func(f *faults) { f.lose = map[string]bool{"BatchGetItem": true} })
	term := s.run(t)
	frame := term.see("ACCT#", "? unknown", "OFFLINE")
	if strings.Contains(frame, "● held") {
		t.Errorf("something is judged:\n%s", frame)
	}
	f.set(func(f *faults) { f.lose = nil })
	term.press("<ctrl+r>")
	frame = term.see("● held", "confirmed")
	if strings.Contains(frame, "OFFLINE") {
		t.Errorf("it is still away:\n%s", frame)
	}
}

// What was read a while ago is no ground for a verdict: it is read again, and stays until then.
func TestOldRowsAreReadAgainBeforeTheyAreJudged(t *testing.T) {
	s, f := faulty(t, func(f *faults) { f.deny = map[string]bool{"BatchGetItem": true} })
	var waited atomic.Int64
	s.clock = func() time.Time { return time.Now().Add(time.Duration(waited.Load())) }
	term := s.run(t)
	term.see("ada@lovelace.io", "? unknown", "not judged", "dynamodb:BatchGetItem")
	if err := sdk.Put(t.Context(), s.demo.App(), "accounts", sdk.Item{"PK": sdk.S("ACCT#a1f9c3"), "SK": sdk.S("PROFILE"), "email": sdk.S("augusta@lovelace.io")}); err != nil {
		t.Fatal(err)
	}
	waited.Store(int64(10 * time.Minute))
	f.set(func(f *faults) { f.deny = map[string]bool{"DescribeTable": true} })
	term.press("<ctrl+r>")
	term.see("ada@lovelace.io", "? unknown", "not judged", "dynamodb:DescribeTable")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<ctrl+r>")
	term.see("augusta@lovelace.io", "● held", "○ missing")
}
