package client

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
)

// PageInput asks for one page of a scan or a query.
type PageInput struct {
	Limit      int
	Start      attr.Item
	Consistent bool
	Backward   bool   // a query's: from the highest sort key down
	Index      string // a query's: of the table; schema is its own then
	Segment    int
	Segments   int      // 0: no segments
	Attributes []string // none: all
}

// Page is the answer. Last is nil after the last page.
type Page struct {
	Items []attr.Item
	Last  attr.Item
	Units float64
}

// Scan reads a page of a table.
func (r *Reader) Scan(ctx context.Context, table string, in PageInput) (Page, error) {
	request := &dynamodb.ScanInput{
		TableName: &table, ConsistentRead: &in.Consistent,
	}
	if in.Limit > 0 {
		request.Limit = aws.Int32(int32(in.Limit))
	}
	if in.Start != nil {
		request.ExclusiveStartKey = wireItem(in.Start)
	}
	if in.Segments > 0 {
		request.Segment, request.TotalSegments = aws.Int32(int32(in.Segment)), aws.Int32(int32(in.Segments))
	}
	request.ExpressionAttributeNames, request.ProjectionExpression = projection(in.Attributes)
	out, err := ask(ctx, r, "reading the table "+table, request, r.client.sdk.Scan)
	if err != nil {
		return Page{}, err
	}
	return r.page(ctx, out.Items, out.LastEvaluatedKey, out.ConsumedCapacity), nil
}

// Query reads a page of a partition: the items whose sort keys begin with prefix; all
// where that is empty.
func (r *Reader) Query(
	ctx context.Context, table string, schema attr.Schema, hash attr.Value, prefix string, in PageInput,
) (Page, error) {
	op := "reading the items of " + hash.Display() + " in " + table
	request := &dynamodb.QueryInput{
		TableName: &table, ConsistentRead: &in.Consistent,
		KeyConditionExpression:    aws.String("#h = :h"),
		ExpressionAttributeNames:  map[string]string{"#h": schema.HashName},
		ExpressionAttributeValues: map[string]types.AttributeValue{":h": wireValue(hash)},
	}
	if in.Index != "" {
		op = "asking the index " + in.Index
		request.IndexName = &in.Index
	}
	if in.Backward {
		request.ScanIndexForward = aws.Bool(false)
	}
	if in.Limit > 0 {
		request.Limit = aws.Int32(int32(in.Limit))
	}
	if prefix != "" {
		request.KeyConditionExpression = aws.String("#h = :h AND begins_with(#r, :r)")
		request.ExpressionAttributeNames["#r"] = schema.RangeName
		request.ExpressionAttributeValues[":r"] = wireValue(attr.String(prefix))
	}
	if in.Start != nil {
		request.ExclusiveStartKey = wireItem(in.Start)
	}
	out, err := ask(ctx, r, op, request, r.client.sdk.Query)
	if err != nil {
		return Page{}, err
	}
	return r.page(ctx, out.Items, out.LastEvaluatedKey, out.ConsumedCapacity), nil
}

// page takes over what a scan or query answered.
func (r *Reader) page(
	ctx context.Context, items []map[string]types.AttributeValue, last map[string]types.AttributeValue,
	capacity *types.ConsumedCapacity,
) Page {
	page := Page{Items: make([]attr.Item, len(items)), Units: r.pay(ctx, capacity)}
	for n, wire := range items {
		page.Items[n] = itemOf(wire)
	}
	if len(last) > 0 {
		page.Last = itemOf(last)
	}
	return page
}
