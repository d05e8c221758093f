// Package sdk sends requests to an engine through the AWS SDK, as an application does. The demo, package
// export and tests use it. It imports nothing of this program. Start with Client. Table and Fill make
// tables with items.
package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Item is an item, a key, or the values of an expression.
type Item = map[string]types.AttributeValue

// S returns a string value.
func S(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

// N returns a number value for a decimal string.
func N(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

// B returns a binary value.
func B(v string) types.AttributeValue { return &types.AttributeValueMemberB{Value: []byte(v)} }

// Client returns an SDK client such as an application has. Unlike the client of tallylock, it may write
// anything. It sends every request to transport.
func Client(transport http.RoundTripper, change ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1", // the SDK resolves a real Region faster than a made-up one
		BaseEndpoint: aws.String("http://embedded.invalid"),
		Credentials:  credentials.NewStaticCredentialsProvider("demo", "demo", ""),
		HTTPClient:   &http.Client{Transport: transport},
	}, change...)
}

// Table describes a table by its partition key and its sort key, each written name:type ("PK:S"). An empty
// text means that the table has no such key.
func Table(name string, keys ...string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest}
	roles := []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}
	for i, key := range keys {
		if key != "" {
			in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: define(in, key), KeyType: roles[i]})
		}
	}
	return in
}

// Indexed adds a global index to a table's description. The attribute, written name:type, is the partition
// key of the index. An index on email is called email-index. The index contains only keys.
func Indexed(in *dynamodb.CreateTableInput, attribute string) *dynamodb.CreateTableInput {
	name := define(in, attribute)
	in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
		IndexName:  aws.String(*name + "-index"),
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		KeySchema:  []types.KeySchemaElement{{AttributeName: name, KeyType: types.KeyTypeHash}},
	})
	return in
}

// define adds an attribute, which must be written name:type, to the description, and returns its name.
func define(in *dynamodb.CreateTableInput, attribute string) *string {
	colon := strings.LastIndexByte(attribute, ':') // the name may contain other colons
	name, kind := attribute[:colon], attribute[colon+1:]
	in.AttributeDefinitions = append(in.AttributeDefinitions,
		types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeType(kind)})
	return &name
}

// Fill creates a table and puts items into it.
func Fill(ctx context.Context, db *dynamodb.Client, in *dynamodb.CreateTableInput, items ...Item) error {
	if _, err := db.CreateTable(ctx, in); err != nil {
		return err
	}
	return Put(ctx, db, *in.TableName, items...)
}

// Message returns the text of an error from DynamoDB, without its code and its request. For any other error, Message
// returns the error's text.
func Message(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorMessage()
	}
	return err.Error()
}

// Put writes items. Their keys must be different.
func Put(ctx context.Context, db *dynamodb.Client, table string, items ...Item) error {
	const batch = 25 // the greatest number of writes in a BatchWriteItem
	for from := 0; from < len(items); from += batch {
		var writes []types.WriteRequest
		for _, item := range items[from:min(from+batch, len(items))] {
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		if _, err := db.BatchWriteItem(ctx,
			&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: writes}}); err != nil {
			return err
		}
	}
	return nil
}

// Expire turns on a table's time to live. attribute is the name of the attribute that has an item's time of
// expiry.
func Expire(ctx context.Context, db *dynamodb.Client, table, attribute string) error {
	_, err := db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: aws.Bool(true)},
	})
	return err
}

// Code returns the code of an error from DynamoDB. For any other error, Code returns the error's text.
func Code(err error) string {
	if e := smithy.APIError(nil); errors.As(err, &e) {
		return e.ErrorCode()
	}
	return fmt.Sprint(err)
}

// Post sends a request without the SDK. body is the request's JSON.
func Post(ctx context.Context, to http.RoundTripper, operation, body string) (status int, answer string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://embedded.invalid", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	response, err := to.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}
