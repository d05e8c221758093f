package client

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Together reads items as they stand at one moment (TransactGetItems). The
// answer is in the order of the places; nil is an item that does not exist. Where the
// endpoint or a table has no transactions they are read one after the other: apart is
// true.
func (r *Reader) Together(ctx context.Context, places []Address) (items []attr.Item, apart bool, err error) {
	in := &dynamodb.TransactGetItemsInput{}
	for _, p := range places {
		in.TransactItems = append(in.TransactItems,
			types.TransactGetItem{Get: &types.Get{TableName: aws.String(p.Table), Key: wireItem(p.Key.Item())}})
	}
	if slices.ContainsFunc(places,
		func(p Address) bool { strong, _ := r.client.strong.Load(p.Table); return strong == true }) {
		items, err := r.oneByOne(ctx, places)
		return items, true, err
	}
	op := fmt.Sprintf("reading %s together", phrase.Count(len(places), "item"))
	for attempt := 1; ; attempt++ {
		out, err := ask(ctx, r, op, in, r.client.sdk.TransactGetItems)
		if err == nil {
			for n := range out.ConsumedCapacity {
				r.pay(ctx, &out.ConsumedCapacity[n])
			}
			items = make([]attr.Item, len(places))
			for n, response := range out.Responses {
				if len(response.Item) > 0 {
					items[n] = itemOf(response.Item)
				}
			}
			return items, false, nil
		}
		switch kind := KindOf(err); {
		case kind == Unsupported:
			items, err := r.oneByOne(ctx, places)
			return items, true, err
		case kind != Conflict || attempt == conflicts:
			return nil, false, err
		case r.Again != nil:
			r.Again(false, nil)
		}
		if err := Pause(ctx, backoff(attempt)); err != nil {
			return nil, false, err
		}
	}
}

// conflicts is how often items are read together that others write to at that moment:
// a transaction of the application is over soon.
const conflicts = 8

// Items reads items as they stand at one moment, 100 at most, in the order of the
// places; nil is one that does not exist. apart: the endpoint has no
// transactions, and they were read one after the other.
func (c *Client) Items(ctx context.Context, places []Address) (items []attr.Item, apart bool, err error) {
	return c.Reader().Together(ctx, places)
}

func (r *Reader) oneByOne(ctx context.Context, places []Address) ([]attr.Item, error) {
	byTable := map[string][]attr.Key{}
	for _, p := range places {
		byTable[p.Table] = append(byTable[p.Table], p.Key)
	}
	found, err := r.GetTables(ctx, byTable, true)
	if err != nil {
		return nil, err
	}
	items := make([]attr.Item, len(places))
	for n, p := range places {
		items[n] = found[p.Table][p.Key.ID()]
	}
	return items, nil
}
