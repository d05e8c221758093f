package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/generator"
	"tallylock/internal/testrun"
)

// lockless returns a constraint whose values have no locks.
func lockless(attribute string, steps ...string) config.Constraint {
	return config.Constraint{Attribute: attribute, Unique: true, Normalise: steps}
}

// unlocked returns a layout with these constraints.
func unlocked(rules ...config.Constraint) config.Layout {
	return config.Layout{Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: rules}}}
}

// Without locks the only problem is a value that two accounts hold. Other items do not matter, nor do constraints with
// locks.
func TestDuplicatesWithoutLocks(t *testing.T) {
	t.Parallel()
	f := start(t)
	set := func(v ...string) doc { return doc{"aliases": &types.AttributeValueMemberSS{Value: v}} }
	f.create("bare", "PK:S", "SK:S", user("1", "Ada@x.io"), user("2", " ada@x.io"), user("3", "b@x.io", set("x", "y")), user("4", "c@x.io", set("y", "z")),
		user("5", ""), user("6", ""), doc{"PK": str("ORDER#1"), "SK": str("PROFILE"), "email": str("b@x.io")}, doc{"PK": str("USER#7"), "SK": str("ORDER"), "email": str("b@x.io")})
	table := f.described("bare", unlocked(lockless("email", "trim", "lower"), lockless("aliases")))
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone} {
		mark := map[setting.Confirm]string{setting.ConfirmNone: "?"}[confirm]
		found, sum := f.run(table, setting.Options{Confirm: confirm})
		f.want(found, "duplicate-value ada@x.io"+mark, "duplicate-value y"+mark)
		if !sum.Complete || sum.Accounts != 6 || sum.Locks != 0 || len(sum.Notes) > 0 {
			t.Errorf("%s: %+v", confirm, sum)
		}
		for _, one := range found {
			if len(one.Accounts) != 2 || one.Lock != nil || one.Layout != config.Hash(table.Layout) || strings.Contains(one.Evidence, "Lock") {
				t.Errorf("%s: %+v", confirm, one)
			}
		}
	}
	found, sum := f.run(table, setting.Options{Only: []finding.Kind{finding.CounterBehind}})
	if len(found) > 0 || sum.Accounts != 0 {
		t.Errorf("nobody asked: %+v, %+v", found, sum)
	}

	locked := unlocked(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK"}, lockless("aliases"))
	f.put("bare", mail("b@x.io"), mail("gone@x.io"))
	found, _ = f.run(f.described("bare", locked), setting.Options{})
	f.want(found, "duplicate-value y", "orphaned-lock gone@x.io", "missing-lock Ada@x.io", "missing-lock  ada@x.io", "missing-lock c@x.io")
}

// If very many accounts hold a value, there is one finding. It says how many of the accounts were read together.
func TestAValueOfVeryManyAccounts(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 150 {
		items = append(items, user(fmt.Sprint(n), "none@x.io"))
	}
	f.create("many", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("many", unlocked(lockless("email"))), setting.Options{})
	f.want(found, "duplicate-value none@x.io")
	if len(found[0].Accounts) != 150 || !strings.Contains(found[0].Detail, "50 more held the value when they were read.") || !sum.Complete {
		t.Errorf("%+v, %+v", found[0], sum)
	}
	found, _ = f.run(f.described("many", unlocked(lockless("email"))), setting.Options{Memory: 1}) // the check takes the least memory
	if len(found) != 1 || found[0].MoreAccounts == 0 || len(found[0].Accounts)+found[0].MoreAccounts != 150 {
		t.Errorf("%+v", found)
	}
}

