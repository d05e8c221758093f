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
	term.see("aws sso login", "● held")
	term.press("3")
	term.see("aws sso login", "try again")
	term.press("/")
	f.set(func(f *faults) { f.expired = false })
	term.press("<esc>1<ctrl+r>")
	term.see("confirmed")
	term.press("3")
	term.see("order_id")
	term.gone("aws sso login")
}

// Opened without a log-in, a table is opened again after it.
func TestALogInThatIsMissing(t *testing.T) {
	f := &faults{expired: true}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("! expired", "The credentials have expired.", "aws sso login", "ctrl+r try again")
	f.set(func(f *faults) { f.expired = false })
	term.press("<ctrl+r>")
	term.see("● held", "confirmed")
}
