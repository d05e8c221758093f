package corpus_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/example"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
	"tallylock/internal/testrun"
)

// scanned returns a table and the tables of its locks and ids as samples.
func scanned(t testing.TB, table *dynamo.Table) (all []guess.Sample) {
	t.Helper()
	for _, name := range table.Tables() {
		s := guess.Sample{Name: name, Schema: table.SchemaOf(name), Whole: true}
		page, err := table.Connection().Reader().Scan(t.Context(), name, client.PageInput{Limit: 10_000})
		if err != nil || page.Last != nil {
			t.Fatal(err, page.Last)
		}
		s.Items = page.Items
		all = append(all, s)
	}
	return all
}

// openedTables lists the tables of the demo and of package fixture that have locks or counters with ids.
func openedTables(t testing.TB) (all []*dynamo.Table) {
	t.Helper()
	f := fixture.New(t)
	for _, name := range []string{"accounts", "members", "donation-data"} {
		all = append(all, f.Open(name))
	}
	f.Signups()
	return append(all, f.Players(), f.TwoForms(), f.Open("signups", fixture.Reserving("owner")),
		f.Open("town", fixture.Described(f.Town("town", 30))))
}

// Any healthy pair of a fixture is enough: the derived layout judges the table like the fixture's own layout, or the
// program asks for the line that differs.
func TestTaughtTables(t *testing.T) {
	for _, table := range openedTables(t) {
		t.Run(table.Name, func(t *testing.T) {
			c := config.Of(table.Layout, table.Name)
			c.Name = table.Name
			teach(t, c, scanned(t, table)...).check(t, testrun.Long())
		})
	}
}

// A check with a derived layout has the same findings as a check with the described layout.
func TestTaughtTableIsChecked(t *testing.T) {
	for _, table := range openedTables(t)[:2] {
		c := config.Of(table.Layout, table.Name)
		w := teach(t, c, scanned(t, table)...)
		var l example.Lesson
		for _, con := range w.described.Layout.Constraints() {
			l = l.WithPair(w.pairs[con][0])
		}
		taught, err := dynamo.Teach(t.Context(), table, l)
		if err != nil {
			t.Fatal(err)
		}
		if state := taught.Table.Layout.State(); state.Sure() {
			t.Error("a derived layout is more than a guess")
		}
		for _, con := range taught.Table.Layout.Constraints() {
			if fit := taught.Table.Fit.Of(con); fit.Why() != "" && fit.Locked == 0 {
				t.Errorf("%s: %s", con.Name, fit.Why())
			}
		}
		// The findings are the same, although a guessed layout confirms none of them.
		want, got := foundIn(t, table), foundIn(t, taught.Table)
		if !slices.Equal(want, got) {
			t.Errorf("%s: got\n%s\nwant\n%s", table.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func foundIn(t *testing.T, table *dynamo.Table) (all []string) {
	t.Helper()
	found, _, err := findings(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		all = append(all, fmt.Sprint(f.Kind, " ", f.Constraint, " ", f.Subject()))
	}
	slices.Sort(all)
	return all
}

// TestTaughtFixturesOfLibraries is TestTaughtTables for the fixtures in the folder that TALLYLOCK_FIXTURES names. Here,
// the recognised layout takes the place of the described one.
func TestTaughtFixturesOfLibraries(t *testing.T) {
	folder := os.Getenv("TALLYLOCK_FIXTURES")
	if folder == "" {
		t.Skip("TALLYLOCK_FIXTURES names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d fixtures in %s: %v", len(files), folder, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var f fixtureFile
			if err := json.Unmarshal(text, &f); err != nil {
				t.Fatal(err)
			}
			w := f.world()
			table, err := w.opened(t, w.engine(t))
			if err != nil {
				t.Fatal(err)
			}
			if table.Layout.Empty() {
				return
			}
			c := config.Of(table.Layout, table.Name)
			c.Name = table.Name
			teach(t, c, scanned(t, table)...).check(t, testrun.Long())
		})
	}
}

// A healthy pair of a large table is enough, even if the sample has neither the account nor its lock. The program then
// reads the locks of a few sampled accounts.
func TestTaughtLargeTables(t *testing.T) {
	if !testrun.Long() {
		t.Skip("the tables are large")
	}
	for _, g := range append(slices.Clone(recognised), group{"sampled", sampled}) {
		for _, f := range g.families {
			account, ok := described[f.name]
			if !ok || f.count <= 1000 {
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				world := f.build()
				l := config.Layout{Name: "ours", Tables: []string{world.tables[0].name()}, Accounts: []config.Account{account}}
				w := teach(t, l, world.samples(t)...)
				table, err := world.opened(t, world.engine(t))
				if err != nil {
					t.Fatal(err)
				}
				w.table = table
				w.check(t, false)
			})
		}
	}
}
