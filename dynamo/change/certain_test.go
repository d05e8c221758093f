package change_test

import (
	"fmt"
	"slices"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

func (f *fixture) accountKey(t *dynamo.Table, pk string) attr.Key {
	f.t.Helper()
	key, ok := t.Schema.KeyOf(attr.Item{"PK": attr.String(pk), "SK": attr.String("PROFILE")})
	if !ok {
		f.t.Fatal(pk)
	}
	return key
}

// A guessed layout does not delete an account, even one without a lock or without a value.
func TestAGuessDeletesNoAccount(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", append(healthy(12), row("USER#x1", "PROFILE", "email", "x1@x.io"), row("USER#x2", "PROFILE", "name", "z"))...)
	table := f.guessed("odd")
	p, err := planner.DeleteAccount(t.Context(), table, f.accountKey(table, "USER#x2"))
	f.refused(plan.ByHand, p, err)
	for _, id := range []string{"USER#x1", "USER#1"} {
		p, err := planner.DeleteAccount(t.Context(), table, f.accountKey(table, id))
		if err != nil {
			t.Fatal(id, err)
		}
		if r := f.changer.Apply(t.Context(), p, nil); p.Live.Unsure == nil || r.Outcome != journal.Refused {
			t.Errorf("%s: %v, %s", id, p.Live.Unsure, r.Outcome)
		}
	}
}

// The owner attribute of the config names another account than the holder of the value: the lock stays, even with
// nowhere_else.
func TestAnOwnerThatIsNoHolderFreesNothing(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 20 {
		id, v := fmt.Sprint(n), fmt.Sprintf("u%d@x.io", n)
		f.put("odd", row("USER#"+id, "PROFILE", "email", v), row("EMAIL#"+v, "LOCK", "invitedBy", fmt.Sprint((n+1)%20)))
	}
	table := f.described(emails(func(c *config.Constraint) { c.Owner, c.NowhereElse = "invitedBy", true }),
		func(o *dynamo.Options) { o.AutoReadUnits = 1 })
	for n := range 20 {
		f.keeps(table, "email", fmt.Sprintf("u%d@x.io", n), row(fmt.Sprintf("EMAIL#u%d@x.io", n), "LOCK"))
	}
}

// An answer about items with an id in their key does not cover items with a word in the same place.
func TestAnAnswerCoversWhatWasAsked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ asked, other item }{
		"an id and a word":    {row("ORG#7", "4711", "mail", "gone@x.io"), row("ORG#7", "BILLING", "mail", "ada@x.io")},
		"one id and two":      {row("USER#1", "v#1", "mail", "gone@x.io"), row("USER#1", "v#1#7", "mail", "ada@x.io")},
		"a number and a name": {row("USER#1", "SETTING#42", "value", "gone@x.io"), row("USER#1", "SETTING#backup", "value", "ada@x.io")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("odd")
			f.put("odd", append(healthy(4), row("EMAIL#ada@x.io", "LOCK"), row("EMAIL#gone@x.io", "LOCK"), tc.asked, tc.other)...)
			table := f.described(emails())
			var asked []*finding.Question
			for _, one := range f.checkedAnyhow(table) {
				if one.Value == "gone@x.io" && one.Question != nil {
					asked = append(asked, one.Question)
				}
			}
			if len(asked) != 1 {
				t.Fatalf("%d questions", len(asked))
			}
			_, con := table.Layout.Constraint("email")
			place := layout.Place{Table: asked[0].Table, Items: asked[0].Items, Attribute: asked[0].Attribute}
			if err := table.Answers.Answer(con, place, layout.HoldNot); err != nil {
				t.Fatal(err)
			}
			f.keeps(table, "email", "ada@x.io", row("EMAIL#ada@x.io", "LOCK"), "orphaned-lock gone@x.io")
			if f.get("odd", row("EMAIL#gone@x.io", "LOCK")) != nil {
				t.Error("what was answered is not released")
			}
		})
	}
}

// The only lock of a spelling may be the lock of another attribute of the account, so it is not replaced.
func TestALockOfAnotherAttributeIsNotReplaced(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", append(healthy(6), row("USER#x1", "PROFILE", "email", "Ada@x.io", "recoveryEmail", "ada@x.io"),
		row("EMAIL#ada@x.io", "LOCK"))...)
	f.keeps(f.described(emails()), "email", "ada@x.io", row("EMAIL#ada@x.io", "LOCK"))
}

