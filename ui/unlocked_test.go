package ui_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout/config"
)

// withoutLocks describes the demo's accounts with a constraint for e-mails that has no locks.
func withoutLocks(o *dynamo.Options) {
	o.Layouts = []config.Layout{{Name: "bare", Tables: []string{demo.Table}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "email", Unique: true}},
	}}}}
}

// For a table without locks, find and the check work, and no text mentions a lock of the value.
func TestATableWithoutLocks(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 140} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := onDemo(t, withoutLocks)
			s.w, s.h = width, 40
			term := s.run(t)
			term.see("ACCOUNT", "none by design", "in use", "whole table")
			term.press("r")
			term.see("keep the email unique: there is nothing to release")
			term.press("m")
			term.see("keep the email unique, so there is nothing to repair")
			term.press("e")
			term.see("keep the email unique: only the application")
			term.press("y")
			term.see("Copied")
			term.press("<enter>")
			term.see("ATTRIBUTE", "consistent", "in use")
			term.press("jjo")
			term.see("keep the email unique.")
			term.press("e")
			term.see("keep the email unique: only the application")
			term.press("<esc>n<enter>")
			term.see("ATTRIBUTE", "consistent", "= duplicate")
			term.press("<esc>")
			term.see("2 accounts hold the email", "= duplicate")
			term.press("m")
			term.see(`ho keeps "margaret`)
			term.press("/margaret.hamilton@draper.test<enter>")
			term.see(`2 accounts hold the email "margaret.hamilton@draper.test".`, "= duplicate", "decide who keeps it")
			term.press("/<ctrl+u>nobody@x.io<enter>")
			term.see(`No account holds the email "nobody@x.io".`, "□ free", "All accounts were read once:")
			term.press("<esc>4")
			term.see("Check")
			term.press("<enter>")
			term.see("duplicate", "margaret.hamilton@draper.test", "2 accounts")
			term.press("jm")
			term.see("Decide who keeps it, then change")
		})
	}
}
