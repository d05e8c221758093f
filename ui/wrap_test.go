package ui_test

import "testing"

// The next problem after the last is the first, and the one before the first is the last.
func TestProblemsGoRound(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("✓ confirmed")
	term.press("n")
	term.see("▸ no account  ─ username alan", "n next problem")
	term.press("N")
	term.see("From the end again.", "n next problem", "= duplicate  2 accounts")
	term.press("n")
	term.see("From the top again.", "▸ no account  ─ username alan")
}
