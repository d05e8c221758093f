package check_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/generator"
)

// Much more is wrong than memory holds: everything is found all the same, once, and
// nothing else; two spellings of one value are one finding although they are left over
// apart.
func TestRounds(t *testing.T) {
	for name, table := range map[string]*generator.Table{
		"no owners": {Pages: 60, PerPage: 40, Anomalies: anomalies(40, false)},
		"owners":    {Pages: 60, PerPage: 40, Anomalies: anomalies(40, true), Owners: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table.Name, table.Seed = "accounts", 7
				for n := range table.Anomalies {
					if table.Anomalies[n].Kind == generator.ExpiringAccount { // else they are the rule
						table.Anomalies[n].Count = 12
					}
				}
				var told []check.Rounds
				found, sum, err := run(t.Context(), openMadeUp(t, table), check.Options{Segments: 4, Memory: 384 << 10, Rounds: func(r check.Rounds) error {
					told = append(told, r)
					return nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				got, want := seen(found), wrong(table)
				for _, all := range [][]string{got, want} { // which lock of an account it names does not matter
					for n, line := range all {
						if fields := strings.Fields(line); fields[0] == string(check.ExpiringAccount) {
							all[n] = fields[0] + " " + fields[len(fields)-1]
						}
					}
					slices.Sort(all)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d found, %d wrong:\n%q\n%q", len(got), len(want), got, want)
				}
				if !sum.Complete || !sum.Confirmed || int(sum.Items) != table.Items() {
					t.Errorf("%+v", sum)
				}
				if len(told) == 0 || told[len(told)-1].Rounds < 3 || told[0].Units <= 0 {
					t.Errorf("told %+v of %+v", told, sum)
				}
			})
		})
	}
}

// Memory makes no other findings, however little it is and however sure it is made.
func TestMemoryMakesNoDifference(t *testing.T) {
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
	for _, confirm := range []check.Confirm{check.ConfirmFull, check.ConfirmReads, check.ConfirmNone} {
		want, _ := f.run(table, check.Options{Confirm: confirm})
		if len(want) != 150 {
			t.Fatalf("%s: %d found", confirm, len(want))
		}
		got, sum := f.run(table, check.Options{Confirm: confirm, Memory: 192 << 10})
		f.want(got, said(want)...)
		if !sum.Complete {
			t.Errorf("%s: %+v", confirm, sum)
		}
	}
}

// However many accounts expire without their locks, as long as most do so together with
// them: each is found, once, and where more are than memory remembers the check says so.
func TestRoundsOfExpiring(t *testing.T) {
	f := start(t)
	for name, want := range map[string]int{"some": 60, "more": 140} {
		var items []doc
		for n := range 10 * want {
			ttl := doc{"ttl": num("4000000000")}
			lock := mail(fmt.Sprint(n), ttl)
			if n < want {
				delete(lock, "ttl")
			}
			items = append(items, user(fmt.Sprint(n), fmt.Sprint(n), ttl), lock)
		}
		f.create(name, "PK:S", "SK:S")
		f.fill(name, items)
		f.expires(name)
		found, sum := f.run(f.described(name, users()), check.Options{Memory: 64 << 10, Confirm: check.ConfirmReads})
		fit := want <= 128
		if sum.Complete != fit || len(found) != min(want, 128) || !fit && !strings.Contains(sum.Why, "more than 128 accounts expire otherwise than their locks, and the others are not listed: give the check more --memory") {
			t.Errorf("%s: %d found, %+v", name, len(found), sum)
		}
	}
}

// It is asked for rounds, and without leave nothing more is read, and nothing is said
// to be complete.
func TestRoundsAreAskedFor(t *testing.T) {
	f := start(t)
	items := []doc{user("0", "0"), mail("0")}
	for n := range 600 {
		items = append(items, mail(fmt.Sprint("x", n)))
	}
	f.create("much", "PK:S", "SK:S", items...)
	no := errors.New("no")
	var asked check.Rounds
	for _, memory := range []int64{300 << 10, 3 << 20} {
		found, sum, err := run(t.Context(), f.described("much", users()), check.Options{Memory: memory, Rounds: func(r check.Rounds) error {
			asked = r
			return no
		}})
		if !errors.Is(err, no) || len(found) != 0 || sum.Complete || sum.Why == "" {
			t.Errorf("%d found, %+v, %v", len(found), sum, err)
		}
		if asked.Sure != (memory > 1<<20) || asked.Values > 800 || asked.Rounds < 2 || asked.Rounds > 15 {
			t.Errorf("%d: %+v: %s", memory, asked, asked)
		}
	}
	if asked.Values < 400 || asked.Rounds > 3 || asked.Memory < 2<<20 || asked.Memory > 6<<20 {
		t.Errorf("%+v", asked)
	}
	if _, sum := f.run(f.described("much", users()), check.Options{Memory: asked.Memory * 4 / 3}); !sum.Complete || sum.Findings[check.OrphanedLock] != 600 {
		t.Errorf("%+v", sum)
	}
}

// spellings are an account with its lock, and 256 spellings of a value with locks and no
// account: no share of the keys has some of them without the others.
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

// What shares cannot tell apart is never clean, and never complete.
func TestTooManySpellings(t *testing.T) {
	f := start(t)
	f.create("spelt", "PK:S", "SK:S", spellings()...)
	found, sum, err := run(t.Context(), f.described("spelt", users()), check.Options{Memory: 64 << 10})
	if err != nil || sum.Complete || len(found) != 0 || !strings.Contains(sum.Why, "spelling") || !strings.Contains(sum.Why, "--memory") {
		t.Errorf("%d found, %+v, %v", len(found), sum, err)
	}
}
