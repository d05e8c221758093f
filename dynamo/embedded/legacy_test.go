package embedded_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded/sdk"
)

// The engine refuses legacy parameters by name, and changes nothing.
func TestLegacyParametersAreRefused(t *testing.T) {
	e := withTable(t)
	for about, send := range legacyRequests(connectTo(e)) {
		_, parameter, _ := strings.Cut(about, " ")
		if err := send(t.Context()); sdk.Code(err) != invalid || !strings.Contains(err.Error(), parameter) {
			t.Errorf("%s: %v", about, err)
		}
	}
	if _, answer := send(e, "Scan", `{"TableName":"tab","ScanFilter":null}`); answer != `{"Items":[],"Count":0,"ScannedCount":0}` {
		t.Errorf("something was written, or null was taken for a parameter: %s", answer)
	}
}

// legacyRequests are requests by their operation and their legacy parameter.
func legacyRequests(db *dynamodb.Client) map[string]func(context.Context) error {
	tab, key := aws.String("tab"), doc{"pk": s("a")}
	equals := map[string]types.Condition{"pk": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{s("a")}}}
	absent := map[string]types.ExpectedAttributeValue{"pk": {Exists: aws.Bool(false)}}
	exists := aws.String("attribute_exists(pk)")
	return map[string]func(context.Context) error{
		"GetItem AttributesToGet": func(ctx context.Context) error {
			_, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: tab, Key: key, AttributesToGet: []string{"pk"}})
			return err
		},
		"BatchGetItem AttributesToGet": func(ctx context.Context) error {
			_, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"tab": {Keys: []doc{key}, AttributesToGet: []string{"pk"}}}})
			return err
		},
		"PutItem Expected": func(ctx context.Context) error {
			_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: tab, Item: key, Expected: absent})
			return err
		},
		"PutItem ConditionalOperator": func(ctx context.Context) error {
			_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: tab, Item: key, ConditionalOperator: types.ConditionalOperatorOr})
			return err
		},
		"UpdateItem AttributeUpdates": func(ctx context.Context) error {
			_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: tab, Key: key, AttributeUpdates: map[string]types.AttributeValueUpdate{"v": {Action: types.AttributeActionPut, Value: s("x")}}})
			return err
		},
		"UpdateItem Expected": func(ctx context.Context) error {
			_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: tab, Key: key, UpdateExpression: aws.String("REMOVE v"), Expected: absent})
			return err
		},
		"DeleteItem ConditionalOperator": func(ctx context.Context) error {
			_, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: tab, Key: key, ConditionalOperator: types.ConditionalOperatorAnd})
			return err
		},
		"Query KeyConditions": func(ctx context.Context) error {
			_, err := db.Query(ctx, &dynamodb.QueryInput{TableName: tab, KeyConditions: equals})
			return err
		},
		"Query QueryFilter": func(ctx context.Context) error {
			_, err := db.Query(ctx, &dynamodb.QueryInput{TableName: tab, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: doc{":p": s("a")}, QueryFilter: equals})
			return err
		},
		"Scan ScanFilter": func(ctx context.Context) error {
			_, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: tab, ScanFilter: equals})
			return err
		},
		"Scan ConditionalOperator": func(ctx context.Context) error {
			_, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: tab, FilterExpression: exists, ConditionalOperator: types.ConditionalOperatorOr})
			return err
		},
		"Scan AttributesToGet": func(ctx context.Context) error {
			_, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: tab, AttributesToGet: []string{"pk"}})
			return err
		},
	}
}
