package ui_test

import "testing"

// On the heading of a group, a key for rows says what to select, and how to mark all rows.
func TestHeadingsSayWhatToSelect(t *testing.T) {
	s := onServices(t)
	term := s.run(t)
	term.see("confirmed")
	says := func(keys, want string) {
		t.Helper()
		term.press(keys)
		term.see(want)
	}

	term.press("2")
	term.see("▸ ▾ UNIQ#EMAIL#")
	says("r", "Select a lock, or mark all with space.")
	for _, key := range []string{"m", "e", "D", "o", "y", "c", "C"} {
		says("j", "email \"") // the value of the lock below the heading
		term.press("k")
		says(key, "Select a lock.")
	}
	term.press("?")
	term.see("r        release         select a lock, or mark all with space", "D        delete account  select a lock  ")
	term.press("<esc>V")
	term.see("Mark a row first: space.")

	term.press("4")
	term.see("orphaned-lock", "✓ confirmed", "whole table")
	term.press("gg")
	says("m", "Select a finding, or mark all with space.")
	says("r", "Select a finding.")
	says("y", "Select a finding.")

	term.press("3")
	term.see("▸ ", "order_id")
	term.press("A")
	term.see("support")
	term.press("g")
	says("+", "Select a counter.")
	says("y", "Select a counter.")
}

// On a row of an answer without an account and a lock, the keys say what is missing. They do not say that no row is
// selected.
func TestRowsWithNeitherSayWhyNothingIsDone(t *testing.T) {
	term := drawn(t).run(t)
	term.see("confirmed")
	term.press("/nobody-has-this<enter>")
	term.see("□ free", "▸ username")
	for key, why := range map[string]string{
		"r": "There is no lock to release.",
		"m": "The value is free, so there is nothing to repair.",
		"e": `No account holds "nobody-has-this".`,
		"D": `No account holds "nobody-has-this".`,
	} {
		term.press(key)
		term.see(why)
	}
}

// On an item of a table without a layout, the keys say that the layout is missing. They do not say that no item is
// selected.
func TestItemsAsTheyAreSayWhyNothingIsDone(t *testing.T) {
	s := drawn(t)
	s.withSessions(t)
	term := s.run(t)
	term.see("! no layout", "1 of 30")
	for _, key := range []string{"r", "m", "e", "D", "<space>", "V"} {
		term.press(key)
		term.see("Without a layout, no lock is recognised.")
	}
}
