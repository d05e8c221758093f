package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// faulty is the demo with its layout described, whose locks cannot be read for now.
func faulty(t *testing.T, breaks func(*faults)) (*terminal, *faults) {
	f := &faults{}
	breaks(f)
	s := onDemo(t, func(o *dynamo.Options) {
		o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"accounts"}, Accounts: []layout.AccountConfig{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []layout.ConstraintConfig{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
		}}}}
	}, withFaults(f))
	s.w, s.h = 140, 40
	return s.run(t), f
}

// What fails after the first rows have come takes none of them away: it is said, and what
// was left is done when it can be.
func TestTheFirstRowsStayWhenTheirLocksCannotBeRead(t *testing.T) {
	term, f := faulty(t, func(f *faults) { f.deny = map[string]bool{"BatchGetItem": true} })
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
	term, f := faulty(t, func(f *faults) { f.lose = map[string]bool{"BatchGetItem": true} })
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