// More values are held twice than the check can list. It reports as many as fit. Each of these findings is true, and
// the check says how many there are in all.
func TestMoreDuplicatesThanMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	const pairs = 200
	for n := range 2 * pairs {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint("v", n%pairs)))
	}
	f.create("pairs", "PK:S", "SK:S", items...)
	table := f.described("pairs", unlocked(lockless("email")))
	found, sum := f.run(table, setting.Options{Memory: 128 << 10})
	if len(found) != 113 || sum.Complete || sum.Why != "200 values occurred at least twice in the first reading; the check followed up 113 of them: repair these, and check again" {
		t.Fatalf("%d found, %+v", len(found), sum)
	}
	if found, sum = f.run(table, setting.Options{}); len(found) != pairs || !sum.Complete {
		t.Errorf("%d found, %+v", len(found), sum)
	}
}

// Long values take more memory, and values and ids share the memory. Each value and id that is listed has all its items.
func TestMemoryOfDuplicates(t *testing.T) {
	t.Parallel()
	f := start(t)
	const pairs = 40
	l := unlocked(lockless("email"))
	l.Counters = []config.Counter{{Name: "orders", PK: "COUNTER", SK: "AT", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}
	for name, text := range map[string]string{"long": strings.Repeat("x", 4000), "both": ""} {
		items := []doc{{"PK": str("COUNTER"), "SK": str("AT"), "at": num("99")}}
		for n := range 2 * pairs {
			one := user(fmt.Sprint(n), fmt.Sprint("v", n%pairs, text))
			if name == "both" {
				one["no"] = num(fmt.Sprint(n%pairs + 1))
			}
			items = append(items, one)
		}
		f.create(name, "PK:S", "SK:S", items...)
		table, memory, fit, most := f.described(name, l), int64(256<<10), 20, pairs
		if name == "both" {
			memory, fit, most = 1, 56, 2*pairs
		}
		found, sum := f.run(table, setting.Options{Memory: memory})
		lost := fmt.Sprintf("memory was too small to compare about %d items: other items may have the same values or ids: give the check more --memory", 2*(most-fit))
		if len(found) != fit || sum.Complete || sum.Why != lost || slices.ContainsFunc(found, func(f finding.Finding) bool { return !f.Confirmed || len(f.Accounts)+len(f.Items) != 2 }) {
			t.Errorf("%s: %d found, %+v", name, len(found), sum)
		}
		if found, sum = f.run(table, setting.Options{}); len(found) != most || !sum.Complete {
			t.Errorf("%s, with memory: %d found, %+v", name, len(found), sum)
		}
	}
}

// An account that holds a value under two constraints, or twice in a list, does not count as two accounts, however many
// such accounts there are.
func TestAValueTwiceInOneAccount(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 300 {
		v := fmt.Sprint("v", n)
		items = append(items, user(fmt.Sprint(n), v, doc{"aliases": &types.AttributeValueMemberL{Value: []types.AttributeValue{str(v), str(strings.ToUpper(v)), str(v)}}}))
	}
	items = append(items, user("twin", "v7"))
	f.create("own", "PK:S", "SK:S", items...)
	aliases := lockless("aliases", "lower")
	found, sum := f.run(f.described("own", unlocked(lockless("email"), aliases)), setting.Options{Memory: 1})
	f.want(found, "duplicate-value v7")
	if !sum.Complete {
		t.Errorf("%+v", sum)
	}
}

// In random tables a check finds exactly the duplicates that a plain count finds, even with little memory.
func TestDuplicatesAreThoseThatACountFinds(t *testing.T) {
	t.Parallel()
	few(t, "15")
	f := start(t)
	tables := 0
	rapid.Check(t, func(rt *rapid.T) {
		tables++
		name := fmt.Sprint("random", tables)
		values := rapid.IntRange(1, 60).Draw(rt, "values")
		holders := map[string]int{}
		var items []doc
		for n := range rapid.IntRange(1, 120).Draw(rt, "accounts") {
			v := fmt.Sprint("v", rapid.IntRange(1, values).Draw(rt, "value"))
			if rapid.Bool().Draw(rt, "capital") {
				items = append(items, user(fmt.Sprint(n), strings.ToUpper(v)))
			} else {
				items = append(items, user(fmt.Sprint(n), v))
			}
			holders[v]++
		}
		f.create(name, "PK:S", "SK:S", items...)
		var want []string
		for v, n := range holders {
			if n > 1 {
				want = append(want, fmt.Sprint(v, " ", n))
			}
		}
		o := setting.Options{Memory: rapid.SampledFrom([]int64{1 << 20, 4 << 20}).Draw(rt, "memory"), Segments: rapid.IntRange(1, 8).Draw(rt, "segments")}
		found, sum, err := run(t.Context(), f.described(name, unlocked(lockless("email", "lower"))), o)
		if err != nil || !sum.Complete || !sum.Confirmed {
			rt.Fatalf("%v, %+v", err, sum)
		}
		var got []string
		for _, one := range found {
			got = append(got, fmt.Sprint(one.Value, " ", len(one.Accounts)))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Fatalf("found %q, want %q", got, want)
		}
	})
}

// bare describes a generated table as a table without locks.
func bare(t *testing.T, made *generator.Table) *dynamo.Table {
	t.Helper()
	o := behind(made)
	o.Layouts = []config.Layout{{Name: "bare", Tables: []string{"accounts"}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{lockless("email"), lockless("username")},
	}}}}
	return opened(t, o, "accounts")
}

