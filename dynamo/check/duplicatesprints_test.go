package check

import (
	"fmt"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/layout"
)

// Two values with the same fingerprint stay apart: each has its own items.
func TestEqualFingerprints(t *testing.T) {
	t.Parallel()
	from := &join.Source{Name: "accounts", Schema: attr.Schema{HashName: "PK", HashKind: attr.S}}
	con := new(layout.Constraint)
	var all twice.Entries[sharing]
	room := join.NewRoom(1 << 20)
	for n := range 30 {
		one := sharing{text: fmt.Sprint("v", n%10), con: con, space: con}
		one.addTo(&all, 7+uint64(n%2), room, from, from.Schema.KeyFrom(fmt.Sprint("ACCT#", n), ""))
	}
	values := map[string]int{}
	for _, s := range all.Each {
		for _, one := range s.items {
			if n := one.hash[len(one.hash)-1:]; "v"+n != s.text {
				t.Errorf("%s has %s", one.hash, s.text)
			}
		}
		values[s.text] += len(s.items)
	}
	if len(values) != 10 || values["v3"] != 3 {
		t.Errorf("found %v", values)
	}
}
