package check_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/internal/fault"
	"tallylock/internal/generator"
)

// If memory is too small for a part of the data, the check names this part and is incomplete. With enough memory it is
// complete.

// The table has more counters than the check can follow.
func TestMoreCountersThanMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 40 {
		items = append(items, doc{"PK": str(fmt.Sprintf("REPO#ada#r%02d", n)), "SK": str("ISSUE#00000007")})
	}
	f.create("github", "PK:S", "SK:S", items...)
	table := f.open("github", func(o *dynamo.Options) { o.Layout = "debrie-github" })
	found, sum := f.run(table, setting.Options{Memory: 1})
	if len(found) != 25 || sum.Complete || !strings.Contains(sum.Why, "more than 25 counters; the rest were not compared with the ids in use: give the check more --memory") {
		t.Errorf("%d found, %+v", len(found), sum)
	}
	if _, sum = f.run(table, setting.Options{Memory: 1, Only: []finding.Kind{finding.OrphanedLock}}); !sum.Complete {
		t.Errorf("nobody asked for counters: %+v", sum)
	}
	found, sum = f.run(table, setting.Options{})
	if len(found) != 40 || !sum.Complete {
		t.Errorf("%d found, %+v", len(found), sum)
	}
}

// On a machine with many cores the check has a sketch for each core, as long as memory allows.
func TestManyCores(t *testing.T) {
	const wrong = 8000
	open := openMadeUp(t, &generator.Table{Name: "accounts", Pages: 60, PerPage: 300, Seed: 1, Anomalies: []generator.Wrong{{Kind: generator.OrphanedLock, Count: wrong}}})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	took := func(cores int) int64 {
		runtime.GOMAXPROCS(cores)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, sum, err := run(t.Context(), open, setting.Options{Confirm: setting.ConfirmNone})
		runtime.ReadMemStats(&after)
		if err != nil || !sum.Complete || len(found) != wrong {
			t.Fatalf("%d found, %+v, %v", len(found), sum, err)
		}
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	if one, many := took(1), took(64); many-one > setting.DefaultMemory {
		t.Errorf("%d MB on one core, %d on 64", one>>20, many>>20)
	}
}

// More ids occur twice than the check can list.
func TestMoreTwinsThanMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{{"name": str("invoice"), "at": num("99")}}
	for n := range 80 {
		for twin := range 2 {
			items = append(items, doc{"name": str(fmt.Sprintf("item%d.%d", n, twin)), "no": num(fmt.Sprint(n + 1))})
		}
	}
	f.create("bills", "name:S", "", items...)
	table := f.described("bills", config.Layout{Counters: []config.Counter{{Name: "invoice", PK: "invoice", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}})
	found, sum := f.run(table, setting.Options{Memory: 1})
	if len(found) != 56 || sum.Complete || !strings.Contains(sum.Why, "80 ids occurred at least twice in the first reading; the check followed up 56 of them: repair these, and check again") {
		t.Errorf("%d found, %+v", len(found), sum)
	}
	found, sum = f.run(table, setting.Options{})
	if len(found) != 80 || !sum.Complete {
		t.Errorf("%d found, %+v", len(found), sum)
	}
}

// So many values change during the second reading that memory cannot hold their keys.
func TestMoreMovesThanMemory(t *testing.T) {
	t.Parallel()
	for memory, says := range map[int64]bool{1: true, 0: false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1, fault.Delays{})
			w.signUp("B", "held")
			w.signUp("A", "v")
			w.expire("A")
			imported := false
			w.before = func(q request) {
				if q.look() && !imported {
					imported = true
					for n := range 400 {
						w.imports(fmt.Sprint("new", n), fmt.Sprint("late", n))
					}
				}
			}
			found, sum, err := run(t.Context(), w.open(time.Second), setting.Options{Segments: 16, Memory: memory})
			if err != nil || !imported || len(found) == 0 || found[0].Value != "v" {
				t.Fatalf("%v, %+v, %v", said(found), sum, err)
			}
			told := len(sum.Notes) == 1 && strings.Contains(sum.Notes[0], "too many values changed during the second reading, so the check did not judge values that looked broken only then") && strings.Contains(sum.Notes[0], "check again")
			if told != says || !says && sum.Unsettled == 0 {
				t.Errorf("with memory %d: %q, %d unsettled", memory, sum.Notes, sum.Unsettled)
			}
		})
	}
}

// The summary counts the marks that it does not list.
func TestMoreMarksThanListed(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 1010 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n)), mail(fmt.Sprint(n), doc{schema.MarkAttribute: str("0123")}))
	}
	f.create("marked", "PK:S", "SK:S", items...)
	found, sum := f.run(f.described("marked", users()), setting.Options{})
	if len(found) != 0 || len(sum.Marks) != 1000 || sum.MoreMarks != 10 {
		t.Errorf("%d found, %d marks and %d more", len(found), len(sum.Marks), sum.MoreMarks)
	}
}

// expires turns on TTL for a table.
func (f *fixture) expires(table string) {
	f.t.Helper()
	if err := sdk.Expire(f.t.Context(), f.App(), table, "ttl"); err != nil {
		f.t.Fatal(err)
	}
}

// If very many accounts expire without their locks, and memory is too small to list them, one finding covers all of
// them.
func TestMoreExpireThanMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 300 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint(n), doc{"ttl": num("4000000000")}), mail(fmt.Sprint(n)))
	}
	f.create("fading", "PK:S", "SK:S", append(items, user("stays", "stays"), mail("stays"), mail("left"))...)
	f.expires("fading")
	found, sum := f.run(f.described("fading", users()), setting.Options{Memory: 1})
	f.want(found, "expiring-account ?", "orphaned-lock left")
	for _, one := range found {
		if says := "300 of 301 accounts expire. For many values, only the account or only the lock expires: too many to list. If DynamoDB deletes an account without its lock, the lock stays for ever."; one.Kind == finding.ExpiringAccount && one.Detail != says {
			t.Error(one.Detail)
		}
	}
	if !sum.Complete || sum.Confirmed {
		t.Errorf("%+v", sum)
	}
	if found, sum = f.run(f.described("fading", users()), setting.Options{}); len(found) != 301 || !sum.Confirmed {
		t.Errorf("%d found, %+v", len(found), sum)
	}
}

// Accounts that still exist after their expiry count as holders. The finding names some of them, and counts the rest.
func TestManyAccountsPastTheirTime(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{mail("n/a", doc{"ttl": num("4000000000")})}
	for n := range 5 {
		items = append(items, user(fmt.Sprint(n), "n/a", doc{"ttl": num("1000000000")}))
	}
	f.create("over", "PK:S", "SK:S", items...)
	f.expires("over")
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmNone} {
		found, _ := f.run(f.described("over", users()), setting.Options{Confirm: confirm, Only: []finding.Kind{finding.DuplicateValue}})
		if len(found) != 1 {
			t.Fatalf("found %q", said(found))
		}
		one := found[0].Detail
		if n := strings.Count(one, "expired at 2001-09-09 01:46:40 UTC, but still exists: DynamoDB may delete the account at any time."); n != 3 || !strings.HasSuffix(one, " 2 more have expired, too.") {
			t.Error(one)
		}
	}
}
