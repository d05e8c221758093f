package fault_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tallylock/dynamo/embedded"
)

func connectTo(e *embedded.Engine) *dynamodb.Client {
	return client("http://embedded.invalid", e.Transport())
}

func client(endpoint string, transport http.RoundTripper) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, HTTPClient: &http.Client{Transport: transport},
		Retryer: aws.NopRetryer{}, Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
}

// send posts a body to an engine and gives status and answer.
func send(e *embedded.Engine, operation, body string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const createTable = `{"TableName":"tab","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}`

// withTable gives an engine with an empty table tab.
func withTable(t testing.TB, options ...embedded.Option) *embedded.Engine {
	e := embedded.New(options...)
	if status, body := send(e, "CreateTable", createTable); status != http.StatusOK {
		t.Fatal(body)
	}
	return e
}

func codeOf(err error) string {
	if e := smithy.APIError(nil); errors.As(err, &e) {
		return e.ErrorCode()
	}
	return fmt.Sprint(err)
}

type doc = map[string]types.AttributeValue

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func hashKey(name string) []types.KeySchemaElement {
	return []types.KeySchemaElement{{AttributeName: &name, KeyType: types.KeyTypeHash}}
}

func define(name string) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
}

func add(table *string, pk string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: table, Key: doc{"pk": s(pk)}, UpdateExpression: aws.String("ADD n1 :by"),
		ExpressionAttributeValues: doc{":by": &types.AttributeValueMemberN{Value: "1"}},
	}}
}
