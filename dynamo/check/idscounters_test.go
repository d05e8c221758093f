package check_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
)

func num(v string) types.AttributeValue { return sdk.N(v) }

// create makes a table with these items. Its keys are written name:type.
func (f *fixture) create(table, hash, rng string, items ...doc) {
	f.t.Helper()
	if err := sdk.Fill(f.t.Context(), f.App(), sdk.Table(table, hash, rng), items...); err != nil {
		f.t.Fatal(err)
	}
}

// put writes items with different keys.
func (f *fixture) put(table string, items ...doc) {
	f.t.Helper()
	if err := sdk.Put(f.t.Context(), f.App(), table, items...); err != nil {
		f.t.Fatal(err)
	}
}

// described opens a table with this layout.
func (f *fixture) described(table string, l config.Layout, change ...func(*dynamo.Options)) *dynamo.Table {
	f.t.Helper()
	l.Name, l.Tables = "ours", []string{table}
	for _, a := range l.Accounts {
		for n := range a.Constraints {
			if c := &a.Constraints[n]; c.Table != "" && c.AlsoIn == nil {
				c.AlsoIn = &[]string{}
			}
		}
	}
	return f.open(table, append(change, func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })...)
}

// The layouts of these sample tables, with their counters, are recognised without help.
func TestCountersOfSampleTables(t *testing.T) {
	t.Parallel()
	f := start(t)
	for table, want := range map[string][]string{
		"posts": nil, "order_id": nil, "donation-data": nil, "NextIdTable": nil,
		"Tickets": {"counter-not-a-number badges", "counter-unsafe-integer events"},
	} {
		found, sum := f.run(f.open(table), setting.Options{})
		f.want(found, want...)
		if !sum.Complete {
			t.Errorf("%s: %+v", table, sum)
		}
	}
	f.put("posts", doc{"id": num("50")}, doc{"id": num("43")})
	found, sum := f.run(f.open("posts"), setting.Options{})
	f.want(found, "counter-behind posts")
	if found[0].HighestID != "50" || found[0].Seen.Text != "42" || len(sum.Counters) != 1 || *sum.Counters[0].HighestID != "50" {
		t.Errorf("%+v, %+v", found[0], sum)
	}
	if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("posts"), Key: doc{"id": num("-1")}}); err != nil {
		t.Fatal(err)
	}
	found, _ = f.run(f.open("posts", func(o *dynamo.Options) { o.Layout = "dynamodb-mapper" }), setting.Options{})
	f.want(found, "counter-missing posts")
}

// The layout has families of counters, ids with leading zeros in keys, and one series for two kinds of items.
func TestIssuesAndPullRequests(t *testing.T) {
	t.Parallel()
	f := start(t)
	repo := func(name, count string) doc {
		return doc{"PK": str("REPO#ada#" + name), "SK": str("REPO#ada#" + name), "IssuesAndPullRequestCount": num(count)}
	}
	issue := func(name string, n int) doc {
		return doc{"PK": str("REPO#ada#" + name), "SK": str(fmt.Sprintf("ISSUE#%08d", n))}
	}
	pull := func(name string, n int) doc {
		key := str(fmt.Sprintf("PR#ada#%s#%08d", name, n))
		return doc{"PK": key, "SK": key}
	}
	f.create("github", "PK:S", "SK:S", repo("engine", "15"), issue("engine", 9), pull("engine", 15), issue("engine", 14), // in order
		repo("notes", "3"), issue("notes", 3), pull("notes", 4), // behind
		issue("lost", 7),                                         // no such counter
		repo("twins", "10"), issue("twins", 6), pull("twins", 6), // one id occurs twice
		repo("text", "7"), issue("text", 7), doc{"PK": str("REPO#ada#text"), "SK": str("ISSUE#abc")},
		doc{"PK": str("REPO#ada#odd"), "SK": str("REPO#ada#odd"), "IssuesAndPullRequestCount": num("1.5")},
	)
	for confirm, mark := range map[setting.Confirm]string{setting.ConfirmFull: "", setting.ConfirmReads: "", setting.ConfirmNone: "?"} {
		found, _ := f.run(f.open("github"), setting.Options{Confirm: confirm})
		f.want(found, "counter-behind ada/notes"+mark, "counter-missing ada/lost"+mark, "duplicate-id ada/twins"+mark, "counter-not-a-number ada/odd"+mark)
		for _, one := range found {
			if one.Kind == finding.DuplicateID && (one.ID != "6" || len(one.Items) != 2) {
				t.Errorf("%+v", one)
			}
			if confirm == setting.ConfirmNone && strings.Contains(one.Evidence, "ead together") {
				t.Errorf("%s: %s", one.Kind, one.Evidence)
			}
		}
	}
}

// A family has more counters than a worker keeps at once.
func TestAFamilyOfManyCounters(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	var want []string
	for n := range 2500 {
		name, count := fmt.Sprintf("r%04d", n), "2"
		if n%1000 == 500 {
			count = "1" // behind
			want = append(want, "counter-behind ada/"+name)
		}
		items = append(items, doc{"PK": str("REPO#ada#" + name), "SK": str("REPO#ada#" + name), "IssuesAndPullRequestCount": num(count)})
		for id := range 2 {
			items = append(items, doc{"PK": str("REPO#ada#" + name), "SK": str(fmt.Sprintf("ISSUE#%08d", id+1))})
		}
	}
	f.create("github", "PK:S", "SK:S", items...)
	found, _ := f.run(f.open("github"), setting.Options{Segments: 3})
	f.want(found, want...)
}