// If there are far more values than memory can hold, their fingerprints go to disk. The check finds every duplicate,
// and nothing else. A long run has 20 million values, and a fiftieth of the usual memory.
func TestDuplicatesAmongMillions(t *testing.T) {
	t.Parallel()
	pages, memory := testrun.Runs(10_000, 20), setting.DataOf(setting.DefaultMemory)/int64(testrun.Runs(50, 1000))
	made := &generator.Table{Name: "accounts", Pages: pages, PerPage: 1000, Seed: 3, Anomalies: []generator.Wrong{{Kind: generator.DuplicateValue, Count: min(pages, 2000)}}}
	dir := t.TempDir()
	found, sum, err := run(t.Context(), bare(t, made), setting.Options{Confirm: setting.ConfirmReads, Memory: memory, Temp: dir})
	if err != nil || !sum.Complete || !sum.Confirmed {
		t.Fatalf("%v, %+v", err, sum)
	}
	var got, want []string
	for _, one := range found {
		got = append(got, one.Constraint+" "+one.Value+" "+dynamoKeys(one))
	}
	for a := range made.All() {
		want = append(want, a.Constraint+" "+a.Value+" "+a.Accounts[0].PK+" "+a.Accounts[1].PK)
	}
	slices.Sort(got)
	slices.Sort(want)
	alike(t, got, want)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
	t.Logf("%d accounts, %d values held twice, %.0f s", sum.Accounts, len(found), sum.Seconds)
}

// Without room on the disk the check does not begin. If the disk is full later, everything else is checked, and the
// check is incomplete.
func TestNoRoomForPrints(t *testing.T) {
	t.Parallel()
	made := &generator.Table{Name: "accounts", Pages: 20, PerPage: 1000, Seed: 3, Anomalies: []generator.Wrong{{Kind: generator.DuplicateValue, Count: 5}}}
	table := bare(t, made)
	o := setting.Options{Confirm: setting.ConfirmReads, Memory: 1, Temp: filepath.Join(t.TempDir(), "missing")}
	if _, sum, err := run(t.Context(), table, o); client.KindOf(err) != client.Usage || sum.Items != 0 || !strings.Contains(err.Error(), "for temporary files, but nothing can be written to "+o.Temp+": no such file or directory; nothing was read") {
		t.Errorf("%+v, %v", sum, err)
	}
	if err := check.Refuses(table, o); client.KindOf(err) != client.Usage {
		t.Error(err)
	}
	huge := o
	huge.Temp, table.Items = t.TempDir(), 1<<50
	if err := check.Refuses(table, huge); client.KindOf(err) != client.Usage || !strings.Contains(fmt.Sprint(err), "has only") {
		t.Error(err)
	}
	table.Items = 1 // the count of a table is hours old
	found, sum, err := run(t.Context(), table, o)
	if err != nil || sum.Complete || int(sum.Items) != made.Items() || len(found) > 0 || len(sum.Checked) > 0 || len(sum.NotChecked) != 2 || !strings.Contains(sum.Why, "the values were not compared with each other: writing temporary files to "+o.Temp+" failed: no such file or directory: make room there, or name a directory on another disk with --temp") {
		t.Errorf("%v, %+v, %v", said(found), sum, err)
	}
}

