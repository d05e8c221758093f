package check_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/scan"
)

// keeper keeps copies of all rows.
type keeper struct {
	names []string
	items []attr.Item
}

func (k *keeper) Visit(r scan.Row, _ scan.Rest) { k.items = append(k.items, r.Item(k.names)) }

// scanned reads a table, and returns its items by key.
func scanned(t *testing.T, ctx context.Context, c *dynamo.Connection, d client.Description, o scan.Options) (map[string]attr.Item, scan.Totals, error) {
	t.Helper()
	var keepers []*keeper
	totals, err := scan.Table(ctx, c.Client, d, o, func() scan.Visitor {
		k := &keeper{names: o.Attributes}
		keepers = append(keepers, k)
		return k
	})
	items := map[string]attr.Item{}
	for _, k := range keepers {
		for _, item := range k.items {
			key, ok := d.Schema.KeyOf(item)
			if !ok {
				t.Fatalf("%v has no key", item)
			}
			if _, twice := items[key.ID()]; twice {
				t.Fatalf("%v was visited twice", key)
			}
			items[key.ID()] = item
		}
	}
	return items, totals, err
}

// A scan reads the same items as the SDK, with only the requested attributes.
func TestScanReadsTheTable(t *testing.T) {
	sample, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := dynamo.Connect(t.Context(), sample.Options())
	if err != nil {
		t.Fatal(err)
	}
	names, err := c.TableNames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range names {
		d, err := c.Describe(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		columns := attr.Columns(d.Schema.HashName, d.Schema.RangeName, "email", "emails", "contact.email", "owner")
		items, totals, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 7, Workers: 3, MaxReadUnits: -1})
		if err != nil {
			t.Fatal(err)
		}
		var want int
		pages := dynamodb.NewScanPaginator(sample.App(), &dynamodb.ScanInput{TableName: aws.String(table)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want += len(page.Items)
			for _, wire := range page.Items {
				item := attr.Item{}
				for _, name := range columns {
					if s, ok := wire[name].(*types.AttributeValueMemberS); ok {
						item[name] = attr.String(s.Value)
					}
					if n, ok := wire[name].(*types.AttributeValueMemberN); ok {
						item[name] = attr.Number(n.Value)
					}
				}
				key, _ := d.Schema.KeyOf(item)
				if got := items[key.ID()]; !got.Equal(item) {
					t.Errorf("%s: got %v; want %v", table, got, item)
				}
			}
		}
		if len(items) != want || totals.Items != int64(want) || !totals.Complete() || totals.Done != 7 || totals.Units == 0 {
			t.Errorf("%s: %d items, %+v; want %d", table, len(items), totals, want)
		}
	}
}
