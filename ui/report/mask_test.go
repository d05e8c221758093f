package report_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
	"tallylock/ui/report"
)

// A counter that was recognised by its whole key may be called after a customer: its words
// are nobody's only where a person has described it.
func TestMaskOfCountersThatWereRecognised(t *testing.T) {
	table := open(t, "accounts")
	var found []check.Finding
	for _, name := range []string{"acme", "globex"} {
		pk, err := layout.ParseTemplate("COUNTER#" + name)
		if err != nil {
			t.Fatal(err)
		}
		sk, err := layout.ParseTemplate("VALUE")
		if err != nil {
			t.Fatal(err)
		}
		table.Layout.Counters = append(table.Layout.Counters, &layout.Counter{Name: name, PK: pk, SK: sk, Attribute: "n"})
		found = append(found, check.Finding{
			Kind: check.CounterBehind, Counter: name, Key: attr.Item{"PK": attr.String("COUNTER#" + name), "SK": attr.String("VALUE")},
			Items: []check.Place{{Table: "accounts", Key: attr.Item{"PK": attr.String("ACCT#" + name), "SK": attr.String("ACCT#" + name)}}},
		})
	}
	for _, configured := range []bool{false, true} {
		table.Layout.Configured = configured
		r, err := report.New("r.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			r.Add(f)
		}
		text := written(t, r, report.About{Table: table, Mask: true}, check.Summary{Table: "accounts"})
		for _, name := range []string{"acme", "globex"} {
			if strings.Contains(text, name) != configured {
				t.Errorf("configured %t: %q in\n%s", configured, name, text)
			}
		}
	}
}
