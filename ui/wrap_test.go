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
	term.see("Continued from the end.", "n next problem", "= duplicate  2 accounts")
	term.press("n")
	term.see("Continued from the top.", "▸ no account  ─ username alan")
}
