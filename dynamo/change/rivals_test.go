package change_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// A layout that may take orders for the accounts mends nothing in bulk, of a table that is
// only sampled, though each order has a lock. Once somebody has said that the orders are
// copies, it does.
func TestNothingIsMendedInBulkWhereOrdersMayBeTheAccounts(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	var rows []item
	for n := range 400 {
		v := fmt.Sprint("p", n, "@x.io")
		rows = append(rows, row(fmt.Sprint("ACCT#", n), "PROFILE", "email", v, "about", strings.Repeat("x", 600)),
			row(fmt.Sprint("ORDER#", n), "META", "email", cmp.Or(map[int]string{5: "gone@x.io", 6: "old@x.io"}[n], v), "about", strings.Repeat("x", 600)))
		if n > 2 {
			rows = append(rows, emailLock(v))
		}
	}
	f.put("odd", rows...)
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	open := func(pk, sk string) *dynamo.Table {
		return f.open("odd", func(o *dynamo.Options) {
			configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"})(o)
			o.Layouts[0].Accounts[0].PK, o.Layouts[0].Accounts[0].SK = pk, sk
			o.AutoReadUnits, o.Answers = 60, file
		})
	}
	mends := func(table, fresh *dynamo.Table) (planned int, why string) {
		var mu sync.Mutex
		var found []check.Finding
		if _, err := check.Run(t.Context(), table, check.Options{}, func(one check.Finding) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, one)
		}, nil); err != nil {
			t.Fatal(err)
		}
		all, err := f.changer.PlanMends(t.Context(), fresh, found...)
		if err != nil || len(all) < 3 {
			t.Fatal(len(all), err)
		}
		for _, m := range all {
			if m.Plan != nil {
				planned++
			} else if m.Refused[0].Code == change.ByHand {
				why = m.Refused[0].Text
			}
		}
		return planned, why
	}
	planned, why := mends(open("ORDER#{id}", "META"), open("ORDER#{id}", "META"))
	if planned > 0 || !strings.Contains(why, "ACCT#*/PROFILE email'") {
		t.Errorf("%d are mended in bulk: %s", planned, why)
	}
	right := open("ACCT#{id}", "PROFILE")
	if planned, why := mends(right, right); planned > 0 || !strings.Contains(why, "ORDER#*/META email'") {
		t.Errorf("%d are mended in bulk: %s", planned, why)
	}
	if err := right.Answer(right.Layout.Constraints()[0], layout.Place{Table: "odd", Items: "ORDER#*/META", Attribute: "email"}, layout.HoldNot); err != nil {
		t.Fatal(err)
	}
	if planned, why := mends(right, open("ACCT#{id}", "PROFILE")); planned != 3 {
		t.Errorf("%d are mended in bulk: %s", planned, why)
	}
}
