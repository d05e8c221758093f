package counters_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/guess/counters"
)

// table parses a table as the test cases write it. keys has the names of the keys, with /N for a number. items has one
// item in each line. Its fields are texts (name=text), numbers (name:number) and booleans (name?). A line that begins
// with 42x makes 42 items. In these, % is the number of the item from 1 on, %% is this number with 5 digits, and ~ is a
// random word.
func table(name, keys, items string) guess.Sample {
	t := guess.Sample{Name: name, Whole: true}
	kind := func(key string) (string, attr.Kind) {
		name, is, _ := strings.Cut(key, "/")
		if is == "" {
			is = "S"
		}
		return name, attr.Kind(is)
	}
	hash, sort, both := strings.Cut(keys, " ")
	t.Schema.HashName, t.Schema.HashKind = kind(hash)
	if both {
		t.Schema.RangeName, t.Schema.RangeKind = kind(sort)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(items), "\n") {
		times, first := 1, 0
		if _, err := fmt.Sscanf(strings.Fields(line)[0], "%dx", &times); err == nil {
			line, first = strings.SplitN(strings.TrimSpace(line), " ", 2)[1], 1
		}
		for n := range times {
			item := attr.Item{}
			for _, field := range strings.Fields(line) {
				if first > 0 {
					field = strings.ReplaceAll(field, "%%", fmt.Sprintf("%05d", n+first))
					field = strings.ReplaceAll(field, "~", fmt.Sprintf("%08x", (uint32(n)+77)*2654435761))
					field = strings.ReplaceAll(field, "%", fmt.Sprint(n+first))
				}
				if at := strings.IndexAny(field, "=:?"); field[at] == '=' {
					item[field[:at]] = attr.String(field[at+1:])
				} else if field[at] == ':' {
					item[field[:at]] = attr.Number(field[at+1:])
				} else {
					item[field[:at]] = attr.Value{Kind: attr.BOOL, Bool: true}
				}
			}
			t.Items = append(t.Items, item)
		}
	}
	return t
}

