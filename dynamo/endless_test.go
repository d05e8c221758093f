package dynamo_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/internal/fixture"
)

// endless is a body that never ends, and counts what is read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for n := range p {
		p[n] = ' '
	}
	e.read += int64(len(p))
	return len(p), nil
}

func (e *endless) Close() error { return nil }

// No answer is read for longer than one of DynamoDB's could be, and none that says it
// is longer is read at all.
func TestAnAnswerIsNotReadForEver(t *testing.T) {
	t.Parallel()
	m, table := behind(t)
	request, err := client.Request("token", []client.Write{{Verb: client.Check, Table: "accounts", Key: attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("a")}}}})
	if err != nil {
		t.Fatal(err)
	}
	asks := questions(t, table)
	delete(asks, "BatchGetItem") // below
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
	for _, operation := range []string{"TransactGetItems", "Scan"} { // one reader for all, and one for pages
		try(operation, asks[operation], -1, 65<<20)
	}
	try("BatchGetItem", questions(t, table)["BatchGetItem"], 1<<40, 0)
}

var nextKey = regexp.MustCompile(`"(LastEvaluatedKey|LastEvaluatedTableName)":(\{("\w+":\{"S":"[^"]*"\},?)+\}|"[^"]*")`)

// A table, or a list of tables, that goes on after the same key for ever is not
// followed.
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
		if client.KindOf(err) != client.Failed || !strings.Contains(err.Error(), "leads in a circle") || m.asked["Scan"] > 20 {
			t.Errorf("%s: %v, after %d pages", what, err, m.asked["Scan"])
		}
		m.asked, first = map[string]int{}, map[string]string{}
	}
	_, err := table.Connection().TableNames(t.Context())
	circles("the list of tables", err)
	m.Create("large", "PK:S", "SK:S") // more than a page
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
