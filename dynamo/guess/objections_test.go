package guess_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
)

func TestLeases(t *testing.T) {
	item := func(names ...string) attr.Item {
		i := attr.Item{"id": attr.String("x")}
		for _, name := range names {
			i[name] = attr.String("1")
		}
		return i
	}
	client := item("ownerName", "leaseDuration", "recordVersionNumber")
	for what, items := range map[string][]attr.Item{
		"leases of the DynamoDB lock client":   {client, client},
		"leases of a lock client":              {item("owner", "leaseDurationMs", "fencingToken", "guid")},
		"leases of the Kinesis client library": {item("leaseKey", "leaseOwner", "leaseCounter", "checkpoint")},
		"state locks of Terraform":             {item("LockID", "Info")},
		"idempotency records":                  {item("status", "expiration", "in_progress_expiration"), item("status", "expiration", "data")},
		"":                                     {client, item("email"), item("owner")},
	} {
		if got := guess.Leases(items); got != what {
			t.Errorf("%q; want %q", got, what)
		}
	}
	if got := guess.Leases(nil); got != "" {
		t.Errorf("nothing is taken for %s", got)
	}
}

// The key of an account is a bare id, and each account has several items below this key. The ids are no words of the
// layout, and a time that only one account has does not describe accounts.
func TestBareIDsWithSeveralItems(t *testing.T) {
	for _, people := range []int{10, 120} {
		for _, orders := range []int{0, 2, 3, 6, 12} {
			var items []attr.Item
			add := func(pk, sk string, more ...string) {
				item := attr.Item{"pk": attr.String(pk), "sk": attr.String(sk)}
				for n := 0; n < len(more); n += 2 {
					item[more[n]] = attr.String(more[n+1])
				}
				items = append(items, item)
			}
			for n := range people {
				id, nick, email := fmt.Sprintf("p%d@id.org", n), fmt.Sprintf("nick%d", n), fmt.Sprintf("u%d@x.io", n)
				add(id, "PROFILE", "nick", nick, "email", email, "createdAt", fmt.Sprintf("2026-04-22T10:%02d:%02dZ", n/60, n%60))
				add("NICK/"+nick, "LOCK", "owner", id)
				add("EMAIL/"+email, "LOCK", "owner", id)
				for of := range orders {
					add(id, fmt.Sprintf("ORDER#%d%02d", n, of), "total", "7")
				}
			}
			all := guess.Accounts(guess.Sample{
				Name: "people", Schema: attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S}, Items: items, Whole: true,
			})
			if len(all) != 1 || all[0].PK != "{id}" || all[0].SK != "PROFILE" || all[0].Is != nil || len(all[0].Constraints) != 2 {
				t.Errorf("%d people with %d orders each: %+v", people, orders, all)
			}
		}
	}
}
