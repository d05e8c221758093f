package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// unchecked joins the NotChecked entries of a summary, a line each.
func unchecked(s finding.Summary) string {
	var lines []string
	for _, n := range s.NotChecked {
		line := n.Said()
		if n.Required {
			line += " (required)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// A summary names each constraint with its locks and accounts, and each counter with its ids.
func TestASummaryNamesWhatWasChecked(t *testing.T) {
	f := start(t)
	f.create("shop", "PK:S", "SK:S", user("1", "a@x"), mail("a@x"), user("2", "b@x"), mail("b@x"),
		doc{"PK": str("SEQ"), "SK": str("order"), "n": num("7")}, doc{"PK": str("ORDER#3"), "SK": str("META")})
	l := users()
	l.Counters = []config.Counter{
		{Name: "order", PK: "SEQ", SK: "order", Attribute: "n", IDs: []config.IDs{{PK: "ORDER#{number}", SK: "META"}}},
	}
	table := f.described("shop", l)
	_, sum := f.run(table, setting.Options{})
	if len(sum.Checked) != 2 || sum.LayoutState != layout.Described || sum.Outcome() != finding.Nothing {
		t.Fatalf("%+v", sum)
	}
	email, order := sum.Checked[0], sum.Checked[1]
	if email.Constraint != "email" || *email.Locks != 2 || *email.Accounts != 2 || email.State != layout.Described {
		t.Errorf("%+v", email)
	}
	if order.Counter != "order" || !slices.Equal(order.IDs, []string{"ORDER#{number} / META"}) {
		t.Errorf("%+v", order)
	}
	if said := unchecked(sum); said != "" {
		t.Error(said)
	}
	_, sum = f.run(table, setting.Options{Only: []finding.Kind{finding.OrphanedLock}})
	if said := unchecked(sum); said != "counter order: --only does not name it" || sum.Outcome() != finding.Nothing {
		t.Errorf("%v, %s", sum.Outcome(), said)
	}
	_, sum = f.run(table, setting.Options{Only: []finding.Kind{finding.DriftedKey}})
	if said := unchecked(sum); !strings.Contains(said, "finding drifted-key: the layout has no derived keys (required)") || sum.Outcome() == finding.Nothing {
		t.Errorf("%v, %s", sum.Outcome(), said)
	}
	table.Layout.SetState(layout.Guessed)
	if _, sum = f.run(table, setting.Options{}); sum.Outcome() != finding.Guess || sum.LayoutState != layout.Guessed || sum.Checked[0].State != layout.Guessed {
		t.Errorf("%+v", sum)
	}
}

// The reading finds a counter outside the sample and locks of an undescribed kind, and the summary lists them.
func TestUnknownItemsAreListed(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 4000 {
		email := fmt.Sprintf("user%d@x.io", n)
		items = append(items, user(fmt.Sprint("a", n), email), mail(email))
	}
	for n := range 60 {
		items = append(items, doc{"PK": str(fmt.Sprintf("ORDER#%d", n+1)), "SK": str("META"), "total": num("12")})
	}
	for _, name := range []string{"ada", "bob", "cleo", "dan"} {
		items = append(items, doc{"PK": str("UNIQ#HANDLE#" + name), "SK": str("LOCK")})
	}
	items = append(items, doc{"PK": str("COUNTER#order"), "SK": str("COUNTER"), "value": num("40")},
		doc{"PK": str("UNIQ#PHONE#+4917"), "SK": str("LOCK")}, doc{"PK": str("UNIQ#PHONE#+4918"), "SK": str("LOCK")})
	f.create("big", "PK:S", "SK:S", items...)
	l := users()
	table := f.described("big", l)
	_, sum := f.run(table, setting.Options{})
	said := unchecked(sum)
	for _, want := range []string{
		"item COUNTER#order / COUNTER: items that look like counters", "items UNIQ#PHONE#* / LOCK, UNIQ#HANDLE#* / LOCK: items that look like locks",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	if strings.Contains(said, "ORDER#*") || sum.Outcome() != finding.Nothing {
		t.Errorf("%v: %s", sum.Outcome(), said)
	}
	l.Ignore = []string{"COUNTER#order / COUNTER", "PHONE", "COUNTER", "UNIQ#HANDLE#* / LOCK"}
	if _, sum = f.run(f.described("big", l), setting.Options{}); unchecked(sum) != "" {
		t.Error(unchecked(sum))
	}
	table.Layout.SetState(layout.Guessed)
	if _, sum = f.run(table, setting.Options{}); sum.Outcome() != finding.Guess || !strings.Contains(unchecked(sum), "COUNTER#order") {
		t.Errorf("%v, %s", sum.Outcome(), unchecked(sum))
	}
}

// The summary names tables that the check did not search for locks of the checked table.
func TestTablesThatWereNotLookedAtAreNamed(t *testing.T) {
	f := start(t)
	var members, emails []doc
	for n := range 150 {
		email := fmt.Sprintf("m%d@x.io", n)
		members = append(members, doc{"id": str(fmt.Sprint("m", n)), "email": str(email), "name": str(fmt.Sprint("N", n))})
		emails = append(emails, doc{"email": str(email), "memberId": str(fmt.Sprint("m", n))})
	}
	f.create("crew", "id:S", "", append(members, doc{"id": str("counter"), "n": num("3")})...)
	for _, name := range []string{"alpha", "beta", "gamma", "delta", "zeta_emails", "zulu"} {
		f.create(name, "email:S", "", emails[:1]...)
	}
	table := f.guessed("crew")
	_, sum := f.run(table, setting.Options{})
	t.Logf("%s\n%+v", config.Of(table.Layout).TOML(), sum.Checked)
	if said := unchecked(sum); !strings.Contains(said, "not searched for locks or ids of") || sum.Outcome() != finding.Guess {
		t.Errorf("%v: %s", sum.Outcome(), said)
	}
}
