package ui_test

import "testing"

// After the last problem, the key for the next problem goes to the first problem, and the key for the previous problem
// goes from the first to the last.
func TestProblemsGoRound(t *testing.T) {
	term := drawn(t).run(t)
	term.see("✓ confirmed")
	term.press("n")
	term.see("▸ no account  ─ username alan", "n next problem")
	term.press("N")
	term.see("From the end again.", "n next problem", "= duplicate  2 accounts")
	term.press("n")
	term.see("From the top again.", "▸ no account  ─ username alan")
}
