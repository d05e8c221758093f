package dynamo

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// index asks a global index for the accounts that hold a value. What it answers
// is a hint: it lags, and must be read again from the table.
func (r *reading) index(ctx context.Context, t *Table, c *layout.Constraint, v string) ([]attr.Key, error) {
	index := t.indexOf(c)
	key := t.indexKey(index)
	asked := attr.Value{Kind: t.kinds[key], Text: v}
	if _, number := attr.Integer(v); asked.Kind == attr.N && !number {
		return nil, nil // the index holds numbers, and this is none
	}
	if v == "" {
		return nil, nil // no key is empty
	}
	var keys []attr.Key
	in := &dynamodb.QueryInput{
		TableName: &t.Name, IndexName: &index,
		KeyConditionExpression:    aws.String("#a = :v"),
		ExpressionAttributeNames:  map[string]string{"#a": key},
		ExpressionAttributeValues: map[string]types.AttributeValue{":v": wireValue(asked)},
		Limit:                     aws.Int32(batchLimit),
	}
	how, err := r.turn(ctx)
	if err != nil {
		return nil, r.conn.Explain("asking the index "+index, err)
	}
	out, err := r.conn.client.Query(ctx, in, how)
	if err != nil {
		return nil, r.conn.Explain("asking the index "+index, err)
	}
	units := r.pay(ctx, out.ConsumedCapacity)
	for _, wire := range out.Items {
		if k, ok := t.Schema.KeyOf(itemOf(wire)); ok {
			keys = append(keys, k)
		}
	}
	found := "no account"
	if len(keys) > 0 {
		found = count(len(keys), "account")
	}
	r.note(t.Name, fmt.Sprintf("%s = %s", index, quote(v)), found+" with it", "index", units)
	return keys, nil
}

// indexOf is the index that finds who holds a constraint's values: the one that the
// layout names, or one of the table on the same attribute. It is empty where there is none.
func (t *Table) indexOf(c *layout.Constraint) string {
	return cmp.Or(c.Index, t.Indexes[c.Attribute])
}

// indexKey is the attribute that is an index's partition key; empty where the
// table has no such index.
func (t *Table) indexKey(index string) string {
	for attribute, name := range t.Indexes {
		if name == index {
			return attribute
		}
	}
	return ""
}
