package change_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tallylock/dynamo/change/plan"
)

// A plan is stored with the field names, and in the field order, of existing journals.
func TestAPlanKeepsItsJSON(t *testing.T) {
	t.Parallel()
	stored := strings.NewReplacer("\n", "", "\t", "").Replace(`{
		"id":"R-1","kind":"reserve","at":"2026-11-24T04:00:00Z","table":"app","table_id":"t1",
		"accounts":"app","tables":{"app":"t1"},
		"constraint":"email","value":"a@x.io","counter":"order_id","account":"ACCT#1",
		"layout":"abc","undoes":"R-0",
		"title":"Reserve numbers","sentence":"Reserves 5 to 6.","lines":[{"label":"set","text":"last = 6"}],
		"button":"Reserve 2 numbers","done":"5 to 6 are yours","collides":"it moves","typed":"order_id",
		"steps":[{"name":"reserve","token":"tok","writes":null}],
		"images":[{"table":"app","key":{"PK":{"S":"C"}},"item":{"PK":{"S":"C"},"last":{"N":"4"}}}],
		"price":{"write_units":2,"read_units":0,"about":false},"reason":"why",
		"before":"4","after":"6","first":"5","last":"6","elsewhere":["eu-west-1"]}`)
	var p plan.Plan
	dec := json.NewDecoder(strings.NewReader(stored))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out.String()); got != stored {
		t.Errorf("it is stored as\n%s\nand was\n%s", got, stored)
	}
}
