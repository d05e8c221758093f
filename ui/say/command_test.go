package say_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/say"
)

// The command of a finding names the lock by its value with its scope, or by its whole key if the value does not lead
// to the lock.
func TestCommandsOfFindings(t *testing.T) {
	d, err := demo.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := d.Options()
	o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts"}, Accounts: []config.Account{{
		PK: "TENANT#{tenant}#USER#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{
			{Attribute: "email", PK: "TENANT#{tenant}#EMAIL#{v}", SK: "LOCK"},
			{Attribute: "phone", PK: "PHONE#{v}", SK: "LOCK", Normalise: []string{"sha256"}},
		},
	}}}}
	conn, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	table, err := conn.Open(t.Context(), "accounts")
	if err != nil {
		t.Fatal(err)
	}
	const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	for name, c := range map[string]struct {
		kind                  finding.Kind
		constraint, value, pk string
		want                  string
	}{
		"a scope":       {finding.OrphanedLock, "email", "a@x.io", "TENANT#acme#EMAIL#a@x.io", "tallylock release --write --scope tenant=acme --table accounts email a@x.io"},
		"a find":        {finding.MissingLock, "email", "a@x.io", "TENANT#acme#EMAIL#a@x.io", "tallylock find --scope tenant=acme --table accounts a@x.io"},
		"no scope":      {finding.OrphanedLock, "email", "a@x.io", "TENANT##EMAIL#a@x.io", `tallylock release --write --key '{"PK":{"S":"TENANT##EMAIL#a@x.io"},"SK":{"S":"LOCK"}}' --table accounts email`},
		"a digest":      {finding.OrphanedLock, "phone", digest, "PHONE#" + digest, `tallylock release --write --key '{"PK":{"S":"PHONE#` + digest + `"},"SK":{"S":"LOCK"}}' --table accounts phone`},
		"who has one":   {finding.DuplicateValue, "phone", digest, "PHONE#" + digest, "tallylock find --table accounts 'TENANT#acme#USER#1'"},
		"another value": {finding.OrphanedLock, "email", "b@x.io", "TENANT#acme#EMAIL#a@x.io", `tallylock release --write --key '{"PK":{"S":"TENANT#acme#EMAIL#a@x.io"},"SK":{"S":"LOCK"}}' --table accounts email`},
	} {
		f := finding.Finding{
			Kind: c.kind, Constraint: c.constraint, Value: c.value,
			Lock:     attr.Item{"PK": attr.String(c.pk), "SK": attr.String("LOCK")},
			Accounts: []attr.Item{{"PK": attr.String("TENANT#acme#USER#1"), "SK": attr.String("PROFILE")}},
		}
		if got := say.RemedyCommand(table, f); got != c.want {
			t.Errorf("%s:\n%s; want\n%s", name, got, c.want)
		}
	}
}
