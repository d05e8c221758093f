package change_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// configFile is a config file that somebody edits while a table is open.
type configFile struct {
	mu      sync.Mutex
	layouts []config.Layout
	err     error // the error of reading the file
}

func (c *configFile) read() ([]config.Layout, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.layouts, c.err
}

// edit changes the layout in the file.
func (c *configFile) edit(change func(*config.Layout)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.layouts = slices.Clone(c.layouts)
	l := &c.layouts[0]
	l.Accounts = slices.Clone(l.Accounts)
	l.Accounts[0].Constraints = slices.Clone(l.Accounts[0].Constraints)
	change(l)
}

func (c *configFile) unreadable(*config.Layout) { c.err = errors.New("line 3: the text has no end") }

func holds(l *config.Layout) {
	l.Accounts[0].Constraints[0].Holders = []config.Holder{{Table: "odd", Items: "ORDER#*/META", Attribute: "buyer"}}
}

// edited returns edits by name. No plan may be applied after one of these edits.
func (c *configFile) edited() map[string]func(*config.Layout) {
	return map[string]func(*config.Layout){
		"an answer": holds,
		"a key":     func(l *config.Layout) { l.Accounts[0].Constraints[0].PK = "MAIL#{v}" },
		"another counter": func(l *config.Layout) {
			l.Counters = []config.Counter{{PK: "COUNTER", Attribute: "n", Semantics: "last"}}
		},
		"no layout any more":   func(l *config.Layout) { l.Tables = []string{"another"} },
		"it cannot be read":    c.unreadable,
		"its tables are moved": func(l *config.Layout) { l.Accounts[0].Constraints[0].AlsoIn = &[]string{"shops"} },
	}
}

// byConfig opens a table with a config that can be edited.
func (f *fixture) byConfig(c *configFile) *dynamo.Table {
	f.t.Helper()
	c.layouts = []config.Layout{emails()}
	return f.open("odd", func(o *dynamo.Options) { o.Layouts, o.ReadLayouts = c.layouts, c.read })
}

// withGone makes a table with locks that no account uses.
func withGone(t *testing.T, n int) *fixture {
	f := start(t)
	f.create("odd")
	f.put("odd", healthy(12)...)
	for n := range n {
		f.put("odd", row(fmt.Sprintf("EMAIL#gone%d@x.io", n), "LOCK"))
	}
	return f
}

// The config changes after the first of several deletions: the other locks stay, without a mark.
func TestAnEditOfTheConfigStopsTheRestOfARun(t *testing.T) {
	t.Parallel()
	for name := range new(configFile).edited() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, c := withGone(t, 3), &configFile{}
			table := f.byConfig(c)
			var plans []*plan.Plan
			for n := range 3 {
				plans = append(plans, f.mustPlan(table, "email", fmt.Sprintf("gone%d@x.io", n)))
			}
			f.after = func(operation string, body []byte) error {
				if operation == "TransactWriteItems" && bytes.Contains(body, []byte(`"Delete"`)) {
					f.after = nil
					c.edit(c.edited()[name])
				}
				return nil
			}
			for n, r := range f.changer.ApplyAll(t.Context(), plans, nil) {
				left := f.get("odd", row(fmt.Sprintf("EMAIL#gone%d@x.io", n), "LOCK"))
				kept := left != nil && left[schema.MarkAttribute] == nil
				if kept != (n > 0) || kept != (r.Outcome == journal.Refused && codes(r.Reasons) == plan.Changed) {
					t.Errorf("%d: %s %v %v; the lock is %v", n, r.Outcome, r.Reasons, r.Err, left)
				}
			}
		})
	}
}

// If the config changes before a plan is applied, nothing is sent. Nothing more can be planned until the table is
// opened again.
func TestAPlanRestsOnTheConfig(t *testing.T) {
	t.Parallel()
	for name := range new(configFile).edited() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, c := withGone(t, 1), &configFile{}
			table := f.byConfig(c)
			key, _ := table.Schema.KeyOf(attr.Item{"PK": attr.String("USER#3"), "SK": attr.String("PROFILE")})
			account, err := planner.DeleteAccount(t.Context(), table, key)
			if err != nil {
				t.Fatal(err)
			}
			release := f.mustPlan(table, "email", "gone0@x.io")
			c.edit(c.edited()[name])
			for _, p := range []*plan.Plan{account, release} {
				writes := f.writes()
				if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || codes(r.Reasons) != plan.Changed || f.writes() != writes {
					t.Errorf("%s: %s %v %v, %d writes", p, r.Outcome, r.Reasons, r.Err, f.writes()-writes)
				}
			}
			_, err = f.plan(table, "email", "gone0@x.io")
			if want := "open the table again"; c.err == nil && (client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), want)) {
				t.Errorf("planned again: %v; want %q", err, want)
			}
			if c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("planned again: %v", err)
			}
		})
	}
}

// A table that is opened again has the layout of the changed config.
func TestATableThatIsOpenedAgainGoesByTheNewConfig(t *testing.T) {
	t.Parallel()
	f, c := withGone(t, 1), &configFile{}
	f.put("odd", row("ORDER#1", "META", "buyer", "gone0@x.io"))
	table := f.byConfig(c)
	c.edit(holds)
	again, err := table.Connection().Open(t.Context(), "odd")
	if err != nil {
		t.Fatal(err)
	}
	if holders, _, _ := again.Layout.Constraints()[0].Answers.All(); len(holders) != 1 {
		t.Errorf("the holders are %v", holders)
	}
	p, err := f.plan(again, "email", "gone0@x.io")
	f.refused(plan.Held, p, err)
}

// Edits of other settings do not stop a plan.
func TestAnEditOfSomethingElseRefusesNothing(t *testing.T) {
	t.Parallel()
	f, c := withGone(t, 1), &configFile{}
	p := f.mustPlan(f.byConfig(c), "email", "gone0@x.io")
	c.edit(func(l *config.Layout) {
		l.Name, l.Ignore, l.Tables = "renamed", []string{"phone"}, append(l.Tables, "another")
		// A new comment has moved the layout.
		l.Locate(func(string) layout.Origin { return layout.Origin{File: "config.toml", Line: 7} })
	})
	c.layouts = append(c.layouts, config.Layout{Name: "other", Tables: []string{"accounts"}})
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
		t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
}