// said writes counters as a short text: for each counter the attribute, the semantics, the number of matching items,
// and the places of ids.
func said(t guess.Sample, all []counters.Counter) string {
	var out []string
	for _, c := range all {
		n := 0
		for _, item := range t.Items {
			if c.Matches(t.Schema, item) {
				n++
			}
		}
		text := fmt.Sprintf("%s %s %d", c.Attribute, c.Semantics, n)
		for _, ids := range c.IDs {
			text += " ids " + strings.Trim(ids.PK.String()+"/"+ids.SK.String(), "/")
			if ids.Attribute != "" {
				text += " " + ids.Attribute + ids.Text.String()
			}
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// known has the counters of the catalogue and of the seeds.
var known = []struct{ name, table, keys, items, want, preset string }{
	{"dynamodb-mapper", "posts", "id/N", "id:-1 __max_hash_key__:42\n42x id:% title=x", "__max_hash_key__ last 1 ids {number}", "dynamodb-mapper"},
	{"NextIdTable, the key", "NextIdTable", "Counter/N", "Counter:39", "Counter last 1", "next-id-key"},
	{"NextIdTable, an attribute", "NextIdTable", "name", "name=orders Counter:39", "Counter last 1", "next-id"},
	{"order_id", "order_id", "id/N", "id:0 order_number:5000", "order_number last 1", "order-id"},
	{"order_id, the key is text", "order_id", "id", "id=0 order_number:5000", "order_number last 1", "order-id"},
	{"Tickets", "Tickets", "partition", "partition=us-east-1 hand_crafted_int:7\npartition=events hand_crafted_int:9007199254741993\npartition=badges hand_crafted_int=A-1007", "hand_crafted_int last 3", "tickets"},
	{"Tickets among others", "Tickets", "partition", "partition=us-east-1 hand_crafted_int:7\npartition=a\npartition=b", "hand_crafted_int last 1", "tickets"},
	{"donation-data", "donation-data", "context id", "context=atomicCounter id=id counterValue:9\n8x context=donation id=% amount:55", "counterValue next 1 ids donation/{number}", "donation-data"},
	{"seed 002's first", "app", "primaryKey", "primaryKey=atomicCounter counterValue:0\n3x primaryKey=~ name=x", "counterValue next 1", "donation-data"},
	{"atomic-counters", "AtomicCounters", "id", "id=Invoices lastValue:7\nid=Orders lastValue:12\nid=Users lastValue:40", "lastValue last 3", "atomic-counters"},
	{"table-id", "ids", "key", "key=users lastId:130\nkey=posts lastId:20", "lastId last 2", "table-id"},
	{"nasa", "autoincrement", "tableName", "tableName=circulars circularId:40", "circularId last 1", ""},
	{"aws-blog", "orders", "pk", "pk=orderCounter count:30\n30x pk=% total:77 customer=~", "count last 1 ids {number}", "aws-blog"},
	{"bitesized", "app", "PK SK", "PK=UserMetadata SK=UserMetadata LastID:31\n31x PK=User#% SK=Profile name=~", "LastID last 1 ids User#{number}/Profile", ""},
	{"cdk-patterns", "CounterTable", "atomicCounter", "atomicCounter=system-aa counterValue:12", "counterValue next 1", "cdk-patterns"},
	{"debrie-github", "github", "PK SK", "PK=REPO#alex#ddb SK=REPO#alex#ddb IssuesAndPullRequestCount:15 RepoName=ddb StarCount:3 Owner=alex\n14x PK=REPO#alex#ddb SK=ISSUE#000%% Title=~ Status=Open", "IssuesAndPullRequestCount last 1 ids REPO#{owner}#{repo}/ISSUE#{number} ids PR#{owner}#{repo}#{number}/{pk}", "debrie-github"},
	{"multi-attr", "app", "pk sk", "pk=autoincrement# sk=autoincrement# next_accountid:12 next_moonid:3\n11x pk=account#% sk=account#% name=~", "next_accountid next 1 ids account#{number}/{pk}; next_moonid next 1", ""},
	{"autoincrement", "app", "PK SK", "PK=AUTOINCREMENT#USER SK=AUTOINCREMENT#USER incrementCounter:103\nPK=AUTOINCREMENT#ORDER SK=AUTOINCREMENT#ORDER incrementCounter:140\n5x PK=USER#~ SK=USER#~ name=~", "incrementCounter last 1; incrementCounter last 1", ""},
	{"counter family", "app", "pk sk", "pk=COUNTER#order sk=VALUE val:42\npk=COUNTER#user sk=VALUE val:7\n42x pk=ORDER#%% sk=META total:5\n7x pk=USER#% sk=META email=~", "val last 1 ids ORDER#{number}/META; val last 1 ids USER#{number}/META", ""},
	{"META/COUNTER#", "app", "pk sk", "pk=META sk=COUNTER#invoice seq:9\npk=META sk=COUNTER#quote seq:4\n9x pk=INVOICE#% sk=META amount:55", "seq last 1; seq last 1 ids INVOICE#{number}/META", ""},
	{"COUNTER#INVOICE/SEQ", "app", "pk sk", "pk=COUNTER#INVOICE sk=SEQ seq:1043\n3x pk=CUSTOMER#~ sk=PROFILE name=~", "seq last 1", ""},
	{"counterName", "counters", "counterName", "counterName=orders currentValue:17\ncounterName=users currentValue:4", "currentValue last 2", ""},
	{"current_number", "numbers", "name", "name=invoice current_number:107", "current_number last 1", ""},
	{"pk=counter", "visits", "pk", "pk=counter count_value:7", "count_value last 1", ""},
	{"sharded", "app", "pk sk", "10x pk=COUNTER#home#% sk=SHARD n:55\n3x pk=USER#~ sk=PROFILE name=~", "n tally 10", ""},
}

func TestCounters(t *testing.T) {
	for _, tc := range known {
		t.Run(tc.name, func(t *testing.T) {
			sample := table(tc.table, tc.keys, tc.items)
			found := counters.Of(sample)
			if got := said(sample, found); got != tc.want {
				t.Errorf("found\n%s\nwant\n%s", got, tc.want)
			}
			for _, c := range found {
				if c.Preset != tc.preset {
					t.Errorf("its preset is %q, want %q", c.Preset, tc.preset)
				}
				if c.Why == "" {
					t.Error("nothing says why")
				}
			}
		})
	}
}

// TestCountersOfLibraries reads tables that libraries have written.
func TestCountersOfLibraries(t *testing.T) {
	for _, tc := range []struct{ file, table, want string }{
		{"atomic-counters", "AtomicCounters", "lastValue last 3"},
		{"electrodb-tally", "electrodb-tally", "count tally 1; count tally 2"},
		{"nasa", "autoincrement", "circularId last 1"},
		{"nasa", "circulars", ""},
		{"leases", "lock-client-leases", ""},
	} {
		t.Run(tc.file+" "+tc.table, func(t *testing.T) {
			sample := fixture(t, tc.file, tc.table)
			if got := said(sample, counters.Of(sample)); got != tc.want {
				t.Errorf("found %s; want %s", got, tc.want)
			}
		})
	}
}

func fixture(t *testing.T, file, table string) guess.Sample {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]struct {
		Hash, Sort string
		Kind       attr.Kind
		Items      []json.RawMessage
	}
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	of := tables[table]
	out := guess.Sample{Name: table, Whole: true, Schema: attr.Schema{HashName: of.Hash, HashKind: of.Kind, RangeName: of.Sort}}
	if of.Sort != "" {
		out.Schema.RangeKind = attr.S
	}
	for _, raw := range of.Items {
		var item attr.Item
		if err := json.Unmarshal(raw, &item); err != nil {
			t.Fatal(err)
		}
		out.Items = append(out.Items, item)
	}
	return out
}
