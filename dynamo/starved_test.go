package dynamo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// starved is a table that answers five keys of a batch at a time.
type starved struct {
	http.RoundTripper
	batches int
}

func (s *starved) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem") {
		return s.RoundTripper.RoundTrip(r)
	}
	s.batches++
	type request map[string]map[string]any
	var asked struct {
		RequestItems           request
		ReturnConsumedCapacity string
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	left := request{}
	for table, of := range asked.RequestItems {
		keys := of["Keys"].([]any)
		if of["Keys"] = keys[:min(5, len(keys))]; len(keys) > 5 {
			left[table] = map[string]any{"Keys": keys[5:], "ConsistentRead": true}
		}
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response, err := s.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	answer["UnprocessedKeys"] = left
	if body, err = json.Marshal(answer); err != nil {
		return nil, err
	}
	response.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return response, nil
}

// A batch that is answered bit by bit is slow, and answered.
func TestABatchIsAnsweredBitByBit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fixture.New(t)
		f.Create("many", "PK:S", "SK:S")
		var keys []attr.Key
		key := func(name, v string) attr.Attribute { return attr.Attribute{Name: name, Value: attr.String(v)} }
		var rows []sdk.Item
		for n := range 100 {
			v := fmt.Sprint(n)
			rows = append(rows, fixture.Lock("EMAIL", v))
			keys = append(keys, attr.Key{Hash: key("PK", "UNIQ#EMAIL#"+v), Range: key("SK", "LOCK")})
		}
		f.Put("many", rows...)
		slow := &starved{RoundTripper: f}
		table := f.Open("many", func(o *dynamo.Options) { o.Transport, o.Layout = slow, "uniq" })
		found, err := table.ConsistentReader().Read(t.Context(), "many", keys)
		if err != nil || len(found) != 100 || slow.batches < 20 {
			t.Errorf("%d found by %d batches, %v", len(found), slow.batches, err)
		}
	})
}
