package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/testrun"
)

// shop makes a table with accounts of two kinds. Each account has the lock of its e-mail address.
func (f *fixture) shop(accounts int) {
	f.t.Helper()
	f.create("odd")
	lock := func(v, owner string) item { return row("UNIQ#EMAIL#"+v, "LOCK", "userId", owner) }
	var items []item
	for n := range accounts {
		id, v := fmt.Sprint(n), fmt.Sprintf("u%d@x.io", n)
		org := fmt.Sprintf("o%d@x.io", n)
		items = append(items, row("ACCT#"+id, "PROFILE", "type", "account", "email", v, "name", "A "+id), lock(v, id),
			row("ORG#"+id, "PROFILE", "type", "org", "email", org), lock(org, id))
	}
	f.put("odd", items...)
}

func shopLayout(owner string) config.Layout {
	kind := func(word, name string) config.Account {
		return config.Account{
			PK: word + "#{id}", SK: "PROFILE", Is: &config.Discriminator{Attribute: "type", Value: name},
			Constraints: []config.Constraint{{Name: "email-" + name, Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: owner}},
		}
	}
	return config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{kind("ACCT", "account"), kind("ORG", "org")}}
}

// One word of the layout is wrong: no release and no repair deletes the lock of a value that somebody holds, whether
// locks name their owners or not.
func TestOneWrongWordFreesNothing(t *testing.T) {
	t.Parallel()
	for what, mistake := range map[string]func(*config.Layout, *config.Account, *config.Constraint){
		"the sort key of accounts": func(_ *config.Layout, a *config.Account, _ *config.Constraint) { a.SK = "PROFIL" },
		"the word of accounts":     func(_ *config.Layout, a *config.Account, _ *config.Constraint) { a.PK = "ACCOUNT#{id}" },
		"the case of an attribute": func(_ *config.Layout, _ *config.Account, c *config.Constraint) { c.Attribute = "Email" },
		"the attribute":            func(_ *config.Layout, _ *config.Account, c *config.Constraint) { c.Attribute = "name" },
		"the value of is":          func(_ *config.Layout, a *config.Account, _ *config.Constraint) { a.Is.Value = "user" },
		"the normaliser": func(_ *config.Layout, _ *config.Account, c *config.Constraint) {
			c.Normalise = []string{"sha256"}
		},
		"the owner": func(_ *config.Layout, _ *config.Account, c *config.Constraint) { c.Owner = "owner" },
		"a kind that was forgotten": func(l *config.Layout, _ *config.Account, _ *config.Constraint) {
			l.Accounts = l.Accounts[1:]
		},
	} {
		for _, owner := range []string{"", "userId"} {
			for _, accounts := range []int{30, 2}[:testrun.Runs(2, 1)] {
				{
					t.Run(fmt.Sprint(what, "/", owner, "/", accounts), func(t *testing.T) {
						f := start(t)
						f.shop(accounts)
						l := shopLayout(owner)
						mistake(&l, &l.Accounts[0], &l.Accounts[0].Constraints[0])
						table := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })
						for n := range 2 {
							for _, c := range table.Layout.Constraints() {
								if p, err := f.plan(table, c.Name, fmt.Sprintf("u%d@x.io", n)); err == nil {
									if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
										t.Errorf("%s: %s", p, r.Outcome)
									}
								}
							}
						}
						var sure []finding.Finding
						for _, one := range f.checkedAnyhow(table) {
							if one.Confirmed {
								sure = append(sure, one)
							}
						}
						for _, one := range sure { // no confirmed finding may claim that nobody uses a lock
							if one.Kind.OnAbsence() {
								t.Errorf("confirmed: %v", kinds(sure))
							}
						}
						f.mend(table, sure...)
						for n := range accounts {
							if f.get("odd", emailLock(fmt.Sprintf("u%d@x.io", n))) == nil {
								t.Fatalf("the lock of u%d is gone", n)
							}
						}
					})
				}
			}
		}
	}
}

