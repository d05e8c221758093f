package change_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
)

// One layout has locks of exact values, and the other layout has locks of folded values. A request that was planned
// with one layout is not sent again with the other.
func TestNothingIsSentAgainUnderAnotherLayout(t *testing.T) {
	t.Parallel()
	described := func(pk, sk string, normalise ...string) func(*dynamo.Options) {
		return func(o *dynamo.Options) {
			o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"accounts", "members"}, Accounts: []config.Account{{
				PK: pk, SK: sk, Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Normalise: normalise}},
			}}}}
		}
	}
	for _, tc := range []struct {
		name, table, value, pk string
		losing                 int // the first write without an answer
		do                     change.Action
	}{
		{"a change of one step", "members", "mel", "MEM#{id}", 1, change.SendAgain},
		{"the deletion of a marked lock", "accounts", "alan", "ACCT#{id}", 2, change.Finish},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := start(t)
			table, other := f.owners(), described(tc.pk, "PROFILE", "lower")
			if tc.table != "members" {
				table = f.open(tc.table)
			}
			p := f.mustPlan(table, "username", tc.value)
			written := 0
			f.before = func(operation string, _ []byte) error {
				if operation != "TransactWriteItems" {
					return nil
				}
				if written++; written < tc.losing {
					return nil
				}
				return errCut
			}
			if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown {
				t.Fatalf("%s %v %v; want unknown", r.Outcome, r.Reasons, r.Err)
			}
			f.found()
			s, sent := f.examine(f.open(tc.table, other)), f.writes()
			r := f.changer.Resolve(t.Context(), s, tc.do, nil)
			if client.KindOf(r.Err) != client.Usage || !strings.Contains(r.Err.Error(), "but "+tc.table+" now has the layout") || r.Outcome != journal.Unknown {
				t.Errorf("%s %v, choices %s; want it refused for its layout", r.Outcome, r.Err, choices(s))
			}
			if f.writes() != sent || !f.record(p.ID).Open {
				t.Errorf("%d writes were sent, and it is open: %v", f.writes()-sent, f.record(p.ID).Open)
			}
			f.resolve(table, tc.do, journal.Applied)
		})
	}
}