// The config says that other items hold values, too: a change of an account does not delete the lock of such a value.
func TestAnAccountLeavesTheLocksOfHolders(t *testing.T) {
	t.Parallel()
	for name, planned := range map[string]func(*fixture, *dynamo.Table) (*plan.Plan, error){
		"delete": func(f *fixture, t *dynamo.Table) (*plan.Plan, error) {
			return planner.DeleteAccount(f.t.Context(), t, f.accountKey(t, "USER#1"))
		},
		"change": func(f *fixture, t *dynamo.Table) (*plan.Plan, error) {
			return planner.ChangeValue(f.t.Context(), t, f.value(t, "email", "u1@x.io"), "new@x.io")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("odd")
			f.put("odd", append(healthy(6), row("INVITE#7", "OPEN", "mail", "u1@x.io"))...)
			table := f.described(emails(func(c *config.Constraint) {
				c.Holders = []config.Holder{{Table: "odd", Items: "INVITE#*/OPEN", Attribute: "mail"}}
			}))
			p, err := planned(f, table)
			if err != nil {
				t.Fatal(err)
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
				t.Errorf("%s %v", r.Outcome, r.Reasons)
			}
			if f.get("odd", row("EMAIL#u1@x.io", "LOCK")) == nil {
				t.Error("the lock is gone")
			}
		})
	}
}

// A check with little memory judges in parts. No part compares all items, so no finding is confirmed.
func TestACheckInPartsConfirmsNoLockByOthers(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("digests")
	f.create("pending")
	sha := func(v string) string { return layout.Normalise([]layout.Normaliser{layout.SHA256}, v) }
	for n := range 40 {
		v := fmt.Sprintf("u%d@x.io", n)
		f.put("digests", row(fmt.Sprint("USER#", n), "PROFILE", "email", v), row("EMAIL#"+sha(v), "LOCK"))
		f.put("pending", row(fmt.Sprint("USER#", n), "PROFILE", "email", v), row("EMAIL#"+v, "LOCK", "status", "CONFIRMED"))
	}
	for n := range 3000 {
		v := fmt.Sprint("gone", n)
		f.put("digests", row("EMAIL#"+sha(v), "LOCK"))
		f.put("pending", row("EMAIL#"+v, "LOCK", "status", "PENDING"))
	}
	for _, table := range []*dynamo.Table{
		f.describedAs("digests", emails(func(c *config.Constraint) { c.Normalise = []string{"sha256"} })),
		f.describedAs("pending", emails()),
	} {
		found := make(chan finding.Finding, 4000)
		if _, err := check.Run(t.Context(), table, setting.Options{Memory: 1 << 18},
			func(one finding.Finding) { found <- one }, nil); err != nil {
			t.Fatal(err)
		}
		close(found)
		all, confirmed := 0, 0
		for one := range found {
			if all++; one.Confirmed {
				confirmed++
			}
		}
		if confirmed > 0 || all == 0 {
			t.Errorf("%s: %d of %d confirmed", table.Name, confirmed, all)
		}
	}
}

func (f *fixture) describedAs(table string, l config.Layout) *dynamo.Table {
	l.Tables = []string{table}
	return f.described(l)
}

// After a whole reading, a release by owner requires the absence of every attribute that any held lock has.
func TestADeleteNamesTheAttributesOfAllLocks(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 400 {
		id, v := fmt.Sprint(n), fmt.Sprintf("u%d@x.io", n)
		lock := row("EMAIL#"+v, "LOCK", "userId", id)
		if n == 317 {
			lock["confirmedAt"] = str("2020-01-01T00:00:00Z")
		}
		f.put("odd", row("USER#"+id, "PROFILE", "email", v), lock)
	}
	f.put("odd", row("EMAIL#ada@x.io", "LOCK", "userId", "x1"))
	p, err := f.plan(f.described(emails(func(c *config.Constraint) { c.Owner = "userId" })), "email", "ada@x.io")
	if err != nil {
		t.Fatal(err)
	}
	write := p.Steps[len(p.Steps)-1].Writes[0]
	if !lacks(write, "confirmedAt") {
		t.Errorf("%+v", write.If)
	}
}

// A person has accepted the meaning of a counter's number, but not the place of its ids: a repair does not raise the
// counter by these ids.
func TestAMendRaisesNoCounterByGuessedIDs(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	counter := row("COUNTER#order", "COUNTER")
	counter["value"] = num("40")
	f.put("odd", counter)
	for n := 1; n <= 60; n++ {
		order := row(fmt.Sprint("ORDER#", n), "META", "total", "7")
		order["orderId"] = num(fmt.Sprint(n))
		f.put("odd", order)
	}
	table := f.open("odd", func(o *dynamo.Options) {
		o.Layouts, o.Asked, o.Answers = nil, true, t.TempDir()+"/answers.jsonl"
	})
	for _, c := range table.Layout.Counters {
		c.State = layout.Guessed
	}
	table, err := dynamo.AcceptCounter(t.Context(), table, table.Layout.Counters[0])
	if err != nil {
		t.Fatal(err)
	}
	found := f.checkedAnyhow(table)
	if _, left := f.mend(table, found...); !slices.Equal(left, []string{"counter-behind ByHand"}) {
		t.Errorf("%v of %d", left, len(found))
	}
}

// lacks reports whether an action requires that its item lacks an attribute.
func lacks(w client.Write, attribute string) bool {
	return slices.ContainsFunc(w.If, func(t client.Term) bool { return t.Attribute() == attribute && !t.Value.Exists() })
}
