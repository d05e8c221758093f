package fault

import (
	"encoding/json"
	"io"
	"net/http"

	"tallylock/dynamo/embedded"
)

// WithReplicas lets the table of that name appear to have replicas in the Regions.
// It is described as such, and nothing is replicated. strong: the table is one of
// multi-Region strong consistency, which has no transactions.
func WithReplicas(table string, strong bool, regions ...string) embedded.Option {
	return embedded.WithMiddleware(func(_ *embedded.Engine, next http.RoundTripper) http.RoundTripper {
		if len(regions) == 0 {
			return next
		}
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
	switch operation(r) {
	case "DescribeTable":
		body, again, err := read(r)
		if err != nil {
			return nil, err
		}
		answer, err := t.next.RoundTrip(again)
		if err != nil || !t.named(body) {
			return answer, err
		}
		return t.described(answer)
	case "TransactGetItems", "TransactWriteItems":
		body, again, err := read(r)
		if err != nil {
			return nil, err
		}
		if t.strong && t.transacts(body) {
			return refusal(r, http.StatusBadRequest, "ValidationException", "Transactional operations are not supported on tables with multi-Region strong consistency: "+t.table), nil
		}
		r = again
	}
	return t.next.RoundTrip(r)
}

func (t *replicas) named(body []byte) bool {
	var q place
	return json.Unmarshal(body, &q) == nil && tableName(q.TableName) == t.table
}

// transacts tells whether a transaction reads or writes the table.
func (t *replicas) transacts(body []byte) bool {
	var q struct{ TransactItems []map[string]place }
	if json.Unmarshal(body, &q) != nil {
		return false
	}
	for _, slot := range q.TransactItems {
		for _, p := range slot {
			if tableName(p.TableName) == t.table {
				return true
			}
		}
	}
	return false
}

// described adds the replicas to a table's description.
func (t *replicas) described(answer *http.Response) (*http.Response, error) {
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	var d struct{ Table map[string]any }
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	if d.Table != nil { // else there is no such table
		type replica struct{ RegionName, ReplicaStatus string }
		all := []replica{}
		for _, name := range t.regions {
			all = append(all, replica{name, "ACTIVE"})
		}
		d.Table["Replicas"], d.Table["GlobalTableVersion"] = all, "2019.11.21"
		d.Table["MultiRegionConsistency"] = map[bool]string{false: "EVENTUAL", true: "STRONG"}[t.strong]
		if text, err = json.Marshal(d); err != nil {
			return nil, err
		}
	}
	return respond(answer.Request, answer.StatusCode, string(text)), nil
}
