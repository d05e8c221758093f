package check_test

import (
	"fmt"
	"testing"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
)

// scans counts the pages that a check has scanned.
func (w *world) scans() (n int) {
	for _, q := range w.asked {
		if q.operation == "Scan" {
			n++
		}
	}
	return n
}

// A guess finds the same problems as a described layout, reads each page once, and confirms nothing.
func TestAGuessReadsOnceAndConfirmsNothing(t *testing.T) {
	for _, owned := range []bool{false, true} {
		w := newWorld(t, 1, fault.Delays{})
		w.owned = owned
		for n := range 60 {
			w.signUp(fmt.Sprint(n), fmt.Sprint("v", n))
		}
		w.expire("3")
		w.imports("bare", "u")
		w.imports("twin", "v5")
		table := w.open(time.Microsecond)
		want, _, err := run(t.Context(), table, setting.Options{Segments: 1})
		if err != nil || len(want) != 3 {
			t.Fatal(said(want), err)
		}
		table.Layout.SetState(layout.Guessed)
		w.asked = nil
		found, sum, err := run(t.Context(), table, setting.Options{Segments: 1})
		if err != nil || !sum.Complete || sum.Confirmed || len(found) != len(want) {
			t.Fatalf("%q, %+v, %v", said(found), sum, err)
		}
		if n := w.scans(); n != 1 {
			t.Errorf("%d pages were read of a table of one page", n)
		}
		known := map[string]finding.Finding{}
		for _, one := range want {
			known[one.ID] = one
		}
		for _, one := range found {
			if was := known[one.ID]; one.Confirmed || one.ID == "" || lineOf(was)+"?" != lineOf(one) {
				t.Errorf("%s, confirmed: %s", lineOf(one), lineOf(was))
			}
		}
	}
}

// A check confirms findings of an accepted constraint. It confirms no findings of a guessed constraint, and does not
// read their items again.
func TestAGuessBesideWhatWasAccepted(t *testing.T) {
	f := start(t)
	table := f.guessed("accounts")
	_, email := table.Layout.Constraint("email")
	email.State = layout.Accepted
	found, sum := f.run(table, setting.Options{})
	f.want(found, "orphaned-lock mel@oldmail.test", "malformed-lock undefined", "duplicate-value margaret.hamilton@draper.test",
		"orphaned-lock alan?", "orphaned-lock turing?", "missing-lock hopper?")
	if !sum.Complete || sum.Confirmed {
		t.Errorf("%+v", sum)
	}
}

// If memory is too small for all items of a guess, the check says so, and invents no findings.
func TestAGuessBeyondMemory(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 400 {
		email := fmt.Sprintf("user%d@x.io", n)
		items = append(items, user(fmt.Sprint("a", n), email, doc{}), mail(email))
	}
	f.create("many", "PK:S", "SK:S", append(items, mail("nobody@x.io"))...)
	table := f.described("many", users())
	table.Layout.SetState(layout.Guessed)
	found, sum := f.run(table, setting.Options{Memory: 64 << 10})
	if sum.Complete || len(found) > 1 || sum.Why == "" {
		t.Errorf("%q, %+v", said(found), sum)
	}
}

// A guess finds duplicate values without locks and drifted keys, and confirms none of them.
func TestAGuessOfValuesWithoutLocks(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 30 {
		email := fmt.Sprintf("user%d@x.io", n)
		items = append(items, doc{"PK": str(fmt.Sprint("USER#", n)), "SK": str("PROFILE"), "email": str(email), "GSI1PK": str("USER#" + email)})
	}
	items[4]["email"], items[4]["GSI1PK"] = str("user5@x.io"), str("USER#user5@x.io")
	items[9]["GSI1PK"] = str("USER#before@x.io")
	if err := sdk.Fill(t.Context(), f.App(), sdk.Indexed(sdk.Table("auth", "PK:S", "SK:S"), "GSI1PK:S"), items...); err != nil {
		t.Fatal(err)
	}
	described := f.described("auth", config.Layout{Accounts: []config.Account{{
		PK: "USER#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{{Attribute: "email", Unique: true}},
		Derived:     []config.Derived{{Attribute: "GSI1PK", Template: "USER#{email}"}},
	}}})
	found, _ := f.run(described, setting.Options{})
	f.want(found, "duplicate-value user5@x.io", "drifted-key ")
	described.Layout.SetState(layout.Guessed)
	described.Layout.Configured = false
	found, _ = f.run(described, setting.Options{})
	f.want(found, "duplicate-value user5@x.io?", "drifted-key ?")
}
