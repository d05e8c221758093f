package ui_test

import "testing"

// The answer says what a release would do, and afterwards what was done; it stays on
// the reading that was released.
func TestFindTellsWhatWasDone(t *testing.T) {
	s := onDemo(t)
	s.w, s.h = 140, 40
	term := s.run(t)
	term.see("confirmed")
	term.press("/alan<enter>")
	term.see("RELEASING WILL", "looks", "puts it back, if nobody has the", "The journal has no change of this lock")
	term.press("r")
	term.see("No, leave it", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see(`"alan" is free, as an email and as a username.`, "▸ username", `release username "alan"`, "✓ applied", "by sam")
	term.press("k")
	term.see("▸ email", "The journal has no change of this lock")
}

// What is asked for may be an account: then the answer is about it, and not about a
// value that nobody holds.
func TestFindAnAccount(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/ACCT#d41c07<enter>")
	term.see("● held      ACCT#d41c07 is an account, and its locks keep what it holds.", "▸ account id")
	term.press("/<ctrl+u>b77e02<enter>")
	term.see(`○ missing   ACCT#b77e02 holds the username "hopper", and no lock keeps it.`, "m mend it", "▸ account id")
	term.press("/<ctrl+u>margaret.hamilton@draper.test<enter>")
	term.see("▸ email       2 accounts ──", "= duplicate")
}

// A word that was pasted from a ticket: who holds it is told first, and in which spelling.
func TestFindAsItIsHeld(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/ Evelyn <enter>")
	term.see("● held", `holds the username "evelyn" and its lock.`, "White space around it left out; found as evelyn.", "▸ username")
}
