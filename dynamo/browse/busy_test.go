package browse_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// conflicting answers transactional reads with a conflict while it is on.
type conflicting struct {
	http.RoundTripper
	on bool
	n  int // counts the conflicts
}

func (c *conflicting) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.on && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactGetItems") {
		c.n++
		body := `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"cancelled","CancellationReasons":[{"Code":"TransactionConflict","Message":"because"}]}`
		return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}, nil
	}
	return c.RoundTripper.RoundTrip(r)
}

// A value was busy on the first page. A later page has a second account with the value, and nothing conflicts any
// more: both are duplicates.
func TestABusyValueBecomesADuplicate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // retries after conflicts take seconds
		f := fixture.New(t)
		f.Create("large", "PK:S", "SK:S")
		var rows []sdk.Item
		for n := range 700 {
			email := fmt.Sprintf("p%d@example.net", n)
			rows = append(rows, fixture.Account(fmt.Sprint(n), email, fmt.Sprintf("p%d", n)), fixture.Lock("HANDLE", fmt.Sprintf("p%d", n)), fixture.Lock("EMAIL", email))
		}
		f.Put("large", rows...)
		c := &conflicting{}
		table := f.Open("large", func(o *dynamo.Options) { c.RoundTripper = o.Transport; o.Transport = c })
		b := browse.New(table)
		first := page(t, b)
		// Choose an account of the first page, and an account of a later page. Both get the same value without a lock.
		one, two := "", ""
		for n := range 700 {
			id := fmt.Sprint(n)
			in := slices.ContainsFunc(first.Relations, func(r *verdict.Relation) bool { return r.Account != nil && r.Account.ID == id })
			if in && one == "" {
				one = id
			}
			if !in && two == "" {
				two = id
			}
		}
		f.Put("large", fixture.Account(one, "dup@example.net", "p"+one), fixture.Account(two, "dup@example.net", "p"+two))
		b = browse.New(table)
		c.on = true
		page(t, b)
		c.on = false
		v := read(t, b)
		found := 0
		for _, r := range v.Relations {
			if r.Value == "dup@example.net" {
				found++
				if r.Verdict != verdict.Duplicate {
					t.Errorf("%s is %s: %s", r.Account.ID, r.Verdict, r.Why)
				}
			}
		}
		if found != 2 || c.n == 0 {
			t.Errorf("%d rows hold the value, after %d conflicts", found, c.n)
		}
	})
}
