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

// An attribute divides the accounts of a guess only if the items outside the part have no such locks. Otherwise the part
// would hide accounts whose lock is missing.
func TestAPartOfTheAccountsHasLocks(t *testing.T) {
	people := func(locked func(n int) bool) guess.Sample {
		s := guess.Sample{
			Name: "people", Schema: attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S}, Whole: true,
		}
		for n := range 40 {
			plan := []string{"free", "pro"}[n%2]
			s.Items = append(s.Items, attr.Item{
				"pk": attr.String(fmt.Sprintf("USER#%04x", n*7919%65536)), "sk": attr.String("PROFILE"),
				"email": attr.String(fmt.Sprintf("u%d@x.io", n)), "plan": attr.String(plan),
			})
			if locked(n) {
				s.Items = append(s.Items, attr.Item{"pk": attr.String(fmt.Sprintf("UNIQ#u%d@x.io", n)), "sk": attr.String("LOCK")})
			}
		}
		return s
	}
	all := guess.Accounts(people(func(n int) bool { return n%2 == 0 || n%4 == 1 })) // all of free, half of pro
	if len(all) > 0 {
		t.Errorf("half of the other accounts have locks: %+v", all)
	}
	all = guess.Accounts(people(func(n int) bool { return n%2 == 0 })) // all of free, none of pro
	if len(all) != 1 || all[0].Is == nil || all[0].Is.Value != "free" {
		t.Errorf("none of the other accounts have locks: %+v", all)
	}
}

// Two items that share a value, and one item that looks like its lock, make no layout.
func TestOneCoincidenceIsNoLayout(t *testing.T) {
	item := func(pk, sk string, n string) attr.Item {
		return attr.Item{"pk": attr.String(pk), "sk": attr.String(sk), "n": attr.Number(n)}
	}
	all := guess.Accounts(guess.Sample{
		Name: "index", Schema: attr.Schema{HashName: "pk", HashKind: attr.S, RangeName: "sk", RangeKind: attr.S}, Whole: true,
		Items: []attr.Item{
			item("IDX", "ada-1", "7"), item("IDX", "ada-2", "7"),
			{"pk": attr.String("IDX"), "sk": attr.String("zoe-lovelace-7")},
		},
	})
	if len(all) > 0 {
		t.Errorf("%+v", all)
	}
}
