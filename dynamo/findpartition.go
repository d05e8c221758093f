package dynamo

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// scopes looks for locks whose key needs more than the value: in their partition, where
// that is known, and by the accounts that an index lists.
func (f *finding) scopes(ctx context.Context, asked []*candidate) error {
	for _, c := range asked {
		if !slices.Contains(f.scoped, c.rel) {
			continue
		}
		if err := f.partition(ctx, c.rel); err != nil {
			return err
		}
		found, err := f.r.get(ctx, f.t.Name, c.hints, true)
		if err != nil {
			return err
		}
		for _, key := range c.hints {
			kind, a := f.t.account(found[key.ID()])
			if a == nil {
				continue
			}
			f.revealed(kind.Claims(f.t.Name, f.t.SchemaOf, a.Item))
			f.add(*a)
		}
	}
	return nil
}

// partition asks for the locks of a value whose partition key is known, and whose sort
// keys are not. rel says in the end why nothing was found.
func (f *finding) partition(ctx context.Context, rel *Relation) error {
	c, table := rel.Constraint, rel.Constraint.LockTable(f.t.Name)
	schema := f.t.SchemaOf(table)
	hash, prefix, ok := c.Partition(schema, rel.Value, f.scope)
	if !ok {
		return nil
	}
	before, locks := f.r.units, 0
	all := &sweep{page: func(ctx context.Context, in scanInput) (scanPage, error) {
		return f.r.query(ctx, table, schema, hash, prefix, in)
	}}
	err := all.run(ctx, func() float64 { return f.t.conn.AutoReadUnits() - f.r.units }, func(item attr.Item) {
		key, _ := schema.KeyOf(item)
		v, vars, ok := c.ParseLock(schema, key)
		if !ok || !c.IsLock(item) || layout.Fold(v) != layout.Fold(rel.Value) || !agrees(vars, f.scope) {
			return
		}
		lock := lockOf(c, table, key, item)
		if f.candidate(lock) == nil && (v == rel.Value || f.respelt < mostRespelt) {
			locks++
			f.candidates = append(f.candidates, &candidate{respelt: v != rel.Value, rel: &Relation{Constraint: c, Value: v, Lock: lock}})
		}
	})
	found, what := count(locks, "lock")+" of it", fmt.Sprintf("%s, %s…", hash.Display(), prefix)
	if KindOf(err) == Denied {
		f.r.note(table, what, "not allowed: dynamodb:Query is denied", "consistent", 0)
		return nil
	}
	if err != nil {
		return err
	}
	if !all.complete {
		found = fmt.Sprintf("%s among %s; there are more", found, count(int(all.items), "item"))
	} else if locks == 0 {
		rel.Why = fmt.Sprintf("no lock of %s begins with %s and keeps it; whether an account has it is not known", hash.Display(), prefix)
	}
	f.r.note(table, what, found, "consistent", f.r.units-before)
	return nil
}

// agrees reports whether what a key says does not contradict what is known.
func agrees(vars, known map[string]string) bool {
	for name, v := range known {
		if have, ok := vars[name]; ok && have != v {
			return false
		}
	}
	return true
}

// query asks for a page of a partition: the items whose sort keys begin with prefix.
func (r *reading) query(ctx context.Context, table string, schema attr.Schema, hash attr.Value, prefix string, in scanInput) (scanPage, error) {
	op := "asking for the locks of " + hash.Display() + " in " + table
	request := &dynamodb.QueryInput{
		TableName: &table, ConsistentRead: &in.Consistent, Limit: aws.Int32(int32(in.Limit)),
		KeyConditionExpression:    aws.String("#h = :h"),
		ExpressionAttributeNames:  map[string]string{"#h": schema.HashName},
		ExpressionAttributeValues: map[string]types.AttributeValue{":h": wireValue(hash)},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if prefix != "" {
		request.KeyConditionExpression = aws.String("#h = :h AND begins_with(#r, :r)")
		request.ExpressionAttributeNames["#r"] = schema.RangeName
		request.ExpressionAttributeValues[":r"] = wireValue(attr.String(prefix))
	}
	if in.Start != nil {
		request.ExclusiveStartKey = wireItem(in.Start)
	}
	how, err := r.turn(ctx)
	if err != nil {
		return scanPage{}, r.conn.Explain(op, err)
	}
	out, err := r.conn.client.Query(ctx, request, how)
	if err != nil {
		return scanPage{}, r.conn.Explain(op, err)
	}
	page := scanPage{Items: make([]attr.Item, len(out.Items)), Units: r.pay(ctx, out.ConsumedCapacity)}
	for n, wire := range out.Items {
		page.Items[n] = itemOf(wire)
	}
	if len(out.LastEvaluatedKey) > 0 {
		page.Last = itemOf(out.LastEvaluatedKey)
	}
	return page, nil
}
