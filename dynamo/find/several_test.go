package find_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/find"
	"tallylock/internal/fixture"
)

// asked has values of the demo: all verdicts, other spellings, an id and a hostile value.
var asked = []string{
	"ada@lovelace.io", "alan", "a1f9c3", "ACCT#a1f9c3", "hopper", "nobody", "mel@oldmail.test", "undefined",
	"margaret.hamilton@draper.test", "mhamilton", "\x1b]0;owned\x07\x1b[2Jroot", "ADA@lovelace.io", " Evelyn ", "mel",
}

// near lists the look-alikes of an answer.
func near(a *find.Answer) (all []string) {
	for _, n := range a.Near {
		all = append(all, n.Relation.Value+" "+n.How)
	}
	return all
}

// Several values get the same answers as in separate searches, and share one reading of the whole table.
func TestSeveralValuesAreAnsweredAsEachAlone(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"accounts", "members"} {
		f := fixture.New(t)
		open := f.Open(table)
		var want []string
		for _, v := range asked {
			a, err := find.Find(t.Context(), open, v, find.Options{Near: true})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprint(verdicts(a), " | ", values(a), " | ", a.Note(), a.Complete, near(a)))
		}
		f.Requests()
		got, err := find.Several(t.Context(), open, asked, find.SeveralOptions{Agreed: true, Near: true}, func(find.Progress) {})
		if err != nil || got.Found != len(asked) || got.Limited {
			t.Fatalf("%s: %d found, %v", table, got.Found, err)
		}
		for n, a := range got.Answers {
			if now := fmt.Sprint(verdicts(a), " | ", values(a), " | ", a.Note(), a.Complete, near(a)); now != want[n] {
				t.Errorf("%s %q:\n  %s\nalone:\n  %s", table, asked[n], now, want[n])
			}
		}
		scans := len(slices.DeleteFunc(f.Requests(), func(op string) bool { return op != "Scan" }))
		_, err = find.Find(t.Context(), open, "nobody", find.Options{})
		alone := len(slices.DeleteFunc(f.Requests(), func(op string) bool { return op != "Scan" }))
		if err != nil || scans != alone {
			t.Errorf("%s: %d requests read the whole table for all values, and %d for one", table, scans, alone)
		}
	}
}

// The estimate is close to the price of the reads by key, and sends no request.
func TestSeveralCost(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	open := f.Open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 0.1 })
	f.Requests()
	byKey, sweep := find.SeveralCost(open, asked, nil)
	if n := len(f.Requests()); n != 0 || sweep <= 0 {
		t.Errorf("the estimate sends %d requests, and the whole table costs %v", n, sweep)
	}
	got, err := find.Several(t.Context(), open, asked, find.SeveralOptions{Agreed: true}, func(find.Progress) {})
	if err != nil || got.Found != len(asked) || got.Units > byKey || got.Units < byKey/4 {
		t.Errorf("%d found for %v read units, estimated as %v; %v", got.Found, got.Units, byKey, err)
	}
}

// Without consent the search stops at the limit of read units.
func TestSeveralValuesKeepToTheLimit(t *testing.T) {
	t.Parallel()
	open := fixture.New(t).Open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 9 })
	got, err := find.Several(t.Context(), open, asked, find.SeveralOptions{}, func(find.Progress) {})
	if err != nil || !got.Limited || got.Read == 0 || got.Read == len(asked) {
		t.Errorf("%d of %d values read for %v read units, limited: %v, %v", got.Read, len(asked), got.Units, got.Limited, err)
	}
}

// A cancelled search keeps its answers, also for the values that wait for the whole table.
func TestACancelledSearchKeepsWhatItFound(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	for name, change := range map[string]func(*dynamo.Options){
		"small": func(*dynamo.Options) {}, "large": func(o *dynamo.Options) { o.AutoReadUnits = 0.1 },
	} {
		ctx, stop := context.WithCancel(t.Context())
		many := slices.Repeat([]string{"alan"}, 300)
		got, err := find.Several(ctx, f.Open("accounts", change), many, find.SeveralOptions{Agreed: true},
			func(now find.Progress) {
				if now.Read >= 3 {
					stop()
				}
			})
		if !errors.Is(err, context.Canceled) || got.Read < 3 || got.Read == len(many) || got.Found != got.Read {
			t.Errorf("%s: %d read, %d found, %v", name, got.Read, got.Found, err)
		}
		for _, a := range got.Answers {
			if a != nil && (verdicts(a) != "email unknown, username unknown" || a.Whole == nil) {
				t.Errorf("%s: %s", name, verdicts(a))
			}
		}
	}
}

// BenchmarkFindSeveral finds a thousand values with one reading of the table.
func BenchmarkFindSeveral(b *testing.B) {
	open := fixture.New(b).Open("accounts")
	var many []string
	for n := range 1000 {
		many = append(many, fmt.Sprint("user", n))
	}
	for b.Loop() {
		if _, err := find.Several(b.Context(), open, many, find.SeveralOptions{Agreed: true}, func(find.Progress) {}); err != nil {
			b.Fatal(err)
		}
	}
}
