package check_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/layout/config"
)

// If the memory limit is too small, the check uses as much memory as it needs. The limit does not change the findings
// about counters.
func TestHardlyAnyMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	found, sum := f.run(table, setting.Options{Memory: 1})
	if len(found) != 6 || !sum.Complete {
		t.Errorf("%d found, %+v", len(found), sum)
	}
	l := users()
	l.Counters = []config.Counter{{PK: "COUNTER", SK: "VALUE", Attribute: "n", Semantics: "last"}}
	items := append(spellings(), doc{"PK": str("COUNTER"), "SK": str("VALUE"), "n": num("1.5")})
	f.create("much", "PK:S", "SK:S", items...)
	found, sum = f.run(f.described("much", l), setting.Options{Memory: 1})
	f.want(found, "counter-not-a-number much")
	if sum.Complete || !strings.Contains(sum.Why, "give the check --memory") || sum.Locks != 257 || sum.Accounts != 1 {
		t.Errorf("%+v", sum)
	}
}

// Many accounts hold one value in two spellings. The check counts each account once, and loses none, although they
// cannot all be read at one moment.
func TestManyAccountsOnTwoSpellings(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{mail("Ada"), mail("ada"), mail("ADA"), user("x", "aDa")}
	for n := range 85 {
		items = append(items, user(fmt.Sprint("a", n), "Ada"), user(fmt.Sprint("b", n), "ada"))
	}
	f.create("crowd", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("crowd", users()), setting.Options{})
	f.want(found, "duplicate-value Ada", "duplicate-value ada", "unnormalised-value aDa?")
	for _, one := range found {
		if one.Kind == finding.DuplicateValue && len(one.Accounts) != 85 {
			t.Errorf("%s names %d accounts: %s", one.Value, len(one.Accounts), one.Detail)
		}
	}
	if sum.Unsettled != 0 {
		t.Errorf("%+v", sum)
	}
}

// If a value has locks in several wrong spellings, every check pairs the account with the same lock. Otherwise a
// finding would be new to the baseline each night.
func TestSpellingsPairAlike(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("paired", "PK:S", "SK:S", user("1", "ada"), mail("ADA"), mail("aDA"), mail("Ada"), mail("aDa"), mail("adA"))
	table := f.described("paired", users())
	first, _ := f.run(table, setting.Options{Confirm: setting.ConfirmReads})
	known := map[string]bool{}
	for _, one := range first {
		known[one.Same()] = true
	}
	for range 5 {
		again, _ := f.run(table, setting.Options{Confirm: setting.ConfirmReads})
		now := map[string]bool{}
		for _, one := range again {
			now[one.Same()] = true
		}
		if !maps.Equal(known, now) {
			t.Fatalf("found\n%v, and then\n%v", slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(now)))
		}
	}
}

// A check without a second reading also finds accounts that expire without their locks.
func TestExpiryUnconfirmed(t *testing.T) {
	t.Parallel()
	f := start(t)
	l := users()
	nick := l.Accounts[0].Constraints[0]
	nick.Attribute, nick.PK = "nick", "NICK#{v}"
	l.Accounts[0].Constraints = append(l.Accounts[0].Constraints, nick)
	lasts, nicked := doc{"ttl": num("4000000000")}, func(v string) doc { return doc{"nick": str(v)} }
	f.create("fading", "PK:S", "SK:S",
		user("1", "a", lasts, nicked("a")), mail("a"), doc{"PK": str("NICK#a"), "SK": str("LOCK")},
		user("2", "b", nicked("b")), mail("b", lasts), doc{"PK": str("NICK#b"), "SK": str("LOCK")},
		user("3", "c", lasts), mail("c", lasts), user("4", "d", doc{"ttl": num("1000000000")}))
	f.expires("fading")
	table := f.described("fading", l)
	found, _ := f.run(table, setting.Options{})
	f.want(found, "expiring-account a", "expiring-account b", "missing-lock d")
	found, _ = f.run(table, setting.Options{Confirm: setting.ConfirmNone})
	f.want(found, "expiring-account a?", "expiring-account b?", "missing-lock d?")
	for _, one := range found {
		if one.Kind == finding.MissingLock && !strings.Contains(one.Detail, "expired at 2001-09-09") {
			t.Error(one.Detail)
		}
	}
}

