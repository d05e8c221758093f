package mcp_test

import (
	"context"
	"net/http"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded"
	"tallylock/internal/fixture"
	"tallylock/ui/safe"
)

// changed connects to a table through a transport, with changed options.
func changed(
	f *fixture.Tables, table string, through http.RoundTripper, change func(*dynamo.Options),
) func(context.Context) (*dynamo.Connection, error) {
	return func(ctx context.Context) (*dynamo.Connection, error) {
		o := f.Options()
		o.Write, o.Transport, o.Strict, o.Tables, o.Settle, o.AutoReadUnits = false, through, true, []string{table}, 1, 5000
		change(&o)
		return dynamo.Connect(ctx, o)
	}
}

// fixtureRefusal is an answer with an error of DynamoDB.
func fixtureRefusal(r *http.Request, code, message string) *http.Response {
	body := `{"__type":"com.amazon.coral.service#` + code + `","message":"` + message + `"}`
	return embedded.Respond(r, http.StatusBadRequest, []byte(body))
}

func visibleText(s string) string { return safe.Text(strings.TrimSpace(s)) }
