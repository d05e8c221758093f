package ui_test

import "testing"

// What is typed on a button is the reason, and is still there when the dialog was left: no
// letter of it is lost, and the keys that do something on a button go on doing it.
func TestAReasonTypedOnAButtonIsKept(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.ask("alan")
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.press("user asked")
	term.see("reason     user asked", "  No, leave it")
	term.press("<esc>")
	term.see("Nothing was changed.")
	term.press("r")
	term.see("▸ No, leave it", "reason     user asked", "price")
	term.press("v")
	term.see("TransactWriteItems")
	term.press("<esc>")
	term.see("▸ No, leave it")
	term.press("!<tab><tab><enter>")
	term.see("✓ Applied", "user asked!")
}
