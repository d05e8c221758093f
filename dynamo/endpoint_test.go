package dynamo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/internal/fixture"
)

// endless is a body that never ends. It counts the bytes that were read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for n := range p {
		p[n] = ' '
	}
	e.read += int64(len(p))
	return len(p), nil
}

func (e *endless) Close() error { return nil }

// The client does not read more bytes than an answer of DynamoDB can have. If the Content-Length is larger, it does not
// read the answer.
func TestAnAnswerIsNotReadForEver(t *testing.T) {
	t.Parallel()
	m, table := behind(t)
	request, err := client.Request("token", []client.Write{{Verb: client.Check, Table: "accounts", Key: attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("a")}}}})
	if err != nil {
		t.Fatal(err)
	}
	asks := questions(t, table)
	delete(asks, "BatchGetItem") // tested at the end
	asks["TransactWriteItems"] = func() error {
		c := m.Connect(func(o *dynamo.Options) { o.Transport, o.Write = m, true })
		a := c.Transact(t.Context(), request)
		if a.Result != client.Lost {
			t.Errorf("the write is %s", a.Result)
		}
		return a.Err
	}
	asks["Scan"] = func() error {
		r := table.Connection().PageReader(client.PageScan{Table: "accounts", Segments: 1})
		return r.Read(t.Context(), 0, nil, func([]byte) (float64, bool, error) { return 1, true, nil })
	}
	try := func(operation string, ask func() error, said, most int64) {
		body := &endless{}
		m.set(func(op string, _ *http.Response, _ []byte) *http.Response {
			if op != operation {
				return nil
			}
			answer := signed(200, "")
			answer.Body, answer.ContentLength = body, said
			return answer
		})
		if err := ask(); !strings.Contains(fmt.Sprint(err), "longer than") || body.read > most {
			t.Errorf("%d bytes of an answer to %s were read: %v", body.read, operation, err)
		}
	}
	for operation, ask := range asks {
		try(operation, ask, 1<<40, 0)
	}
	for _, operation := range []string{"TransactGetItems", "Scan"} { // the two kinds of body readers
		try(operation, asks[operation], -1, 65<<20)
	}
	try("BatchGetItem", questions(t, table)["BatchGetItem"], 1<<40, 0)
}

var nextKey = regexp.MustCompile(`"(LastEvaluatedKey|LastEvaluatedTableName)":(\{("\w+":\{"S":"[^"]*"\},?)+\}|"[^"]*")`)

// If an endpoint repeats the same next key for ever, the client stops with an error.
func TestNobodyIsLedInACircle(t *testing.T) {
	t.Parallel()
	m := &meddler{Tables: fixture.New(t)}
	table := m.Open("accounts", func(o *dynamo.Options) { o.Transport = m })
	first := map[string]string{}
	m.set(func(op string, genuine *http.Response, body []byte) *http.Response {
		at := nextKey.FindSubmatch(body)
		switch {
		case op == "ListTables":
			body = []byte(`{"TableNames":["accounts"],"LastEvaluatedTableName":"accounts"}`)
		case at != nil && first[op] == "":
			first[op] = string(at[2])
			return nil
		case first[op] != "":
			body = bytes.Replace(body, []byte(`"ScannedCount"`), []byte(`"LastEvaluatedKey":`+first[op]+`,"ScannedCount"`), 1)
			if at != nil {
				body = nextKey.ReplaceAll(body, []byte(`"$1":`+first[op]))
			}
		default:
			return nil
		}
		genuine.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
		genuine.Body, genuine.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return genuine
	})
	circles := func(what string, err error) {
		t.Helper()
		if client.KindOf(err) != client.Failed || !strings.Contains(err.Error(), "repeats its pages") || m.asked["Scan"] > 20 {
			t.Errorf("%s: %v, after %d pages", what, err, m.asked["Scan"])
		}
		m.asked, first = map[string]int{}, map[string]string{}
	}
	_, err := table.Connection().TableNames(t.Context())
	circles("the list of tables", err)
	m.Create("large", "PK:S", "SK:S") // this table has more than one page
	var rows []sdk.Item
	for n := range 1200 {
		one := fixture.Account(fmt.Sprint(n), fmt.Sprint(n), fmt.Sprint(n))
		one["about"] = sdk.S(strings.Repeat("x", 2000))
		rows = append(rows, one)
	}
	m.Put("large", rows...)
	large := m.Open("large", func(o *dynamo.Options) { o.Transport, o.Layout = m, "uniq" })
	m.asked, first = map[string]int{}, map[string]string{}
	_, err = find.Find(t.Context(), large, "turing", find.Options{Scan: true})
	circles("looking for who holds a value", err)
	b := browse.New(large)
	view, err := b.Next(t.Context())
	for err == nil && !view.Complete {
		view, err = b.Next(t.Context())
	}
	circles("browsing", err)
}

// hasty is an endpoint that answers before net/http has read the end of the request. The SDK then closes the request's
// body, while net/http still reads it.
type hasty struct {
	next http.RoundTripper
	errs []error
}

func (h *hasty) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, r.ContentLength))
	if err != nil {
		return nil, err
	}
	if err := r.Body.Close(); err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		h.errs = append(h.errs, err)
	}
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return h.next.RoundTrip(again)
}

// Reading the closed body of a request must not fail, because net/http would treat the connection as broken.
func TestAnAnswerMayComeEarly(t *testing.T) {
	f := fixture.New(t)
	h := &hasty{next: f}
	table := f.Open("accounts", func(o *dynamo.Options) { o.Transport = h })
	if _, err := find.Find(t.Context(), table, "ada@lovelace.io", find.Options{}); err != nil {
		t.Fatal(err)
	}
	if len(h.errs) > 0 {
		t.Errorf("the request does not end: %v", h.errs)
	}
}

// starved is an endpoint that answers only five keys of each batch.
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

// A batch is complete at the end, even if each answer has only a few items.
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
		found, err := table.SnapshotReader().Read(t.Context(), "many", keys)
		if err != nil || len(found) != 100 || slow.batches < 20 {
			t.Errorf("%d found by %d batches, %v", len(found), slow.batches, err)
		}
	})
}