// If very many items have one id, the finding lists some of them and counts all.
func TestManyItemsOfOneID(t *testing.T) {
	f := start(t)
	items := []doc{{"name": str("invoice"), "at": num("9")}}
	for n := range 25 {
		items = append(items, doc{"name": str(fmt.Sprint("item", n)), "no": num("7")})
	}
	f.create("bills", "name:S", "", items...)
	table := f.described("bills", config.Layout{Counters: []config.Counter{{Name: "invoice", PK: "invoice", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}})
	for confirm, mark := range map[setting.Confirm]string{setting.ConfirmReads: "", setting.ConfirmNone: "?"} {
		found, _ := f.run(table, setting.Options{Confirm: confirm})
		f.want(found, "duplicate-id invoice"+mark)
		if says := "10 items carry the id 7 of the counter invoice. 15 more had this id when they were read; they are not listed."; found[0].Detail != says || len(found[0].Items) != 10 {
			t.Errorf("%s", found[0].Detail)
		}
	}
}

// Ids may be in other tables, in attributes and in text. Numbers may exceed the range of a double, and series may be
// interleaved.
func TestIDsInOtherTables(t *testing.T) {
	f := start(t)
	var invoices []doc
	for n := range 40 {
		invoices = append(invoices, doc{"id": str(strconv.Itoa(n)), "no": str(fmt.Sprintf("INV-%05d", n)), "even": num(strconv.Itoa(2 * n))})
	}
	invoices = append(invoices, doc{"id": str("big"), "no": str("INV-9007199254740993")}, doc{"id": str("again"), "no": str("INV-17")}, doc{"id": str("odd"), "even": num("81")})
	f.create("invoices", "id:S", "", invoices...)
	f.create("numbers", "name:S", "", doc{"name": str("invoice"), "at": num("9007199254740992")}, doc{"name": str("even"), "at": num("78")}, doc{"name": str("next"), "at": num("39")})
	ids := []config.IDs{{Table: "invoices", Attribute: "no", Text: "INV-{number}"}}
	table := f.described("numbers", config.Layout{Counters: []config.Counter{
		{Name: "invoice", PK: "invoice", Attribute: "at", IDs: ids},
		{Name: "even", PK: "even", Attribute: "at", Step: "2", IDs: []config.IDs{{Table: "invoices", Attribute: "even"}}},
		{Name: "next", PK: "next", Attribute: "at", Semantics: "next", Step: "2", Offset: "1", IDs: []config.IDs{{Table: "invoices", Attribute: "even"}}},
	}})
	found, sum := f.run(table, setting.Options{})
	f.want(found, "counter-behind invoice", "counter-unsafe-integer invoice", "duplicate-id invoice", "counter-behind next")
	if sum.Items != 46 {
		t.Errorf("%+v", sum)
	}
	for _, one := range found {
		if one.Kind == finding.CounterBehind && one.Counter == "invoice" && (one.HighestID != "9007199254740993" || one.Items[0].Table != "invoices") {
			t.Errorf("%+v", one)
		}
	}
}

// If one transaction writes a counter and its item, the check reads both together, and reports nothing if only half of
// the transaction is visible. It reads every counter after the last id.
func TestGaplessCounters(t *testing.T) {
	t.Parallel()
	for seed := range orders() {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed, fault.Delays{Seed: seed, Spread: 5 * time.Second})
			w.latency = 20 * time.Millisecond
			mint := func(n int) {
				count := types.TransactWriteItem{Update: &types.Update{
					TableName: aws.String(worldTable), Key: doc{"PK": str("COUNTER"), "SK": str("issue")},
					UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: doc{":one": num("1")},
				}}
				w.write(count, put(doc{"PK": str("ISSUE#" + strconv.Itoa(n)), "SK": str("ISSUE")}))
			}
			minted := 0
			w.before = func(q request) {
				if q.operation == "Scan" {
					minted++
					mint(minted)
				}
			}
			table := opened(t, dynamo.Options{Options: client.Options{Transport: w, Settle: settle}, Layouts: []config.Layout{{
				Name: "issues", Tables: []string{worldTable}, Counters: []config.Counter{{Name: "issue", PK: "COUNTER", SK: "issue", Attribute: "n", IDs: []config.IDs{{PK: "ISSUE#{number}", SK: "ISSUE"}}}},
			}}}, worldTable)
			for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads} {
				w.asked = nil
				found, sum, err := run(t.Context(), table, setting.Options{Segments: 16, Confirm: confirm})
				if err != nil || len(found) > 0 || len(sum.Counters) != 1 {
					t.Fatalf("%v %+v %v", said(found), sum, err)
				}
				var ids, counter time.Time
				for _, q := range w.asked {
					switch {
					case q.operation == "Scan" && q.answered.After(ids):
						ids = q.answered
					case (q.single() || q.operation == "BatchGetItem") && counter.IsZero():
						counter = q.sent
					}
				}
				if ids.IsZero() || counter.Before(ids) {
					t.Errorf("the counter was asked for at %s, and the last ids were answered at %s", counter, ids)
				}
			}
		})
	}
}
