package ui_test

import (
	"strconv"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// reserving describes the demo's accounts. The lock of an e-mail may exist 48 hours before its account.
func reserving(o *dynamo.Options) {
	o.Layouts = []config.Layout{{Name: "ours", Tables: []string{demo.Table}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", ReservedFor: "48h", ReservedSince: "claimedAt"},
			{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"},
		},
	}}}}
}

// A reserved lock has the verdict reserved, and is no finding. It is released only alone, after a person has typed its
// value.
func TestAReservedLock(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 140} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			s := onDemo(t, reserving)
			s.put(t, demo.Table, sdk.Item{
				"PK": sdk.S("UNIQ#EMAIL#aa@x.io"), "SK": sdk.S("LOCK"), "claimedAt": sdk.S(time.Now().UTC().Format(time.RFC3339)),
			})
			s.w, s.h = width, 40
			term := s.run(t)
			term.see("accounts")
			term.press("/aa@x.io<enter>")
			term.see(`No account holds the email "aa@x.io" yet: it is reserved until`, "◌ reserved", "only the sign-up in progress can take it")
			term.press("r")
			term.see("Release a lock", "a sign-up in progress", "the value to enable Release")
			term.press("<esc>")
			term.press("<esc>4")
			term.see("✓ Checked", "orphaned-lock", "mel@oldmail.test", "? unknown") // a lock of the demo, without a time
			term.gone("aa@x.io")
		})
	}
}
