package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
)

// Of a lock that may be something else it is not known whether somebody has the value: the
// findings say no more than the locks do.
func TestAFindingSaysNoMoreThanTheVerdict(t *testing.T) {
	s := onDemo(t)
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#odd"), "SK": sdk.S("LOCK"), "owner": sdk.S("a1f9c3")})
	term := s.run(t)
	term.see("confirmed")
	term.press("2/odd<enter>")
	term.see("? unknown")
	term.press("<esc>4")
	term.see("✓ Checked")
	term.press("Fodd<enter>")
	frame := term.see("1 of 1, 7 findings in all", "? unknown", `this lock has an attribute "owner"`)
	if line := row(frame, "username  odd"); !strings.Contains(line, "not known") || strings.Contains(frame, "No account holds") {
		t.Errorf("the finding says more than is known:\n%s", frame)
	}
}
