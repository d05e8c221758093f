package ui_test

import "testing"

// A log-in that ends while somebody looks takes no row away: the command that renews it is
// named, and what failed goes on once that was done.
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

// Opened without a log-in, a table is opened after it, without a key.
func TestALogInThatIsMissing(t *testing.T) {
	f := &faults{expired: true}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("! expired", "The credentials have expired.", "aws sso login", "enter try now")
	f.set(func(f *faults) { f.expired = false })
	term.see("● held", "confirmed")
}
