package export

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
)

// fill puts some items of a table into an engine, which then answers in place of an endpoint.
func fill(ctx context.Context, engine *embedded.Engine, table string, schema attr.Schema, items []attr.Item) error {
	type element struct {
		AttributeName          string
		AttributeType, KeyType string `json:",omitempty"`
	}
	keys := []element{{AttributeName: schema.HashName, KeyType: "HASH"}}
	kinds := []element{{AttributeName: schema.HashName, AttributeType: string(schema.HashKind)}}
	if schema.RangeName != "" {
		keys = append(keys, element{AttributeName: schema.RangeName, KeyType: "RANGE"})
		kinds = append(kinds, element{AttributeName: schema.RangeName, AttributeType: string(schema.RangeKind)})
	}
	if err := send(ctx, engine, "CreateTable", map[string]any{
		"TableName": table, "KeySchema": keys, "AttributeDefinitions": kinds, "BillingMode": "PAY_PER_REQUEST",
	}); err != nil {
		return err
	}
	for some := range slices.Chunk(items, 25) {
		var writes []map[string]any
		for _, item := range some {
			writes = append(writes, map[string]any{"PutRequest": map[string]any{"Item": item}})
		}
		if err := send(ctx, engine, "BatchWriteItem", map[string]any{
			"RequestItems": map[string]any{table: writes},
		}); err != nil {
			return err
		}
	}
	return nil
}

// send sends a request, which has to succeed.
func send(ctx context.Context, engine *embedded.Engine, operation string, request any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	status, answer, err := sdk.Post(ctx, engine.Transport(), operation, string(body))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: %s", operation, answer)
	}
	return err
}