// Two kinds of accounts keep their values in one place. A lock names an account of either kind, by its key or by its
// id.
func TestLocksOfTwoKinds(t *testing.T) {
	t.Parallel()
	f := start(t)
	l := users(owned)
	org := users(owned).Accounts[0]
	org.Model, org.PK, org.Constraints[0].Name = "org", "ORG#{id}", "org-email"
	l.Accounts = append(l.Accounts, org)
	of := func(id, email string) doc {
		return doc{"PK": str("ORG#" + id), "SK": str("PROFILE"), "email": str(email)}
	}
	items := []doc{mail("x", owner("ORG#0")), mail("y", owner("USER#77")), user("w", "w"), mail("w", owner("ORG#1")), of("v", "v"), mail("v", owner("USER#1"))}
	for n := range 30 {
		id, v := fmt.Sprint(n), fmt.Sprint("v", n)
		items = append(items, user(id, "u"+v), mail("u"+v, owner("USER#"+id)), of(id, "o"+v), mail("o"+v, owner("ORG#"+id)))
	}
	f.create("kinds", "PK:S", "SK:S", items...)
	for confirm, mark := range map[setting.Confirm]string{setting.ConfirmFull: "", setting.ConfirmReads: "", setting.ConfirmNone: "?"} {
		found, sum := f.run(f.described("kinds", l), setting.Options{Confirm: confirm})
		f.want(found, "stale-lock x"+mark, "orphaned-lock y"+mark, "foreign-lock w"+mark, "foreign-lock v"+mark)
		if len(sum.Notes) != 0 {
			t.Errorf("the notes are %q", sum.Notes)
		}
	}
	// If locks name accounts only by id, the kind of the account is unknown.
	for n := range 30 {
		id, v := fmt.Sprint(n), fmt.Sprint("v", n)
		f.put("kinds", mail("u"+v, owner(id)), mail("o"+v, owner(id)))
	}
	found, sum := f.run(f.described("kinds", l), setting.Options{})
	f.want(found, "stale-lock x", "orphaned-lock y")
	if len(sum.Notes) == 0 || !strings.Contains(sum.Notes[0], "lock names an account, so the check does not look for wrong owners") {
		t.Errorf("the notes are %q", sum.Notes)
	}
}

// A note shortens a long value.
func TestLongValuesInNotes(t *testing.T) {
	f := start(t)
	f.create("wordy", "PK:S", "SK:S", user("1", "a"), mail("a"), user("2", strings.Repeat("y", 100_000)))
	_, sum := f.run(f.described("wordy", users()), setting.Options{})
	if len(sum.Notes) != 1 || len(sum.Notes[0]) > 600 || !strings.Contains(sum.Notes[0], "USER#2") || !strings.Contains(sum.Notes[0], "allows 2048") {
		t.Errorf("%.1000q", sum.Notes)
	}
}

// The estimate grows with the number of segments that a person asks for.
func TestEstimateOfParts(t *testing.T) {
	table := start(t).open("accounts")
	few, many := setting.Estimate(table, setting.Options{Segments: 1}), setting.Estimate(table, setting.Options{Segments: 20_000})
	if many.Units() < 20_000 || few.Units() > 300 {
		t.Errorf("one part costs %v, very many %v", few.Units(), many.Units())
	}
}

// A check reads no more than the estimate says. It reads a clean table once. It reads a table with findings twice, and
// has further costs that the estimate names but does not count.
func TestEstimateHolds(t *testing.T) {
	t.Parallel()
	f := start(t)
	clean := []doc{}
	for n := range 150 {
		clean = append(clean, user(fmt.Sprint(n), fmt.Sprint(n), doc{"about": str(strings.Repeat("x", 5000))}), mail(fmt.Sprint(n)))
	}
	f.create("clean", "PK:S", "SK:S", clean...)
	long := strings.Repeat("long", 30)
	f.create("long", "PK:S", "SK:S", user("1", "a"), mail("a"), mail(long), user("2", "b"), mail("b"))
	for _, table := range []*dynamo.Table{
		f.described("clean", users()), f.described("long", users()), f.open("accounts"), f.open("members"), f.open("order_id"), f.open("posts"), f.open("Tickets"), f.open("NextIdTable"), f.open("donation-data"),
	} {
		for _, o := range []setting.Options{{}, {Look: setting.Eventual}, {Confirm: setting.ConfirmReads}, {Confirm: setting.ConfirmNone}} {
			cost := setting.Estimate(table, o)
			found, sum := f.run(table, o)
			most := cost.First
			switch {
			case table.Name == "Tickets": // the estimate does not count the reads of counters
				most += 4
				if cost.Beyond != "one for each counter" {
					t.Error(cost.Beyond)
				}
			case len(found) > 0:
				most += cost.Again + (cost.Each+2)*float64(len(found))
				if o.Confirm != setting.ConfirmNone && (cost.Each < 5 || !strings.Contains(cost.Beyond, " for each value that looks broken")) {
					t.Error(cost.Each, cost.Beyond)
				}
			}
			if table.Name == "long" && o.Confirm == "" {
				most += cost.Again / 2
				if !strings.Contains(cost.Beyond, "lock's key is over 80 bytes") {
					t.Error(cost.Beyond)
				}
			}
			if sum.ReadUnits > most {
				t.Errorf("%s %+v: %v units, and at most %v were expected: %+v", table.Name, o, sum.ReadUnits, most, cost)
			}
		}
	}
}

