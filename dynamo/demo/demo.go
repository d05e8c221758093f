// Package demo has the sample tables of `tallylock demo`, on an embedded engine. They have counters and
// uniqueness locks as people build them on DynamoDB, with the usual problems. The package imports the
// engine and sdk. For the options of the connection it also imports client, dynamo and layout/config. Start
// with tables.go, which has the items. traffic.go changes the tables while the demo runs.
package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
)

// Table is the table that the demo opens first.
const Table = "accounts"

// settle is the time that a release waits before it reads the tables. One second is enough here, because
// the writes of the engine are visible at once.
const settle = time.Second

// Demo is an engine with the sample tables in it.
type Demo struct {
	Engine *embedded.Engine
	// app is the client of the sample application. It has no guard, so it may write anything.
	app *dynamodb.Client
}

// New returns an engine with the sample tables. Every call makes the same tables.
func New(ctx context.Context, options ...embedded.Option) (*Demo, error) {
	engine := embedded.New(options...)
	d := &Demo{Engine: engine, app: sdk.Client(engine.Transport())}
	for _, t := range tables() {
		if err := sdk.Fill(ctx, d.app, sdk.Table(t.name, t.hash, t.sort), t.items...); err != nil {
			return nil, fmt.Errorf("making the demo's table %s: %w", t.name, err)
		}
	}
	return d, nil
}

// Options returns the options of a connection to the demo, with the layouts of its tables.
func (d *Demo) Options() dynamo.Options {
	return dynamo.Options{
		Options: client.Options{Name: "demo", Write: true, Settle: settle, Transport: d.Engine.Transport()},
		Layouts: Layouts(),
	}
}

// App returns the client of the sample application. It has no guard, so tests can write broken items with
// it.
func (d *Demo) App() *dynamodb.Client { return d.app }

// table is a sample table with its items. hash and sort are its key attributes, written name:type. sort may
// be empty.
type table struct {
	name, hash, sort string
	items            []item
}

type item = sdk.Item

func s(v string) types.AttributeValue { return sdk.S(v) }
func n(v string) types.AttributeValue { return sdk.N(v) }
