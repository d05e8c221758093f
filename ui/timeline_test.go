package ui_test

import "testing"

// The timeline of a value begins without dates, and has the receipt after a release. Esc goes back to the answer.
func TestThePastOfAValue(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/alan<enter>")
	term.see("t see the past")
	term.press("t")
	term.see("username alan, its past", "No dates: the items have no times", "tallylock explain alan --export DIR")
	term.press("<esc>")
	term.see("t see the past")
	term.press("r")
	term.see("No, leave it", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see(`The username "alan" is free.`)
	term.press("t")
	term.see("A release marked the lock.", "The lock was deleted.", "journal, by sam", "The lock does not exist.", "1 of 3")
	term.press("y")
	term.see("Copied this timeline")
	term.press("<ctrl+r>")
	term.see("1 of 3", "read now")
	term.press("<esc>")
	term.see(`The username "alan" is free.`)
}
