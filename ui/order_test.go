package ui_test

import (
	"strings"
	"testing"
)

// The accounts have three orders: as they were read, problems first, and by account. After sorting, the cursor is on
// the first row.
func TestAccountsAreSorted(t *testing.T) {
	term := drawn(t).run(t)
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
	term := drawn(t).run(t)
	term.see("VERDICT", "● held")
	term.press("3g")
	at := strings.Fields(row(term.see("1 of 8", "order_id"), "▸"))[1]
	sorted := func(words, top string) string {
		t.Helper()
		term.press("s")
		frame := term.see(words)
		list := strings.Split(frame, "\n")[4:]
		if !strings.Contains(list[0], top) {
			t.Errorf("%s, %q is not on top:\n%s", words, top, frame)
		}
		if !strings.HasPrefix(strings.TrimSpace(row(frame, "▸")), "▸ "+at) {
			t.Errorf("%s, the cursor left %s:\n%s", words, at, frame)
		}
		return frame
	}
	sorted("problems first", "# not a number")
	sorted("busiest first", "")
	if frame := sorted("least room first", "us-east-1"); !strings.Contains(frame, "RUNS OUT") || strings.Contains(frame, "STORES") {
		t.Errorf("a narrow list in the order of the room does not show it:\n%s", frame)
	}
	term.press("s")
	term.gone("least room first")
}

// If a list has only one order, the key for sorting says so.
func TestLocksHaveOneOrder(t *testing.T) {
	term := drawn(t).run(t)
	term.see("VERDICT", "● held")
	term.press("2")
	term.see("UNIQ#EMAIL#")
	term.press("s")
	term.see("Sorted by key.")
}
