package dynamo_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/find"
	"tallylock/internal/fixture"
)

// hasty is an endpoint whose answers begin before net/http has seen that the request
// has ended: the SDK closes the request's body then, and net/http reads on.
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

// What net/http cannot send to its end, it takes for a broken connection.
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
