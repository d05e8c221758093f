package generator_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/generator"
)

func client(t *generator.Table) *dynamodb.Client { return sdk.Client(t) }

func table() *generator.Table {
	return &generator.Table{
		Name: "accounts", Pages: 7, PerPage: 30, Filler: 12, Owners: true, Seed: 5,
		Anomalies: []generator.Wrong{
			{generator.OrphanedLock, 4},
			{generator.MissingLock, 3},
			{generator.DuplicateValue, 3},
			{generator.UnnormalisedValue, 3},
			{generator.NearLock, 5},
			{generator.ExpiringAccount, 3},
			{generator.StaleLock, 4},
			{generator.ForeignLock, 3},
		},
	}
}

func text(v types.AttributeValue) string {
	s, _ := v.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// A scan in segments, a scan in small pages, and reads by key return the same items.
func TestOneTable(t *testing.T) {
	made := table()
	c := client(made)
	for _, how := range []struct{ segments, limit int32 }{{1, 0}, {1, 20}, {4, 0}, {7, 31}, {40, 0}} {
		t.Run(fmt.Sprint(how), func(t *testing.T) {
			items := map[string]map[string]types.AttributeValue{}
			for s := range how.segments {
				in := &dynamodb.ScanInput{TableName: &made.Name, Segment: &s, TotalSegments: &how.segments}
				if how.limit > 0 {
					in.Limit = &how.limit
				}
				for pages := dynamodb.NewScanPaginator(c, in); pages.HasMorePages(); {
					page, err := pages.NextPage(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for _, item := range page.Items {
						key := text(item["PK"]) + " " + text(item["SK"])
						if items[key] != nil {
							t.Fatalf("%s comes twice", key)
						}
						items[key] = item
					}
				}
			}
			if len(items) != made.Items() {
				t.Fatalf("%d items; want %d", len(items), made.Items())
			}
			for _, item := range items {
				out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &made.Name, Key: map[string]types.AttributeValue{"PK": item["PK"], "SK": item["SK"]}})
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(out.Item, item) {
					t.Fatalf("read as %v and scanned as %v", out.Item, item)
				}
			}
		})
	}
}

// The table has the listed anomalies, and its locks name their accounts.
func TestAnomalies(t *testing.T) {
	made := table()
	c := client(made)
	get := func(k generator.Key) map[string]types.AttributeValue {
		key := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: k.PK}, "SK": &types.AttributeValueMemberS{Value: k.SK}}
		out, err := c.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: &made.Name, Key: key}}}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Responses[0].Item
	}
	count := 0
	for a := range made.All() {
		count++
		lock := get(a.Lock)
		if (lock == nil) != (a.Kind == generator.MissingLock) {
			t.Errorf("%s of %s: the lock is %v", a.Kind, a.Value, lock)
		}
		holders := 0
		for _, k := range a.Accounts {
			if account := get(k); account == nil {
				t.Errorf("%s: there is no account %s", a.Kind, k.PK)
			} else if text(account["email"]) == a.Value {
				holders++
			}
		}
		want := map[generator.Kind]int{generator.MissingLock: 1, generator.DuplicateValue: 2, generator.ExpiringAccount: 1, generator.ForeignLock: 1}[a.Kind]
		if holders != want {
			t.Errorf("%s: %d hold %s; want %d", a.Kind, holders, a.Value, want)
		}
		if owner := "ACCT#" + text(lock["userId"]); a.Kind == generator.ForeignLock && owner == a.Accounts[0].PK {
			t.Errorf("the foreign lock names %s", owner)
		}
	}
	if count != 23 {
		t.Errorf("%d anomalies", count)
	}
}
