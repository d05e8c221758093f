package dynamo

import (
	"cmp"
	"context"
	"fmt"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// indexClaimants asks a global index for the accounts that hold a value. What it answers
// is a hint: it lags, and must be read again from the table. more: the index lists others.
func indexClaimants(
	ctx context.Context, t *Table, r *client.Reader, c *layout.Constraint, v string,
) (keys []attr.Key, more bool, err error) {
	index := indexOf(t, c)
	key := indexKey(t, index)
	asked := attr.Value{Kind: t.Kinds[key], Text: v}
	if _, number := attr.Integer(v); asked.Kind == attr.N && !number {
		return nil, false, nil // the index holds numbers, and this is none
	}
	if v == "" {
		return nil, false, nil // no key is empty
	}
	page, err := r.Query(ctx, t.Name, attr.Schema{HashName: key}, asked, "",
		client.PageInput{Index: index, Limit: client.MaxBatch})
	if err != nil {
		return nil, false, err
	}
	for _, item := range page.Items {
		if k, ok := t.Schema.KeyOf(item); ok {
			keys = append(keys, k)
		}
	}
	found := "no account"
	if len(keys) > 0 {
		found = phrase.Count(len(keys), "account")
	}
	r.Note(t.Name, fmt.Sprintf("%s = %s", index, phrase.Quote(v)), found+" with it", "index", page.Units)
	return keys, page.Last != nil, nil
}

// indexOf is the index that finds who holds a constraint's values: the one that the
// layout names, or one of the table on the same attribute. It is empty where there is none.
func indexOf(t *Table, c *layout.Constraint) string {
	return cmp.Or(c.Index, t.Indexes[c.Attribute])
}

// indexKey is the attribute that is an index's partition key; empty where the
// table has no such index.
func indexKey(t *Table, index string) string {
	for attribute, name := range t.Indexes {
		if name == index {
			return attribute
		}
	}
	return ""
}
