package find_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// encoded creates a table whose lock keys contain the email after a chain of normalisers.
func encoded(f *fixture.Tables, name string, chain ...string) (*dynamo.Table, *layout.Constraint) {
	f.Create(name, "PK:S", "SK:S")
	table := f.Open(name, func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{name}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE",
			Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: chain}},
		}}}}
	})
	_, c := table.Layout.Constraint("email")
	return table, c
}

var encodings = [][]string{nil, {"base64"}, {"lower", "base64"}, {"trim", "lower", "base64url"}, {"percent"}, {"nfc", "lower", "percent"}, {"percent", "upper"}, {"dynamoflow"}, {"base64", "lower"}, {"lower", "sha256", "base64"}}

// A query may be the value of the account, or the encoded value of the lock's key. Both find the lock, whatever the
// encoding is.
func TestFindEncodedValues(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	for n, chain := range encodings {
		name := fmt.Sprint("encoded", n)
		table, c := encoded(f, name, chain...)
		enc := c.Normalised
		for m := range 6 { // these locks show the layout
			f.Put(name, fixture.Account(fmt.Sprint("x", m), fmt.Sprint("x", m, "@y.io"), ""), fixture.Lock("EMAIL", enc(fmt.Sprint("x", m, "@y.io"))))
		}
		f.Put(name, fixture.Account("1", "ada+é@lovelace.io", "ada"), fixture.Lock("EMAIL", enc("ada+é@lovelace.io")),
			fixture.Account("2", "grace@navy.mil", "g"), fixture.Lock("EMAIL", enc("gone@x.io")),
			fixture.Lock("EMAIL", enc("invited@x.io")), sdk.Item{"PK": sdk.S("INVITE#1"), "SK": sdk.S("META"), "to": sdk.S("INVITED@x.io ")})
		for query, want := range map[string]string{
			"ada+é@lovelace.io": "held", enc("ada+é@lovelace.io"): "held", "grace@navy.mil": "missing", "gone@x.io": "orphaned?", "nobody@x.io": "free",
			"invited@x.io": "unknown", // the invitation may be an account
		} {
			a, err := find.Find(t.Context(), table, query, find.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, r := range a.Locks {
				if got == "" || r.Lock.Exists {
					got = string(r.Verdict)
					if r.Provisional {
						got += "?"
					}
				}
			}
			if got != want {
				t.Errorf("%v: find %q: %s; want %s", chain, query, verdicts(a), want)
			}
		}
	}
}