// dynamoKeys returns the partition keys of a finding's accounts.
func dynamoKeys(f finding.Finding) string {
	var keys []string
	for _, k := range f.Accounts {
		keys = append(keys, k["PK"].Text)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// A check finds a derived key that disagrees with its source attributes. It needs no further pass. A missing attribute
// is no disagreement.
func TestDriftedKeys(t *testing.T) {
	t.Parallel()
	f := start(t)
	keyed := func(id, email, key string) doc { return user(id, email, doc{"GSI1PK": str(key)}) }
	f.create("drifted", "PK:S", "SK:S", keyed("1", "a@x.io", "USER#a@x.io"), keyed("2", "new@x.io", "USER#old@x.io"), keyed("3", "C@x.io", "USER#c@x.io"),
		user("4", "d@x.io"), keyed("6", "f@x.io", "ADMIN#f@x.io"), doc{"PK": str("USER#5"), "SK": str("PROFILE"), "GSI1PK": str("USER#e@x.io")}, doc{"PK": str("ORDER#2"), "SK": str("PROFILE"), "email": str("new@x.io"), "GSI1PK": str("USER#old@x.io")})
	l := unlocked(lockless("email"))
	l.Accounts[0].Derived = []config.Derived{{Attribute: "GSI1PK", Template: "USER#{email}", Normalise: []string{"lower"}}}
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone} {
		found, sum := f.run(f.described("drifted", l), setting.Options{Confirm: confirm})
		if len(found) != 1 || !sum.Complete || sum.Confirmed == (confirm == setting.ConfirmNone) {
			t.Fatalf("%s: %+v, %+v", confirm, found, sum)
		}
		one := found[0]
		if one.Kind != finding.DriftedKey || one.Attribute != "GSI1PK" || one.Seen.Text != "USER#old@x.io" || one.Expected != "USER#new@x.io" || one.Accounts[0]["PK"].Text != "USER#2" {
			t.Errorf("%s: %+v", confirm, one)
		}
	}
	found, sum := f.run(f.described("drifted", l), setting.Options{Only: []finding.Kind{finding.DriftedKey}})
	if len(found) != 1 || len(sum.Notes) > 0 {
		t.Errorf("alone: %+v, %+v", found, sum)
	}
	if found, sum = f.run(f.described("drifted", unlocked(lockless("email"))), setting.Options{Only: []finding.Kind{finding.DriftedKey}}); len(found) > 0 || len(sum.Notes) != 1 {
		t.Errorf("nothing is derived: %+v, %+v", found, sum)
	}

	// If very many keys disagree, the template is probably wrong.
	var items []doc
	for n := range 30 {
		items = append(items, keyed(fmt.Sprint("x", n), fmt.Sprint("x", n, "@x.io"), fmt.Sprint("USER#", n)))
	}
	f.put("drifted", items...)
	found, _ = f.run(f.described("drifted", l), setting.Options{})
	for _, one := range found {
		if one.Confirmed || !one.SuspectLayout || !strings.Contains(one.Detail, "the template USER#{email} may be wrong") {
			t.Errorf("%+v", one)
		}
	}
	if len(found) != 31 {
		t.Errorf("%d found", len(found))
	}
}

// Without a config, a key counts as derived if nearly all items agree. Then a key that disagrees is an unconfirmed
// finding.
func TestDriftedKeysOfARecognisedLayout(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 30 {
		email := fmt.Sprintf("user%d@x.io", n)
		items = append(items, user(fmt.Sprintf("a%02d", n), email, doc{"GSI1PK": str("EMAIL#" + email)}), mail(email))
	}
	items[0]["GSI1PK"] = str("EMAIL#before@x.io")
	if err := sdk.Fill(t.Context(), f.App(), sdk.Indexed(sdk.Table("authjs", "PK:S", "SK:S"), "GSI1PK:S"), items...); err != nil {
		t.Fatal(err)
	}
	found, sum := f.run(f.guessed("authjs"), setting.Options{})
	if len(found) != 1 || found[0].Kind != finding.DriftedKey || found[0].Confirmed || found[0].Expected != "EMAIL#user0@x.io" || !strings.Contains(found[0].Detail, "but the layout is only a guess: write it into the config") {
		t.Errorf("%+v, %+v", found, sum)
	}
}

// A check also finds drifted keys in a table without locks, and in items that are not accounts.
func TestDriftedKeysWithoutLocks(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 30 {
		id, email := fmt.Sprintf("USER#a%02d", n), fmt.Sprintf("user%d@x.io", n)
		items = append(items, doc{"PK": str(id), "SK": str(id), "email": str(email), "GSI1PK": str("USER#" + email)})
	}
	items[0]["GSI1PK"] = str("USER#before@x.io")
	if err := sdk.Fill(t.Context(), f.App(), sdk.Indexed(sdk.Table("authjs", "PK:S", "SK:S"), "GSI1PK:S"), items...); err != nil {
		t.Fatal(err)
	}
	table := f.guessed("authjs")
	if !table.Layout.Empty() {
		t.Fatalf("accounts are recognised: %s", config.Of(table.Layout).TOML())
	}
	found, sum := f.run(table, setting.Options{})
	if len(found) != 1 || found[0].Kind != finding.DriftedKey || found[0].Confirmed || found[0].Expected != "USER#user0@x.io" || found[0].Accounts[0]["PK"].Text != "USER#a00" || !sum.Complete || len(sum.Notes) != 1 {
		t.Errorf("%+v, %+v", found, sum)
	}

	for n := range 30 { // now the accounts have locks, and there are orders
		email := fmt.Sprintf("user%d@x.io", n)
		order := doc{"PK": str(fmt.Sprintf("ORDER#%03d", n)), "SK": str("META"), "tracking": str(fmt.Sprintf("track%03d", n)), "GSI1PK": str(fmt.Sprintf("TRACK#track%03d", n))}
		if n == 7 {
			order["tracking"] = str("another")
		}
		items = append(items, order, mail(email))
		items[n]["SK"] = str("PROFILE")
	}
	items[0]["GSI1PK"] = str("USER#user0@x.io")
	if err := sdk.Fill(t.Context(), f.App(), sdk.Indexed(sdk.Table("shop", "PK:S", "SK:S"), "GSI1PK:S"), items...); err != nil {
		t.Fatal(err)
	}
	table = f.guessed("shop")
	found, sum = f.run(table, setting.Options{})
	if len(table.Layout.Constraints()) == 0 || len(found) != 1 || found[0].Expected != "TRACK#another" {
		t.Errorf("%s %+v, %+v", config.Of(table.Layout).TOML(), found, sum)
	}
}

// A constraint without locks says nothing about locks, so browsing shows no broken accounts.
func TestWithoutLocksNothingIsClaimed(t *testing.T) {
	f := start(t)
	f.create("claims", "PK:S", "SK:S", user("1", "a"), user("2", "b"))
	table := f.described("claims", unlocked(lockless("email")))
	if kind := table.Layout.Accounts[0]; len(kind.Constraints) > 0 || len(kind.Unlocked) != 1 {
		t.Errorf("%+v", kind)
	}
	b := browse.New(table)
	view, err := b.Next(t.Context())
	if err == nil && !view.Complete {
		view, err = b.Next(t.Context())
	}
	if err != nil || len(view.Locks) > 0 || view.Accounts != 2 || slices.ContainsFunc(view.Relations, func(r *verdict.Relation) bool { return r.Verdict.Broken() }) {
		t.Errorf("%v, %+v", err, view)
	}
}
