package dynamo_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	layouts "tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

const arnPrefix = "arn:aws:dynamodb:us-east-1:000000000000:table/"

// elsewhere changes answers, so that a table seems to be in another account.
type elsewhere struct {
	http.RoundTripper
	table string
}

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := e.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	arn := []byte(arnPrefix + e.table)
	body = bytes.ReplaceAll(body, arn, bytes.Replace(arn, []byte("000000000000"), []byte("111111111111"), 1))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Del("X-Amz-Crc32")
	return answer, err
}

// A layout that names a table also fits the table if it is opened by its ARN. The table of the locks must then be in
// the same account.
func TestLayoutOfAnARN(t *testing.T) {
	f := fixture.New(t)
	f.Create("people", "PK:S", "SK:S")
	f.Create("mails", "PK:S", "SK:S")
	layout := func(name, table string) config.Layout {
		return config.Layout{Name: name, Tables: []string{table}, Accounts: []config.Account{{
			PK: "USER#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Table: "mails", AlsoIn: &[]string{}}},
		}}}
	}
	ours := layout("ours", "people")
	ours.Accounts[0].Constraints[0].NoHolders = []layouts.Place{{Table: "people", Items: "NOTE#*", Attribute: "text"}}
	table := f.Open(arnPrefix+"people", fixture.Described(ours))
	if !table.Layout.Configured || table.Layout.Name != "ours" || table.Name != arnPrefix+"people" {
		t.Errorf("%+v", table.Layout)
	}
	if of := config.Of(table.Layout).Accounts[0].Constraints[0].NoHolders; len(of) != 1 || of[0].Table != table.Name {
		t.Errorf("the answers are %+v", of)
	}
	if changed, err := table.ConfigChanged(); changed || err != nil {
		t.Errorf("changed: %v, %v", changed, err)
	}
	table = f.Open(arnPrefix+"people", fixture.Described(ours, layout("its own", arnPrefix+"people")))
	if table.Layout.Name != "its own" {
		t.Errorf("the layout is %s", table.Layout.Name)
	}
	conn := f.Connect(fixture.Described(ours), func(o *dynamo.Options) { o.Transport = elsewhere{o.Transport, "mails"} })
	_, err := conn.Open(t.Context(), arnPrefix+"people")
	if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "names the table mails, which is in the account 111111111111") {
		t.Error(err)
	}
	if _, err := conn.Open(t.Context(), "people"); err != nil {
		t.Error(err)
	}
}
