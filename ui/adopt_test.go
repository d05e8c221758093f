package ui_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// withPeople makes and opens a table of people without locks. Their e-mails are to be unique, and two people share one.
func (s *setup) withPeople(t *testing.T) {
	t.Helper()
	var items []sdk.Item
	for n := range 12 {
		mail := fmt.Sprintf("p%d@x.io", n%11)
		items = append(items, sdk.Item{
			"PK": sdk.S(fmt.Sprintf("ACCT#%02d", n)), "SK": sdk.S("PROFILE"), "email": sdk.S(mail),
			"createdAt": sdk.S(fmt.Sprintf("2024-03-%02dT10:00:00Z", n+1)),
		})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("people", "PK:S", "SK:S"), items...); err != nil {
		t.Fatal(err)
	}
	s.connect(t, func(o *dynamo.Options) {
		o.Layouts = append(o.Layouts, config.Layout{Name: "people", Tables: []string{"people"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{
				{Name: "email", Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "owner"},
			},
		}}})
	})
	s.options.Table = "people"
}

// The screen of an adoption opens from a constraint of the layout, runs the survey, and says what comes next.
func TestAdoptOpensFromTheLayout(t *testing.T) {
	s := onDemo(t)
	s.withPeople(t)
	term := s.run(t)
	term.see("people")
	term.press("L")
	term.see("› layout", "CONSTRAINT email")
	term.press("jjU")
	term.see("adopt email", "not done", "next: survey")
	term.press("<enter>")
	term.pictures("next: writers", "12 values, 10 locks to put, 1 problem")
}
