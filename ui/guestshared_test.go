package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/session"
)

// sharing describes two tables of accounts whose locks are in one table.
func sharing(o *dynamo.Options) {
	o.Layouts = nil
	for _, table := range []string{"accounts-eu", "accounts-us"} {
		o.Layouts = append(o.Layouts, config.Layout{
			Name: table, Tables: []string{table},
			Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{
				Attribute: "email", Table: "locks", PK: "UNIQ#{v}", SK: "LOCK", AlsoIn: &[]string{},
			}}}},
		})
	}
}

// People who share only a lock table see none of each other's changes.
func TestPeopleOfOtherTablesSeeNoReceipts(t *testing.T) {
	g := onGuests(t)
	for _, table := range []string{"accounts-eu", "accounts-us"} {
		account := sdk.Item{"PK": sdk.S("ACCT#" + table), "SK": sdk.S("PROFILE"), "email": sdk.S("of@" + table)}
		if err := sdk.Fill(t.Context(), g.demo.App(), sdk.Table(table, "PK:S", "SK:S"), account); err != nil {
			t.Fatal(err)
		}
	}
	var locks []sdk.Item
	for _, v := range []string{"of@accounts-eu", "of@accounts-us", "ada@lovelace.io"} {
		locks = append(locks, sdk.Item{"PK": sdk.S("UNIQ#" + v), "SK": sdk.S("LOCK")})
	}
	if err := sdk.Fill(t.Context(), g.demo.App(), sdk.Table("locks", "PK:S", "SK:S"), locks...); err != nil {
		t.Fatal(err)
	}
	whole := g.session(t, "olga", session.Operator, sharing)
	table, err := whole.conn.Open(t.Context(), "accounts-us")
	if err != nil {
		t.Fatal(err)
	}
	rel, err := table.LockOf(t.Context(), "email", "ada@lovelace.io", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.Release(t.Context(), table, rel, false)
	if err != nil {
		t.Fatal(err)
	}
	p.Reason = "ticket 4711"
	c := g.options.Connections[0].Changer
	if r := c.For("olga", c.Journal).Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
		t.Fatalf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	for of, sees := range map[string]bool{"accounts-us": true, "accounts-eu": false} {
		g.tables = []string{of}
		s := g.session(t, "kim", session.Viewer, sharing)
		s.options.Guest.Sees = func(_, table string) bool { return s.conn.Reaches(table) }
		s.options.Table = of
		s.w, s.h = 120, 40
		term := s.run(t)
		term.see("● held")
		term.press("5")
		term.quiet()
		frame := term.screen()
		if strings.Contains(frame, "ticket 4711") != sees {
			t.Errorf("a viewer of %s, in the journal:\n%s", of, frame)
		}
		term.press("1/ada@lovelace.io<enter>")
		term.quiet()
		if frame = term.screen(); strings.Contains(frame, "ticket 4711") != sees || !strings.Contains(frame, "IN THE JOURNAL") {
			t.Errorf("a viewer of %s, in an answer:\n%s", of, frame)
		}
		term.press("t")
		term.quiet()
		if frame = term.screen(); strings.Contains(frame, "olga") != sees || !strings.Contains(frame, "its past") {
			t.Errorf("a viewer of %s, in the timeline:\n%s", of, frame)
		}
	}
}
