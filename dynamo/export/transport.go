package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"

	"tallylock/dynamo/attr"
)

// offline is a transport that answers the requests that open a table, and a scan of it, with
// items in memory, instead of an endpoint.
type offline map[string]*offlineTable

// offlineTable is a table of which some items are known.
type offlineTable struct {
	schema attr.Schema
	items  []attr.Item
	byKey  map[string]attr.Item
}

func newOfflineTable(schema attr.Schema, items []attr.Item) *offlineTable {
	t := &offlineTable{schema: schema, items: items, byKey: map[string]attr.Item{}}
	for _, item := range items {
		if key, ok := schema.KeyOf(item); ok {
			t.byKey[key.ID()] = item
		}
	}
	return t
}

// offlineRequest has the members of all requests that are answered.
type offlineRequest struct {
	TableName              string
	Limit                  int
	ExclusiveStartKey      attr.Item
	Segment, TotalSegments int
	RequestItems           map[string]struct{ Keys []attr.Item }
}

// RoundTrip implements http.RoundTripper.
func (o offline) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var in offlineRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	status, answer := http.StatusOK, any(nil)
	switch t := o[in.TableName]; {
	case operation == "BatchGetItem":
		answer = o.batch(in)
	case t == nil:
		status = http.StatusBadRequest
		answer = map[string]string{
			"__type":  "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
			"message": "there is no export of the table " + in.TableName,
		}
	case operation == "DescribeTable":
		answer = map[string]any{"Table": t.describe(in.TableName)}
	case operation == "DescribeTimeToLive":
		answer = map[string]any{"TimeToLiveDescription": map[string]string{"TimeToLiveStatus": "DISABLED"}}
	case operation == "Scan":
		answer = t.scan(in)
	default:
		return nil, fmt.Errorf("an export does not answer %s", operation)
	}
	if body, err = json.Marshal(answer); err != nil {
		return nil, err
	}
	header := http.Header{
		"Content-Type":     {"application/x-amz-json-1.0"},
		"X-Amzn-Requestid": {"OFFLINE"},
		"X-Amz-Crc32":      {fmt.Sprint(crc32.ChecksumIEEE(body))},
	}
	return &http.Response{
		StatusCode:    status,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       r,
	}, nil
}

func (t *offlineTable) describe(name string) map[string]any {
	type element struct {
		AttributeName          string
		AttributeType, KeyType string `json:",omitempty"`
	}
	keys := []element{{AttributeName: t.schema.HashName, KeyType: "HASH"}}
	kinds := []element{{AttributeName: t.schema.HashName, AttributeType: string(t.schema.HashKind)}}
	if t.schema.RangeName != "" {
		keys = append(keys, element{AttributeName: t.schema.RangeName, KeyType: "RANGE"})
		kinds = append(kinds, element{AttributeName: t.schema.RangeName, AttributeType: string(t.schema.RangeKind)})
	}
	return map[string]any{
		"TableName":            name,
		"TableStatus":          "ACTIVE",
		"KeySchema":            keys,
		"AttributeDefinitions": kinds,
		"ItemCount":            len(t.items),
	}
}

// batch answers BatchGetItem.
func (o offline) batch(in offlineRequest) any {
	found := map[string][]attr.Item{}
	for table, asked := range in.RequestItems {
		t := o[table]
		if t == nil {
			continue
		}
		found[table] = []attr.Item{}
		for _, k := range asked.Keys {
			key, _ := t.schema.KeyOf(k)
			if item := t.byKey[key.ID()]; item != nil {
				found[table] = append(found[table], item)
			}
		}
	}
	return map[string]any{"Responses": found}
}

// scan answers a page of a segment, which is every so many items, in the export's order.
func (t *offlineTable) scan(in offlineRequest) any {
	page, last := []attr.Item{}, attr.Item(nil)
	started := in.ExclusiveStartKey == nil
	start, _ := t.schema.KeyOf(in.ExclusiveStartKey)
	for n := in.Segment; n < len(t.items); n += max(in.TotalSegments, 1) {
		key, _ := t.schema.KeyOf(t.items[n])
		switch {
		case !started:
			started = key.Equal(start)
			continue
		case in.Limit > 0 && len(page) == in.Limit:
			return map[string]any{"Items": page, "Count": len(page), "ScannedCount": len(page), "LastEvaluatedKey": last}
		}
		page, last = append(page, t.items[n]), key.Item()
	}
	return map[string]any{"Items": page, "Count": len(page), "ScannedCount": len(page)}
}
