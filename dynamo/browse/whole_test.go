package browse_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// If reading a table page by page takes more read units than reading it as a whole, CheaperWhole says so, and RestCost
// is about right. Both ways find the same problems.
func TestReadingAllIsCheaperThanPages(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("town", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 1500 {
		v := fmt.Sprintf("p%04d", n)
		one := fixture.Account(v, v+"@x.io", v)
		one["about"] = sdk.S(strings.Repeat("x", 700))
		rows = append(rows, one, fixture.Lock("EMAIL", v+"@x.io"))
		if n%100 != 0 { // every hundredth account has no lock
			rows = append(rows, fixture.Lock("HANDLE", v))
		}
	}
	rows = append(rows, fixture.Lock("EMAIL", "nobody@x.io"))
	f.Put("town", rows...)
	table := f.Open("town", func(o *dynamo.Options) { o.AutoReadUnits, o.Layout, o.Asked = 20, "uniq", true })

	pages := browse.New(table)
	whole := pages.RestCost()
	for !pages.CheaperWhole() {
		if v := page(t, pages); v.Complete || v.Units > 2*whole {
			t.Fatalf("%v units are read, the whole table takes about %v, and that is not offered", v.Units, whole)
		}
	}
	rest, before := pages.RestCost(), table.Connection().Units()
	pages.ReadAll()
	all := read(t, pages)
	if took := table.Connection().Units() - before; took > 1.5*rest+60 {
		t.Errorf("%v units were read, and about %v were said", took, rest)
	}

	table = f.Open("town", func(o *dynamo.Options) { o.AutoReadUnits, o.Layout, o.Asked = 1e6, "uniq", true })
	if paged := read(t, browse.New(table)); broken(paged) != broken(all) {
		t.Errorf("read as a whole:\n%s\npage by page:\n%s", broken(all), broken(paged))
	}
	if !strings.Contains(broken(all), "nobody@x.io orphaned") || !strings.Contains(broken(all), "p0100 missing") {
		t.Errorf("not found:\n%s", broken(all))
	}
}
