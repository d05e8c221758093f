package find_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// outgrown returns a table that has grown since DynamoDB counted its items: the estimate of its price is too low.
func outgrown(t *testing.T, auto float64) *dynamo.Table {
	t.Helper()
	f := fixture.New(t)
	f.Create("grown", "PK:S", "SK:S")
	f.Put("grown", fixture.Account("1", "ada@lovelace.io", "ada"), fixture.Lock("EMAIL", "ada@lovelace.io"),
		fixture.Lock("HANDLE", "ada"), fixture.Lock("HANDLE", "gone"))
	table := f.Open("grown", func(o *dynamo.Options) { o.AutoReadUnits = auto })
	var rows []sdk.Item
	for n := range 400 {
		p := fixture.Account(fmt.Sprint("more", n), fmt.Sprintf("p%d@example.net", n), fmt.Sprintf("p%d", n))
		p["bio"] = sdk.S(strings.Repeat("x", 3000))
		rows = append(rows, p)
	}
	f.Put("grown", rows...)
	if price := dynamo.AccountsCost(table).Units; price > 10 {
		t.Fatalf("the table costs about %v read units: the estimate knows of its growth", price)
	}
	return table
}

// A sweep with a limit stops at the limit, even if the estimate of its price was lower.
func TestASweepStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	const most, points = 60, 20
	table := outgrown(t, 0.001)
	a, err := find.Find(t.Context(), table, "gone", find.Options{Scan: true, MaxUnits: most})
	if err != nil || a.Complete || a.ReadUnits > most+points || a.ReadUnits < most/3 {
		t.Fatalf("%v read units, complete: %v, %v; want at most %d", a.ReadUnits, a.Complete, err, most)
	}
	if a.Whole == nil {
		t.Error("the answer has no price for the rest")
	}
	if last := a.Reads[len(a.Reads)-1]; !strings.HasSuffix(last.Found, "the rest might cost more than 60 read units") {
		t.Errorf("the sweep says %q", last.Found)
	}
	for n := 1; !a.Complete && n < 20; n++ {
		before := a.ReadUnits
		a, err = find.Find(t.Context(), table, "gone", find.Options{Scan: true, MaxUnits: most, After: a})
		if err != nil || a.ReadUnits-before > most+points {
			t.Fatalf("%v more read units, %v; want at most %d", a.ReadUnits-before, err, most)
		}
	}
	if got := verdicts(a); got != "email free?, username orphaned?" || !a.Complete {
		t.Errorf("after several parts: %s, complete: %v", got, a.Complete)
	}
}

// Two searches continue the same answer at once: only one of them continues its work, and the answer stays as it was.
func TestTwoSearchesContinueAnAnswer(t *testing.T) {
	t.Parallel()
	table := outgrown(t, 0.001)
	a, err := find.Find(t.Context(), table, "gone", find.Options{Scan: true, MaxUnits: 60})
	if err != nil || a.Complete {
		t.Fatalf("complete: %v, %v", a.Complete, err)
	}
	was := relationsOf(a)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			b, err := find.Find(t.Context(), table, "gone", find.Options{Scan: true, After: a})
			if err != nil {
				t.Error(err)
			} else if got := verdicts(b); got != "email free?, username orphaned?" || !b.Complete {
				t.Errorf("%s, complete: %v", got, b.Complete)
			}
		})
	}
	if now := relationsOf(a); !reflect.DeepEqual(now, was) { // read while both searches run
		t.Errorf("the first answer became %+v; it was %+v", now, was)
	}
	both.Wait()
	if now := relationsOf(a); !reflect.DeepEqual(now, was) {
		t.Errorf("the first answer became %+v; it was %+v", now, was)
	}
}

// relationsOf returns all relations of an answer.
func relationsOf(a *find.Answer) (all []verdict.Relation) {
	rels := slices.Concat(a.Locks, a.Unlocked)
	for _, n := range a.Near {
		rels = append(rels, n.Relation)
	}
	for _, h := range a.Accounts {
		rels = append(rels, h.Values...)
	}
	for _, r := range rels {
		all = append(all, *r)
	}
	return all
}

// The sweep of several values stops at its limit, too.
func TestTheSweepOfSeveralValuesStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	const most, points = 60, 40
	table := outgrown(t, most)
	for _, agreed := range []bool{false, true} {
		o := find.SeveralOptions{Scan: true, Agreed: agreed, MaxUnits: most}
		got, err := find.Several(t.Context(), table, []string{"gone", "ada"}, o, func(find.Progress) {})
		if err != nil || got.Units > most+points {
			t.Errorf("%v read units, %v; want at most %d", got.Units, err, most)
		}
	}
}