// denied refuses some operations, as for a role without their permissions.
type denied struct {
	operations []string
	http.RoundTripper
}

// deny makes a connection refuse these operations.
func deny(operations ...string) func(*dynamo.Options) {
	return func(o *dynamo.Options) { o.Transport = denied{operations, o.Transport} }
}

func (d denied) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if !slices.Contains(d.operations, operation) {
		return d.RoundTripper.RoundTrip(r)
	}
	body := `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","Message":"not authorized to perform: dynamodb:` + operation + `"}`
	return embedded.Respond(r, http.StatusBadRequest, []byte(body)), nil
}

// If a table may not be scanned, the error names the missing permission.
func TestScanIsDenied(t *testing.T) {
	f := start(t)
	table := f.open("accounts", deny("Scan"))
	_, sum, err := run(t.Context(), table, setting.Options{})
	if err == nil || !strings.Contains(err.Error(), "permission dynamodb:Scan") || sum.Complete {
		t.Errorf("%v, %+v", err, sum)
	}
}

// The summary counts everything that a check reads, also locks in other spellings.
func TestUnitsAreCounted(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("spelt", "PK:S", "SK:S", user("1", "ada"), mail("ada"), mail("Ada"))
	for _, table := range []*dynamo.Table{f.described("spelt", users()), f.open("accounts"), f.open("members"), f.open("posts")} {
		for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone} {
			before := table.Connection().Units()
			if _, sum := f.run(table, setting.Options{Confirm: confirm}); sum.ReadUnits != table.Connection().Units()-before {
				t.Errorf("%s, %s: %v units, and %v were read", table.Name, confirm, sum.ReadUnits, table.Connection().Units()-before)
			}
		}
	}
}

// A check without a second reading needs only the permission to scan the table. It names the kinds of findings that it
// cannot look for.
func TestScanIsAllThatIsAllowed(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.put("posts", doc{"id": num("50")})
	for table, misses := range map[string][]string{
		"accounts": {"expire"}, "members": {"expire"}, "posts": {"counters were not compared", "expire"},
	} {
		want, _ := f.run(f.open(table), setting.Options{Confirm: setting.ConfirmNone})
		open := f.open(table, deny("GetItem", "BatchGetItem", "TransactGetItems", "Query", "DescribeTimeToLive"))
		got, sum, err := run(t.Context(), open, setting.Options{Confirm: setting.ConfirmNone})
		if table == "posts" {
			f.want(want, "counter-behind posts?")
			want = nil
		}
		if f.want(got, said(want)...); err != nil || !sum.Complete || len(sum.Notes) != len(misses) {
			t.Errorf("%s: %+v, %v", table, sum, err)
		}
		for _, what := range misses {
			if !slices.ContainsFunc(sum.Notes, func(n string) bool { return strings.Contains(n, what) && strings.Contains(n, "permission dynamodb:") }) {
				t.Errorf("%s: %q do not say that %q", table, sum.Notes, what)
			}
		}
	}
	// The first pass alone tells the spellings apart.
	f.create("spelt", "PK:S", "SK:S", user("1", "ada"), mail("Ada"), mail("ADA"))
	got, _ := f.run(f.described("spelt", users(), deny("BatchGetItem")), setting.Options{Confirm: setting.ConfirmNone})
	f.want(got, "unnormalised-value ada?", "orphaned-lock Ada?")
}

// The check says so if its table cannot have the requested findings.
func TestNothingToLookFor(t *testing.T) {
	f := start(t)
	for table, o := range map[string]setting.Options{
		"accounts": {Only: []finding.Kind{finding.CounterBehind}},
		"order_id": {Only: []finding.Kind{finding.OrphanedLock}},
	} {
		found, sum := f.run(f.open(table), o)
		if len(found) != 0 || len(sum.Notes) != 1 {
			t.Errorf("%s: %v, %q", table, said(found), sum.Notes)
		}
	}
}