// checkedAnyhow returns the findings of a check; none if the check refuses the layout.
func (f *fixture) checkedAnyhow(t *dynamo.Table) (found []finding.Finding) {
	f.t.Helper()
	all := make(chan finding.Finding, 10_000)
	if _, err := check.Run(f.t.Context(), t, setting.Options{}, func(one finding.Finding) { all <- one }, nil); err != nil && client.KindOf(err) != client.NoLayout {
		f.t.Fatal(err)
	}
	close(all)
	for one := range all {
		found = append(found, one)
	}
	return found
}

// Orders repeat the addresses of accounts. If the guessed layout is used as a layout of the config, no lock of a held
// value is released, and no finding is confirmed.
func TestAnInferredLayoutBesideOrders(t *testing.T) {
	t.Parallel()
	for _, orders := range []int{14, 60} {
		f := start(t)
		f.create("odd")
		var rows []item
		for n := range 14 {
			v := fmt.Sprintf("u%d@x.io", n)
			rows = append(rows, row(fmt.Sprint("USER#", n), "META", "email", v), emailLock(v))
		}
		for n := range orders {
			rows = append(rows, row(fmt.Sprint("ORDER#", n), "META", "email", fmt.Sprintf("u%d@x.io", n%14)))
		}
		f.put("odd", rows...)
		l := f.open("odd").Layout
		if l.Empty() {
			continue
		}
		described := config.Of(l)
		described.Tables = []string{"odd"}
		table := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{described} })
		for n := range 14 {
			for _, c := range table.Layout.Constraints() {
				if p, err := f.plan(table, c.Name, fmt.Sprintf("u%d@x.io", n)); err == nil {
					f.changer.Apply(t.Context(), p, nil)
				}
			}
			if f.get("odd", emailLock(fmt.Sprintf("u%d@x.io", n))) == nil {
				t.Fatalf("the lock of u%d is gone", n)
			}
		}
		for _, one := range f.checkedAnyhow(table) {
			if one.Confirmed {
				t.Errorf("%d orders: confirmed %s of %s", orders, one.Kind, one.Value)
			}
		}
	}
}

// The keys of the locks begin with UNIQ#USERNAME#. The layout says UNIQ#HANDLE#, and only a few locks have this key.
// The layout is trusted, and nothing is deleted, but a hint shows the line that fits better.
func TestLocksOfAnotherWord(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	var rows []item
	for n := range 42 {
		v := fmt.Sprint("u", n)
		rows = append(rows, row(fmt.Sprint("ACCT#", n), "PROFILE", "username", v), row("UNIQ#USERNAME#"+v, "LOCK"))
	}
	f.put("odd", rows...)
	for n := range 3 {
		f.put("odd", handle(fmt.Sprint("u", n)))
	}
	table := f.open("odd", configured(config.Constraint{Name: "username", Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}))
	if better := table.Fit.All()[0].Better; !strings.Contains(better.Line, `pk = "UNIQ#USERNAME#{v}"`) {
		t.Errorf("the hint is %q", better.Line)
	}
	if !slices.ContainsFunc(dynamo.LinesOf(table), func(l dynamo.LineEvidence) bool {
		return strings.Contains(l.Text, `a hint: pk = "UNIQ#USERNAME#{v}" fits 42 of 42`)
	}) {
		t.Errorf("the layout does not hint: %v", dynamo.LinesOf(table))
	}
	for _, one := range f.checkedAnyhow(table) {
		if one.Kind != finding.MissingLock {
			t.Errorf("found %s of %s", one.Kind, one.Value)
		}
	}
	a, err := find.Find(t.Context(), table, "u7", find.Options{})
	if err != nil || len(a.Locks) == 0 || a.Locks[0].Verdict != verdict.Missing {
		t.Errorf("%+v, %v", a, err)
	}
}
