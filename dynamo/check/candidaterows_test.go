package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/check"
)

// Of a lock of which SQL has left something over, such as its ids, it has judged the rest:
// the lock does not count twice, which would hide that a value is held twice.
func TestALockCountsOnce(t *testing.T) {
	f := start(t)
	f.create("twice", "PK:S", "SK:S", user("1", "x"), user("2", "x"), mail("x"))
	table := f.described("twice", users())
	const lock, account = `{"PK":{"S":"MAIL#x"},"SK":{"S":"LOCK"}}`, `{"PK":{"S":"USER#%d"},"SK":{"S":"PROFILE"}}`
	accounts := fmt.Sprintf(account+","+account, 1, 2)
	c, err := check.OpenCandidates(filed(t, lined(counted(table, []string{
		about(table, `"finding":"duplicate-value","constraint":"email","value":"x","lock":`+lock+`,"accounts":[`+accounts+`],"lock_exists":true`),
		about(table, `"unjudged":"ids","of":"twice","item":`+lock),
		about(table, `"counted":"items","of":"twice","count":3,"accounted":2`),
		about(table, `"counted":"constraint","constraint":"email","locks":1,"calls":2`),
	}))))
	if err != nil {
		t.Fatal(err)
	}
	got, sum, err := run(t.Context(), table, check.Options{Candidates: c})
	if err != nil || sum.Locks != 1 {
		t.Fatal(err, sum.Locks)
	}
	f.want(got, "duplicate-value x")
}

// Items that are neither locks nor accounts may be the accounts: a finding is not confirmed
// before all were looked at for that, and with --confirm full they are.
func TestCandidatesCompareOtherItems(t *testing.T) {
	f := start(t)
	table := f.open("accounts")
	all, live := f.run(table, check.Options{})
	pairs := slices.DeleteFunc(slices.Clone(all), func(one check.Finding) bool {
		return one.Kind != check.MissingLock && one.Kind != check.DuplicateValue
	})
	rows := lined(counted(table, rowsOf(t, table, pairs)))
	for _, one := range []struct {
		items   string
		confirm check.Confirm
		sure    bool
	}{{"104", check.ConfirmReads, true}, {"105", check.ConfirmReads, false}, {"105", check.ConfirmFull, true}} {
		c, err := check.OpenCandidates(filed(t, strings.Replace(rows, `"count":104`, `"count":`+one.items, 1)))
		if err != nil {
			t.Fatal(err)
		}
		got, sum, err := run(t.Context(), table, check.Options{Candidates: c, Confirm: one.confirm})
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range got {
			if found.Confirmed != one.sure {
				t.Errorf("of %s items with %s: confirmed %v: %s", one.items, one.confirm, found.Confirmed, found.Detail)
			}
		}
		if whole := one.items == "105" && one.sure; len(got) != len(pairs) || (sum.ReadUnits > live.ReadUnits/3) != whole {
			t.Errorf("of %s items with %s: %q by %v units, the check by %v", one.items, one.confirm, said(got), sum.ReadUnits, live.ReadUnits)
		}
	}
}
