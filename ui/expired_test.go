package ui_test

import "testing"

// If a log-in expires, the rows stay on the screen, which shows the command for a new log-in. After the new log-in, the
// failed tasks continue.
func TestALogInThatEndsMeanwhile(t *testing.T) {
	f := &faults{}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("VERDICT", "confirmed")
	f.set(func(f *faults) { f.expired = true })
	term.press("<ctrl+r>")
	term.see("! expired", "aws sso login", "tries again in", "until the next log-in", "LOGGED OUT", "● held")
	term.meanwhile("r")
	term.see("The credentials have expired.")
	term.meanwhile("3")
	term.see("! expired", "aws sso login", "reading starts after the next log-in")
	f.set(func(f *faults) { f.expired = false })
	term.meanwhile("<enter>")
	term.see("order_id")
	term.gone("aws sso login")
	term.gone("LOGGED OUT")
	term.press("1<ctrl+r>")
	term.see("confirmed")
}

// If there is no log-in at the start, the table opens after the log-in, without a key.
func TestALogInThatIsMissing(t *testing.T) {
	f := &faults{expired: true}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("! expired", "The credentials have expired.", "aws sso login", "enter try now")
	f.set(func(f *faults) { f.expired = false })
	term.see("● held", "confirmed")
}
