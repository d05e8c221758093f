package check_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// Two constraints share their lock keys, and the owner's attribute shows the right one. An attribute of such a lock
// holds the value of another lock.
func TestConstraintsThatShareLockKeys(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 30 {
		u, o := fmt.Sprint("u", n), fmt.Sprint("o", n)
		items = append(items,
			doc{"PK": str("USER#" + u), "SK": str("PROFILE"), "email": str(u + "@x.io"), "handle": str("h" + u)},
			doc{"PK": str("MAIL#" + u + "@x.io"), "SK": str("LOCK"), "uid": str(u), "note": str("n" + u)},
			doc{"PK": str("HANDLE#h" + u), "SK": str("LOCK")},
			doc{"PK": str("ORG#" + o), "SK": str("PROFILE"), "mail": str(o + "@x.io")},
			doc{"PK": str("MAIL#" + o + "@x.io"), "SK": str("LOCK"), "oid": str(o)})
	}
	items = append(items,
		doc{"PK": str("MAIL#sales@x.io"), "SK": str("LOCK"), "oid": str("acme")},
		doc{"PK": str("HANDLE#acme"), "SK": str("LOCK")},
		doc{"PK": str("MAIL#help@x.io"), "SK": str("LOCK"), "oid": str("o1"), "note": str("zoe")},
		doc{"PK": str("HANDLE#zoe"), "SK": str("LOCK")},
	)
	l := config.Layout{Accounts: []config.Account{
		{Model: "user", PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Name: "email", Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Owner: "uid"},
			{Name: "handle", Attribute: "handle", PK: "HANDLE#{v}", SK: "LOCK"},
		}},
		{Model: "org", PK: "ORG#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Name: "orgmail", Attribute: "mail", PK: "MAIL#{v}", SK: "LOCK", Owner: "oid"},
		}},
	}}
	f.create("shared", "PK:S", "SK:S", items...)
	table := f.described("shared", l)
	found, _, err := run(t.Context(), table, setting.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, one := range found {
		got[one.Lock["PK"].Text] = one.Confirmed
	}
	// The attribute note of organisations' locks may hold handles; the attribute oid of other locks has ids of
	// organisations, and no handles.
	want := map[string]bool{"MAIL#sales@x.io": true, "MAIL#help@x.io": true, "HANDLE#acme": true, "HANDLE#zoe": false}
	for lock, confirmed := range want {
		if sure, ok := got[lock]; !ok || sure != confirmed {
			t.Errorf("%s: found %v, confirmed %v, want %v", lock, ok, sure, confirmed)
		}
	}
}
