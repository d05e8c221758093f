package client

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/phrase"
)

// members are those of an answer, by name. The SDK takes one that is not there for
// one that is empty: no items, no table, no time to live.
type members map[string]json.RawMessage

// member reads a member. ok is false where it is not there, or is something else.
func member[T any](m members, name string) (v T, ok bool) {
	raw := m[name]
	return v, len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, &v) == nil
}

// saysCapacity reports whether the answer says what its request consumed, of each
// table where it may be several.
func (m members) saysCapacity() bool {
	type consumed struct{ CapacityUnits *float64 }
	if one, ok := member[consumed](m, "ConsumedCapacity"); ok {
		return one.CapacityUnits != nil
	}
	all, _ := member[[]consumed](m, "ConsumedCapacity")
	for _, of := range all {
		if of.CapacityUnits == nil {
			return false
		}
	}
	return len(all) > 0
}

// lacks says what an answer would have that is one to the request; empty where it
// has all of it.
func (m members) lacks(asked any) string {
	switch in := asked.(type) {
	case *dynamodb.ListTablesInput:
		if _, ok := member[[]string](m, "TableNames"); !ok {
			return "it lists no tables"
		}
	case *dynamodb.DescribeTableInput:
		return m.lacksTable(aws.ToString(in.TableName))
	case *dynamodb.DescribeTimeToLiveInput:
		if d, _ := member[struct{ TimeToLiveStatus string }](m, "TimeToLiveDescription"); d.TimeToLiveStatus == "" {
			return "it does not say whether items expire"
		}
	case *dynamodb.QueryInput, *dynamodb.ScanInput:
		return m.lacksItems()
	case *dynamodb.BatchGetItemInput:
		return m.lacksBatch(in)
	case *dynamodb.TransactGetItemsInput:
		responses, _ := member[[]*struct{}](m, "Responses")
		if len(responses) != len(in.TransactItems) {
			return fmt.Sprintf("%s were asked for, and it answers %d", phrase.Count(len(in.TransactItems), "item"), len(responses))
		}
		for _, one := range responses {
			if one == nil { // an item that does not exist is {}
				return "it leaves an item out"
			}
		}
	}
	return ""
}

func (m members) lacksTable(name string) string {
	t, _ := member[struct {
		TableName string
		KeySchema []struct{}
	}](m, "Table")
	switch {
	case t.TableName == "" || len(t.KeySchema) == 0:
		return "it describes no table"
	case t.TableName != name && !strings.HasSuffix(name, "/"+t.TableName): // asked for by its ARN
		return "it describes the table " + t.TableName
	}
	return ""
}

func (m members) lacksItems() string {
	items, ok := member[[]json.RawMessage](m, "Items")
	said, counted := member[int](m, "Count")
	switch {
	case !ok:
		return "there are no items in it"
	case !counted:
		return "it does not say how many items there are"
	case said != len(items):
		return fmt.Sprintf("there are %d items in it, and it says %d", len(items), said)
	}
	return ""
}

// lacksBatch allows for items that are left out: those do not exist.
func (m members) lacksBatch(in *dynamodb.BatchGetItemInput) string {
	responses, ok := member[map[string][]json.RawMessage](m, "Responses")
	if !ok {
		return "there are no responses in it"
	}
	left, _ := member[map[string]struct{ Keys []json.RawMessage }](m, "UnprocessedKeys")
	for table, want := range in.RequestItems {
		items, listed := responses[table]
		switch open := len(left[table].Keys); {
		case !listed && open == 0:
			return "it says nothing of the table " + table
		case len(items)+open > len(want.Keys):
			return fmt.Sprintf("%s of %s were asked for, and it answers %d", phrase.Count(len(want.Keys), "item"), table,
				len(items)+open)
		}
	}
	return ""
}
