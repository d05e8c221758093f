package fault_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fault"
)

// Until the lag is over, each read may return an old version of each item. Strongly consistent reads
// return the current one.
func TestEventuallyConsistentReadsMayBeLate(t *testing.T) {
	for read := range reads {
		t.Run(read, func(t *testing.T) {
			w := newDelayed(t, fault.Delays{Seed: 1, Lag: lag})
			present := func(want string) {
				t.Helper()
				if got := w.seen(read, true); got != want && !strings.Contains(read, "index") {
					t.Errorf("consistent: %s; want %s", got, want)
				}
			}
			eventually := func(want string) {
				t.Helper()
				if got := w.seen(read, false); got != want {
					t.Errorf("seen: %s; want %s", got, want)
				}
			}
			w.put(row("a", "1"), row("b", "1"))
			eventually(", a=1, a=1 b=1, b=1")
			w.now = w.now.Add(lag)
			eventually("a=1 b=1")

			w.put(row("a", "2"))
			w.delete("b")
			w.now = w.now.Add(lag - 1)
			present("a=2")
			eventually("a=1, a=1 b=1, a=2, a=2 b=1")
			w.put(row("a", "3"))
			eventually("a=1, a=1 b=1, a=2, a=2 b=1, a=3, a=3 b=1")
			w.now = w.now.Add(1)
			eventually("a=2, a=3")
			w.now = w.now.Add(lag)
			eventually("a=3")
			present("a=3")
		})
	}
}

func (w *delayed) transact(v string, conditions ...string) {
	w.t.Helper()
	in := &dynamodb.TransactWriteItemsInput{}
	for _, pk := range []string{"a", "b"} {
		put := &types.Put{TableName: aws.String("tab"), Item: row(pk, v)}
		for _, c := range conditions {
			put.ConditionExpression, put.ExpressionAttributeValues = aws.String("v = :v"), sdk.Item{":v": sdk.S(c)}
		}
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: put})
	}
	_, err := w.db.TransactWriteItems(w.t.Context(), in)
	w.ok(err)
}

func (w *delayed) transactGet() string {
	w.t.Helper()
	in := &dynamodb.TransactGetItemsInput{}
	for _, pk := range []string{"a", "b"} {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: aws.String("tab"), Key: sdk.Item{"pk": sdk.S(pk)}}})
	}
	out, err := w.db.TransactGetItems(w.t.Context(), in)
	w.ok(err)
	return values(out.Responses[0].Item, out.Responses[1].Item)
}

// The items of a transaction may become visible at different times, even to strongly consistent reads, but within the
// spread. No item becomes invisible again. Transactions and conditions see the current items.
func TestItemsOfATransactionMayBecomeVisibleApart(t *testing.T) {
	for read := range reads {
		if strings.Contains(read, "index") {
			continue
		}
		t.Run(read, func(t *testing.T) {
			w := newDelayed(t, fault.Delays{Seed: 1, Spread: spread})
			w.put(row("a", "00"), row("b", "00"))
			shown := map[string]bool{}
			for i := range 40 {
				old, fresh := fmt.Sprintf("%02d", i), fmt.Sprintf("%02d", i+1)
				w.transact(fresh, old)
				if got, want := w.transactGet(), "a="+fresh+" b="+fresh; got != want {
					t.Fatalf("transacted: %s; want %s", got, want)
				}
				var before string
				for range 4 {
					got := reads[read](w, true)
					if got < before {
						t.Fatalf("%s after %s", got, before)
					}
					if again := reads[read](w, true); again != got {
						t.Fatalf("%s and %s at the same moment", got, again)
					}
					before = got
					shown[strings.NewReplacer("="+old, "=old", "="+fresh, "=new").Replace(got)] = true
					w.now = w.now.Add(spread / 4)
				}
				if got, want := reads[read](w, true), "a="+fresh+" b="+fresh; got != want {
					t.Fatalf("after the spread: %s; want %s", got, want)
				}
			}
			if got := strings.Join(slices.Sorted(maps.Keys(shown)), ", "); got != "a=new b=new, a=new b=old, a=old b=new, a=old b=old" {
				t.Errorf("seen: %s", got)
			}
		})
	}
}

// An eventually consistent read may be as old as the lag and the spread together, and not older.
func TestLagComesOnTopOfTheSpread(t *testing.T) {
	w := newDelayed(t, fault.Delays{Seed: 1, Lag: lag, Spread: spread})
	w.put(row("a", "0"), row("b", "0"))
	w.now = w.now.Add(lag)
	late := false
	for i := range 20 {
		old, fresh := fmt.Sprint(i), fmt.Sprint(i+1)
		w.transact(fresh)
		w.now = w.now.Add(lag)
		late = late || strings.Contains(w.seen("Scan", false)+" ", "="+old+" ")
		w.now = w.now.Add(spread)
		if got, want := w.seen("Scan", false), "a="+fresh+" b="+fresh; got != want {
			t.Fatalf("%s; want %s", got, want)
		}
	}
	if !late {
		t.Error("nothing was seen later than the lag")
	}
}

// The same seed gives the same results.
func TestDelaysAreTheSameInEveryRun(t *testing.T) {
	run := func(seed uint64) string {
		w := newDelayed(t, fault.Delays{Seed: seed, Lag: lag, Spread: spread})
		var out []string
		for i := range 20 {
			w.transact(fmt.Sprint(i))
			w.now = w.now.Add(spread / 2)
			out = append(out, reads["Scan"](w, i%2 == 0), reads["GetItem"](w, false))
		}
		return strings.Join(out, "\n")
	}
	first := run(7)
	if run(7) != first {
		t.Error("two runs with one seed differ")
	}
	if run(8) == first {
		t.Error("two seeds make no difference")
	}
}

// If an item moves within an index, no read sees it both at its old place and at its new place.
func TestAnItemIsSeenOnceInAnIndex(t *testing.T) {
	w := newDelayed(t, fault.Delays{Seed: 1, Lag: lag, Spread: spread})
	w.put(row("a", "0"))
	w.now = w.now.Add(lag)
	places := map[string]int{}
	for i := range 200 {
		item := row("a", "1")
		item["kind"] = sdk.S([]string{"row", "column"}[i%2])
		w.put(item)
		w.now = w.now.Add(lag / 3)
		out, err := w.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("tab"), IndexName: aws.String("kind-index")})
		w.ok(err)
		if len(out.Items) != 1 {
			t.Fatalf("seen %d times", len(out.Items))
		}
		for _, item := range out.Items {
			places[item["kind"].(*types.AttributeValueMemberS).Value]++
		}
	}
	if len(places) != 2 {
		t.Errorf("seen at %v; want both places", places)
	}
}
