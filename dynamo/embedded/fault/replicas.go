package fault

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"tallylock/dynamo/embedded"
)

// WithReplicas lets the table of that name, when it is created, have replicas in
// the Regions. It is described as such, and nothing is replicated. strong: the
// table is one of multi-Region strong consistency, which has no transactions.
func WithReplicas(table string, strong bool, regions ...string) embedded.Option {
	return embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		return &replicas{table, strong, regions, next}
	})
}

type replicas struct {
	table   string
	strong  bool
	regions []string
	next    http.RoundTripper
}

func (t *replicas) RoundTrip(r *http.Request) (*http.Response, error) {
	if operation(r) != "CreateTable" {
		return t.next.RoundTrip(r)
	}
	body, again, err := read(r)
	if err != nil {
		return nil, err
	}
	var definition map[string]any
	if json.Unmarshal(body, &definition) == nil && definition["TableName"] == t.table {
		all := []map[string]string{}
		for _, name := range t.regions {
			all = append(all, map[string]string{"RegionName": name})
		}
		definition["Replicas"] = all
		if t.strong {
			definition["MultiRegionConsistency"] = "STRONG"
		}
		if body, err = json.Marshal(definition); err != nil {
			return nil, err
		}
		again.Body = io.NopCloser(bytes.NewReader(body))
	}
	return t.next.RoundTrip(again)
}
