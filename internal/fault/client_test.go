package fault_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
)

func connectTo(e *embedded.Engine) *dynamodb.Client { return sdk.Client(e.Transport(), once) }

// once is an option with which the SDK does not retry.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// send posts a body to an engine, and returns the status and the answer.
func send(t testing.TB, e *embedded.Engine, operation, body string) (int, string) {
	status, answer, err := sdk.Post(t.Context(), e.Transport(), operation, body)
	if err != nil {
		t.Error(err)
	}
	return status, answer
}

// withTable returns an engine with the empty table tab.
func withTable(t testing.TB, options ...embedded.Option) *embedded.Engine {
	e := embedded.New(options...)
	create(t, e, "tab")
	return e
}

func create(t testing.TB, e *embedded.Engine, table string) {
	if err := sdk.Fill(t.Context(), connectTo(e), sdk.Table(table, "pk:S")); err != nil {
		t.Fatal(err)
	}
}

func add(table *string, pk string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: table, Key: sdk.Item{"pk": sdk.S(pk)}, UpdateExpression: aws.String("ADD n1 :by"),
		ExpressionAttributeValues: sdk.Item{":by": sdk.N("1")},
	}}
}

func getOf(table string) *dynamodb.TransactGetItemsInput {
	return &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: &table, Key: sdk.Item{"pk": sdk.S("a")}}}}}
}
