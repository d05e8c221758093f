package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
)

// If an item outside the layout has a lock's value, the verdict is unknown until a person says whether the item holds
// the value. The finding shows the same verdict as the lock.
func TestAFindingSaysNoMoreThanTheVerdict(t *testing.T) {
	s := onDemo(t)
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#odd"), "SK": sdk.S("LOCK")})
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("ORDER#77"), "SK": sdk.S("META"), "buyer": sdk.S("odd")})
	term := s.run(t)
	term.see("confirmed")
	term.press("2/odd<enter>")
	term.see("? unknown")
	term.press("<esc>4")
	term.see("✓ Checked")
	term.press("Fodd<enter>")
	frame := term.see("1 of 1, 7 findings in all", "? unknown", "ORDER#77 / META holds the value")
	if line := row(frame, "username  odd"); !strings.Contains(line, "not known") || strings.Contains(frame, "No account holds") {
		t.Errorf("the finding says more than is known:\n%s", frame)
	}
}
