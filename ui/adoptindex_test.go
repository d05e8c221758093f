package ui_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/embedded/sdk"
)

// The dialog offers the indexes that sort accounts by the chosen time. Accounts in other partitions are not read, so a
// person has to confirm all operations.
func TestAdoptByAnIndex(t *testing.T) {
	s := onDemo(t)
	in := sdk.Table("people", "PK:S", "SK:S")
	for _, name := range []string{"kind", "createdAt"} {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS})
	}
	in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName: aws.String("by-time"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("kind"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("createdAt"), KeyType: types.KeyTypeRange},
		},
	}}
	old := person("guest", "guest@x.io", "2025-02-01T10:00:00Z") // of another partition, without a lock
	old["kind"] = sdk.S("guest")
	if err := sdk.Fill(t.Context(), s.demo.App(), in, old); err != nil {
		t.Fatal(err)
	}
	s.describePeople(t)
	s.signUp(t, func(account sdk.Item) { account["kind"] = sdk.S("user") })
	record := s.record(t)
	if err := record.Append(t.Context(), adopt.Event{Survey: &adopt.Surveyed{ToWrite: 1}}); err != nil {
		t.Fatal(err)
	}
	term := s.toAdoption(t)
	term.resize(80, 24)
	term.see("next: writers")
	term.press("a")
	term.see("Read the accounts", "and one more for each lock")
	term.press("2025-01-01T00:00:00Z<tab>created")
	term.see("the kind of ids")
	if strings.Contains(term.shown(), "the whole table, or one of") {
		t.Error("the dialog offers an index before the time is chosen")
	}
	term.press("At<enter><enter><enter>")
	term.see("the whole table, or one of: by-time")
	term.press("by-times<enter>")
	term.see("partition")
	term.press("<enter>")
	term.see("▸ Read the accounts")
	term.press("<enter>")
	term.see("The index is one of: by-time.")
	term.press("<up><up><up><backspace><enter><enter><enter>")
	term.see("Give the partition key value of the accounts in the index.")
	term.press("<up><up>user<enter>")
	term.see("▸ Read the accounts", "reads the partition from that time on")
	term.press("<enter>")
	term.see("20 new accounts", "Not verified: sign-ups and changes of the value", `Only the accounts in the partition "user"`)
	state, err := record.State()
	if err != nil || state.Writers == nil || state.Writers.Index != "by-time" || state.Writers.Partition != "user" {
		t.Errorf("the record says %+v, %v", state.Writers, err)
	}
	term.press("<esc>a")
	term.see("by-time", "user", "reads the partition")
}
