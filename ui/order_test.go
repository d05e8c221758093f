package ui_test

import (
	"strings"
	"testing"
)

// The accounts stand as they were read, with the problems first, or by account; the
// cursor is on the first of them then.
func TestAccountsAreSorted(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("✓ confirmed")
	selected := func(want string) {
		t.Helper()
		term.until(want+" to be selected", func(s string) bool { return strings.Contains(row(s, "▸"), want) })
	}
	selected("ada@lovelace.io")
	term.press("s")
	term.see("· problems first")
	selected("orphaned")
	term.press("G")
	selected("aeasley")
	term.press("s")
	term.see("· by account")
	selected("orphaned")
	term.press("G")
	selected("radia")
	term.press("s")
	term.gone("· by account")
	selected("ada@lovelace.io")
}

func TestCountersAreSorted(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	term.see("1 of 8")
	term.press("s")
	term.see("1 of 8", "problems first")
	term.until("a problem on top", func(s string) bool { return strings.Contains(row(s, "▸"), "# not a number") })
	term.press("s")
	term.see("busiest first")
	term.press("G")
	term.see("8 of 8")
	term.press("s")
	term.see("1 of 8")
	term.gone("busiest first")
}

// Where there is one order only, that is said.
func TestLocksHaveOneOrder(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("VERDICT", "● held")
	term.press("2")
	term.see("UNIQ#EMAIL#")
	term.press("s")
	term.see("Sorted by key.")
}
