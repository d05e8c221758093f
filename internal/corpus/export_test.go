package corpus_test

import (
	"slices"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/scan"
	"tallylock/internal/s3"
	"tallylock/internal/testrun"
)

// For every family, a check of an export finds what a check of the tables finds. In a long run all families together
// have a million items, and with TALLYLOCK_ITEMS=1 each family has about a million.
func TestByExport(t *testing.T) {
	onTables(t, func(t *testing.T, e served, table *dynamo.Table) {
		o := setting.Options{Memory: 2 << 30} // a guessed layout needs memory for each value
		_, want := lines(t, table, o)
		dir := t.TempDir()
		for _, name := range table.Tables() {
			if err := s3.ExportTable(t.Context(), sdk.Client(e.Transport()), dir, name); err != nil {
				t.Fatal(err)
			}
		}
		export, _, err := scan.OpenExports(dir)
		if err != nil {
			t.Fatal(err)
		}
		o.Export = export
		if _, got := lines(t, table, o); !slices.Equal(got, want) {
			t.Errorf("by the export\n%q, want\n%q\n%s", got, want, tomlOf(t, table))
		}
	})
}

// onTables runs a test on the tables of each family whose layout is recognised. Another test checks whether the layouts
// are recognised.
func onTables(t *testing.T, test func(t *testing.T, e served, table *dynamo.Table)) {
	for _, g := range recognised {
		for n, f := range g.families {
			if !some(n) {
				continue
			}
			t.Run(g.name+"/"+f.name, func(t *testing.T) {
				if g.name != "attacks" { // with so many people, an attack would be recognised
					f.count = people(f)
				}
				w := f.build()
				e := w.engine(t)
				if table, err := w.opened(t, e); err == nil && len(table.Layout.Constraints()) > 0 {
					test(t, e, table)
				}
			})
		}
	}
}

// people returns the number of people of a family: its own number, or enough people for the millions of items in
// TALLYLOCK_ITEMS.
func people(f family) int {
	millions, said := testrun.Millions()
	if !said && testrun.Long() {
		return crowd
	}
	if !said {
		return f.count
	}
	few := f
	few.count = 400
	items := 0
	for _, table := range few.build().tables {
		items += len(table.items)
	}
	return 400 * millions * 1_000_000 / items
}
