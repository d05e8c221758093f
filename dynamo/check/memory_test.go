package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/internal/generator"
	"tallylock/internal/testrun"
)

// There are more problems than the first reading can tell apart, but not more than memory can hold. The check then
// reads the table once more. It finds each problem once, and nothing else.
func TestOneMoreReading(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]*generator.Table{
		"no owners": {Pages: 220, PerPage: 40, Anomalies: anomalies(750, false)},
		"owners":    {Pages: 220, PerPage: 40, Anomalies: anomalies(500, true), Owners: true},
	} {
		if !testrun.Long() && !table.Owners {
			continue // this table has fewer kinds of problems
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table.Name, table.Seed = "accounts", 7
				for n := range table.Anomalies {
					if table.Anomalies[n].Kind == generator.ExpiringAccount { // more would share one finding
						table.Anomalies[n].Count = 12
					}
				}
				stages := map[progress.Stage]bool{}
				var found []finding.Finding
				// The first sketch has two cells for each item that the description counts.
				open := openMadeUp(t, table)
				open.Items = 1
				sum, err := check.Run(t.Context(), open, setting.Options{Segments: 4}, func(f finding.Finding) { found = append(found, f) }, func(s progress.State) { stages[s.Stage] = true })
				if err != nil {
					t.Fatal(err)
				}
				same(t, seen(found), wrong(table))
				if !sum.Complete || !sum.Confirmed || int(sum.Items) != table.Items() {
					t.Errorf("%+v", sum)
				}
				if !stages[progress.ReadingMore] {
					t.Errorf("it was not read once more: %v", stages)
				}
			})
		})
	}
}

// same compares findings. For an account that expires, it ignores which lock the finding names.
func same(t *testing.T, got, want []string) {
	t.Helper()
	for _, all := range [][]string{got, want} {
		for n, line := range all {
			if fields := strings.Fields(line); fields[0] == string(finding.ExpiringAccount) {
				all[n] = fields[0] + " " + fields[len(fields)-1]
			}
		}
		slices.Sort(all)
	}
	alike(t, got, want)
}

// There are many more problems than memory can hold. The check reports only problems that exist, and one finding for
// all spellings of a value. It says how many problems there are, and how much memory it needs for all of them. A
// missing lock stays unconfirmed: a lock with another form of the value may be in a part of the keys that the check did
// not follow up.
func TestMoreThanMemory(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{user("0", "0"), mail("0")}
	const each = 150
	for n := range each {
		v := fmt.Sprint("x", n)
		items = append(items, mail("o"+v), user("m"+v, "m"+v), user("d"+v, "d"+v), user("again"+v, "d"+v), mail("d"+v),
			user("s"+v, strings.ToUpper("s"+v)), mail("  s"+v), mail("h"+v), user("h"+v, "h"+v))
	}
	f.create("much", "PK:S", "SK:S", items...)
	table := f.described("much", users())
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone} {
		all, sum := f.run(table, setting.Options{Confirm: confirm})
		if len(all) != 4*each || !sum.Complete {
			t.Fatalf("%s: %d found, %+v", confirm, len(all), sum)
		}
		found, sum := f.run(table, setting.Options{Confirm: confirm, Memory: 150 << 10})
		for _, one := range found {
			if one.Confirmed && one.Kind == finding.MissingLock {
				t.Errorf("%s: %s %s is confirmed", confirm, one.Kind, one.Value)
			}
		}
		for _, line := range said(found) {
			if sure, doubted := strings.CutSuffix(line, "?"); doubted && strings.HasPrefix(line, string(finding.MissingLock)) {
				line = sure
			} else if strings.HasPrefix(line, string(finding.MissingLock)) {
				t.Errorf("%s: confirmed: %s", confirm, line)
			}
			if !slices.Contains(said(all), line) && !slices.Contains(said(all), line+"?") {
				t.Errorf("%s: found, and not there: %s", confirm, line)
			}
		}
		if len(found) < 40 || len(found) > 240 || sum.Complete {
			t.Errorf("%s: %d found, %+v", confirm, len(found), sum)
		}
		for _, says := range []string{"values look broken, about", "orphaned-lock", "missing-lock", "duplicate-value", "unnormalised-value", " % of these values: give the check --memory"} {
			if !strings.Contains(sum.Why, says) {
				t.Errorf("%s: %q does not say %q", confirm, sum.Why, says)
			}
		}
	}
}

// A small memory does not change the findings, as long as it is enough.
func TestMemoryMakesNoDifference(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{user("0", "0"), mail("0")}
	for n := range 150 {
		v := fmt.Sprint("x", n)
		switch n % 5 {
		case 0:
			items = append(items, mail(v))
		case 1:
			items = append(items, user(v, v))
		case 2:
			items = append(items, user(v, v), user("again"+v, v), mail(v))
		case 3:
			items = append(items, user(v, strings.ToUpper(v)), mail("  "+v))
		default:
			long := v + strings.Repeat("long", 60)
			items = append(items, mail(long))
		}
	}
	f.create("much", "PK:S", "SK:S", items...)
	table := f.described("much", users())
	for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone} {
		want, _ := f.run(table, setting.Options{Confirm: confirm})
		if len(want) != 150 {
			t.Fatalf("%s: %d found", confirm, len(want))
		}
		got, sum := f.run(table, setting.Options{Confirm: confirm, Memory: 256 << 10})
		f.want(got, said(want)...)
		if !sum.Complete {
			t.Errorf("%s: %+v", confirm, sum)
		}
	}
}

// Most accounts expire together with their locks, and the others do not. The check finds each of the others once. If
// there are more of them than memory can hold, the check says so.
func TestMoreExpireThanAreListed(t *testing.T) {
	t.Parallel()
	f := start(t)
	for name, want := range map[string]int{"some": 60, "more": 200} {
		var items []doc
		for n := range 10 * want {
			ttl := doc{"ttl": num("4000000000")}
			lock := mail(fmt.Sprint(n), ttl)
			if n < want {
				delete(lock, "ttl")
			}
			items = append(items, user(fmt.Sprint(n), fmt.Sprint(n), ttl), lock)
		}
		f.create(name, "PK:S", "SK:S", items...)
		f.expires(name)
		found, sum := f.run(f.described(name, users()), setting.Options{Memory: 64 << 10, Confirm: setting.ConfirmReads})
		fit := want == 60
		if sum.Complete != fit || fit && len(found) != want || len(found) == 0 || !fit && !strings.Contains(sum.Why, "expiring-account") {
			t.Errorf("%s: %d found, %+v", name, len(found), sum)
		}
	}
}

// spellings returns an account with its lock, and 256 locks without an account. The 256 locks are for spellings of one
// value, so every partition of the keys has all of them or none.
func spellings() []doc {
	items := []doc{user("0", "0"), mail("0")}
	for n := range 256 {
		spelling := []byte("abcdefgh")
		for bit := range spelling {
			if n>>bit&1 == 1 {
				spelling[bit] -= 'a' - 'A'
			}
		}
		items = append(items, mail(string(spelling)))
	}
	return items
}

// If a partition has too many keys and cannot be divided, the check is incomplete, and does not call the table clean.
func TestTooManySpellings(t *testing.T) {
	f := start(t)
	f.create("spelt", "PK:S", "SK:S", spellings()...)
	found, sum, err := run(t.Context(), f.described("spelt", users()), setting.Options{Memory: 64 << 10})
	if err != nil || sum.Complete || len(found) != 0 || !strings.Contains(sum.Why, "--memory") {
		t.Errorf("%d found, %+v, %v", len(found), sum, err)
	}
}
