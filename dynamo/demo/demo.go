// Package demo is the sample tables that `tallylock demo` shows, on an embedded
// engine: the systems that people build for want of auto-increment and UNIQUE,
// with what goes wrong in them.
package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
)

// Table is the table that the demo opens on.
const Table = "accounts"

// settle is enough where there is neither replica lag nor spread.
const settle = time.Second

// Demo is an engine with the sample tables in it.
type Demo struct {
	Engine *embedded.Engine
	// app is the application's own client: nothing guards it.
	app *dynamodb.Client
}

// New makes the engine and fills the tables. Every call makes the same ones.
func New(ctx context.Context, options ...embedded.Option) (*Demo, error) {
	engine := embedded.New(options...)
	d := &Demo{Engine: engine, app: dynamodb.New(dynamodb.Options{
		Region:       "us-east-1", // one that the SDK knows: it thinks long about others
		BaseEndpoint: aws.String("http://embedded.invalid"),
		Credentials:  credentials.NewStaticCredentialsProvider("demo", "demo", ""),
		HTTPClient:   &http.Client{Transport: engine.Transport()},
	})}
	for _, t := range tables() {
		if err := d.create(ctx, t); err != nil {
			return nil, fmt.Errorf("making the demo's table %s: %w", t.name, err)
		}
	}
	return d, nil
}

// Options are those of a connection to the demo's engine.
func (d *Demo) Options() dynamo.Options {
	return dynamo.Options{Options: client.Options{Name: "demo", Write: true, Settle: settle, Transport: d.Engine.Transport()}}
}

// App is the application's own client, which no guard keeps from anything:
// tests make more trouble with it.
func (d *Demo) App() *dynamodb.Client { return d.app }

// table is a sample table: its keys, "name:type", and its items.
type table struct {
	name, hash, sort string
	items            []item
}

type item = map[string]types.AttributeValue

func (d *Demo) create(ctx context.Context, t table) error {
	in := &dynamodb.CreateTableInput{TableName: &t.name, BillingMode: types.BillingModePayPerRequest}
	for n, key := range []string{t.hash, t.sort} {
		if key == "" {
			continue
		}
		name, kind := key[:len(key)-2], key[len(key)-1:]
		role := []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[n]
		in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: &name, KeyType: role})
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeType(kind)})
	}
	if _, err := d.app.CreateTable(ctx, in); err != nil {
		return err
	}
	const batch = 25 // all that BatchWriteItem takes
	for from := 0; from < len(t.items); from += batch {
		var writes []types.WriteRequest
		for _, i := range t.items[from:min(from+batch, len(t.items))] {
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: i}})
		}
		if _, err := d.app.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{t.name: writes}}); err != nil {
			return err
		}
	}
	return nil
}

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func n(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
