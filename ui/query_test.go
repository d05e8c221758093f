package ui_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// withOrders makes and opens a table with 120 orders of one customer. Its index by-day has a number as partition key.
func (s *setup) withOrders(t *testing.T) {
	t.Helper()
	app := s.demo.App()
	kind := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind}
	}
	keys := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash}, {AttributeName: aws.String(sort), KeyType: types.KeyTypeRange}}
	}
	if _, err := app.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("orders"), BillingMode: types.BillingModePayPerRequest, KeySchema: keys("customer", "order"),
		AttributeDefinitions: []types.AttributeDefinition{kind("customer", types.ScalarAttributeTypeS), kind("order", types.ScalarAttributeTypeS), kind("day", types.ScalarAttributeTypeN)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("by-day"), KeySchema: keys("day", "order"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	}); err != nil {
		t.Fatal(err)
	}
	for n := range 120 {
		if _, err := app.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: map[string]types.AttributeValue{
			"customer": sdk.S("mary ann"), "order": sdk.S(fmt.Sprintf("%d-%03d", 2025+n/100, n)), "note": sdk.S("paid"),
			"day": sdk.N(fmt.Sprint(n / 50)),
		}}); err != nil {
			t.Fatal(err)
		}
	}
	s.options.Table = "orders"
}

// A query reads the items of a partition page by page. It can have a prefix of the sort key, and can use an index. The
// command line says why a query is invalid.
func TestItemsAreQueried(t *testing.T) {
	s := onDemo(t)
	s.withOrders(t)
	term := s.run(t)
	term.see("orders")

	term.press(`:query "mary ann"<enter>`)
	term.see("orders › customer = mary ann", "1 of 100", "there may be more", "mary ann / 2025-000", `note: "paid"`, "read units")
	term.press("G")
	term.see("100 of 100")
	term.press("p")
	term.see("100 of 120", "all, consistent")
	term.press("p")
	term.see("All pages were read")
	file := filepath.Join(t.TempDir(), "orders.csv")
	term.press("w")
	term.see("Saves 120 items with customer = mary ann")
	term.press("<ctrl+u>" + file + "<enter>")
	term.gone("Save the items")
	if saved := read(t, file); strings.Count(saved, "\n") != 121 || !strings.HasPrefix(saved, "customer,order,day,note\nmary ann,2025-000,0,paid\n") {
		t.Errorf("saved %.200s", saved)
	}
	term.press("g<enter>")
	term.see("ATTRIBUTE", "mary ann / 2025-000")
	term.press("<esc>")
	term.see("1 of 120")
	term.press("<esc>")
	term.gone("customer =")

	term.press(`:query "mary ann" 2026<enter>`)
	term.see("customer = mary ann, order begins with 2026", "1 of 20", "mary ann / 2026-100")
	term.press("<esc>")
	term.press(":query by-day 1<enter>")
	term.see("orders › by-day › day = 1", "1 of 50", "all, eventually consistent", "mary ann / 2025-050", "3 attributes", "bytes in the index")
	term.press("Y")
	term.see("Copied the item in the index as DynamoDB JSON.")
	term.press("w")
	term.see("Saves 50 items with day = 1 in the index")
	term.press("<esc>")
	term.press("<enter>")
	term.see("ATTRIBUTE", "paid") // the whole item of the table, and not its copy in the index
	term.press("<esc><esc>")
	term.press(":query nobody<enter>")
	term.see("No items: customer = nobody.")
	term.press("<esc>")

	term.press(":query by")
	term.see("query by-day", "▸ command")
	term.press("<tab>")
	term.see(": query by-day ")
	term.press("2<enter>")
	term.see("day = 2", "1 of 20")
	term.press("<esc>:query b<down><enter>") // enter completes the name, because the query needs a value
	term.see(": query by-day ")
	term.press("0<enter>")
	term.see("day = 0")
	term.press("<esc>")

	for typed, said := range map[string]string{
		"query by-day x":  `is a number, but "x" is not`,
		`query "mary ann`: "no closing quotation mark",
		"query ":          "partition key is needed",
	} {
		term.press(":" + typed + "<enter>")
		term.see(said, "command")
		term.press("<esc><esc>")
	}
}

// If a repeated query fails, the earlier items stay, still marked as a part of all items.
func TestAQueryThatFailsAgainStaysAPart(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	s.withOrders(t)
	term := s.run(t)
	term.press(`:query "mary ann"<enter>`)
	term.see("1 of 100", "there may be more")
	f.set(func(f *faults) { f.deny = map[string]bool{"Query": true} })
	term.press("<ctrl+r>")
	term.see("lacks the permission", "1 of 100", "there may be more")
	term.press("w")
	term.see("Saves 100 items", ", perhaps more")
	term.press("<esc>")
	f.set(func(f *faults) { f.deny = nil })
	term.press("p")
	term.see("1 of 120", "all, consistent")
}

// A stopped query can be repeated. After its screen is closed, the answer has no effect.
func TestAQueryIsLeft(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	s.withOrders(t)
	term := s.run(t)
	held := make(chan struct{})
	f.set(func(f *faults) { f.hold = map[string]chan struct{}{"Query": held} })
	term.press(`:query "mary ann"<enter>`)
	term.see("customer = mary ann")
	term.meanwhile("<esc>")
	term.see("Stopped before anything was read", "ask again")
	term.press("p")
	term.see("Nothing has been read yet")
	term.press("<ctrl+r>")
	term.gone("Stopped before anything was read")
	term.meanwhile("3")
	term.gone("customer =")
	f.set(func(f *faults) { f.hold = nil })
	close(held)
	term.press(`:query "mary ann"<enter>`)
	term.see("1 of 100")
}

// If the permission dynamodb:Query is denied, the screen names it, and esc goes back.
func TestQueryIsDenied(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	s.withOrders(t)
	term := s.run(t)
	term.see("orders")
	f.set(func(f *faults) { f.deny = map[string]bool{"Query": true} })
	term.press(":query mary<enter>")
	term.see("denied", "dynamodb:Query")
	f.set(func(f *faults) { f.deny = nil })
	term.press("<ctrl+r>")
	term.see("No items")
	term.press("<esc>")
	term.gone("customer =")
}
