package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
)

type rawItem = map[string]json.RawMessage

// request has the parameters that name items, for all operations together.
type request struct {
	place
	ConsistentRead bool
	RequestItems   map[string]json.RawMessage
	TransactItems  []struct{ Put, Update, Delete *place }
}

// place names an item of a table. In a put it has the whole item, otherwise the item's key.
type place struct {
	TableName string
	Item, Key rawItem
}

// written names an item that a request may write. item is the whole item, or its key.
type written struct {
	table string
	item  rawItem
}

func (q request) written() []written {
	var out []written
	add := func(table string, items ...rawItem) {
		for _, item := range items {
			if item != nil {
				out = append(out, written{tableName(table), item})
			}
		}
	}
	add(q.TableName, q.Item, q.Key)
	for table, raw := range q.RequestItems {
		var requests []struct{ PutRequest, DeleteRequest place }
		if json.Unmarshal(raw, &requests) != nil {
			continue
		}
		for _, one := range requests {
			add(table, one.PutRequest.Item, one.DeleteRequest.Key)
		}
	}
	for _, slot := range q.TransactItems {
		for _, p := range []*place{slot.Put, slot.Update, slot.Delete} {
			if p != nil {
				add(p.TableName, p.Item, p.Key)
			}
		}
	}
	return out
}

// readFrom is one table that a request reads, with the keys of the items.
type readFrom struct {
	table      string
	consistent bool
	keys       []rawItem // the keys of the items; nil for any item
}

func (q request) reads() []readFrom {
	if q.TableName != "" {
		from := readFrom{table: tableName(q.TableName), consistent: q.ConsistentRead}
		if q.Key != nil {
			from.keys = []rawItem{q.Key}
		}
		return []readFrom{from}
	}
	var out []readFrom
	for table, raw := range q.RequestItems {
		var asked struct {
			Keys           []rawItem
			ConsistentRead bool
		}
		if json.Unmarshal(raw, &asked) == nil {
			out = append(out, readFrom{tableName(table), asked.ConsistentRead, asked.Keys})
		}
	}
	return out
}

// tableName returns the name of a table. Its argument is the name or the ARN of the table.
func tableName(name string) string {
	if _, after, ok := strings.Cut(name, ":table/"); ok {
		return after
	}
	return name
}

// ask sends a request and returns the body of its answer. It returns an error if the request is refused.
func ask(to http.RoundTripper, operation, body string) ([]byte, error) {
	status, answer, err := sdk.Post(context.Background(), to, operation, body)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", operation, body, answer)
	}
	return []byte(answer), err
}

// describe returns the key schema of a table. It returns an error if there is no such table.
func describe(to http.RoundTripper, table string) (attr.Schema, error) {
	answer, err := ask(to, "DescribeTable", fmt.Sprintf(`{"TableName":%q}`, table))
	if err != nil {
		return attr.Schema{}, err
	}
	var got struct {
		Table struct {
			KeySchema            []struct{ AttributeName string }
			AttributeDefinitions []struct{ AttributeName, AttributeType string }
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return attr.Schema{}, err
	}
	kind := func(name string) attr.Kind {
		for _, a := range got.Table.AttributeDefinitions {
			if a.AttributeName == name {
				return attr.Kind(a.AttributeType)
			}
		}
		return ""
	}
	keys := got.Table.KeySchema
	s := attr.Schema{HashName: keys[0].AttributeName, HashKind: kind(keys[0].AttributeName)}
	if len(keys) == 2 {
		s.RangeName, s.RangeKind = keys[1].AttributeName, kind(keys[1].AttributeName)
	}
	return s, nil
}

const (
	targetPrefix = "DynamoDB_20120810."
	typePrefix   = "com.amazonaws.dynamodb.v20120810#"
)

// operation returns the operation of a request, such as "Scan".
func operation(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
}

// read reads a request's body. It also returns a copy of the request from which the body can be read again.
func read(r *http.Request) ([]byte, *http.Request, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, nil, err
		}
	}
	again := r.WithContext(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return body, again, nil
}

func refusal(r *http.Request, status int, kind, message string) *http.Response {
	return embedded.Respond(r, status, fmt.Appendf(nil, `{"__type":"%s","message":%q}`, typePrefix+kind, message))
}
