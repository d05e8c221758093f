package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
)

// A session that has used its read units reads nothing more without a person's request, and says why. Requests of a
// person are still read.
func TestASessionKeepsToItsReadUnits(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("town", "PK:S", "SK:S")
	var rows []sdk.Item
	for n := range 400 {
		v := fmt.Sprint("p", n)
		one := fixture.Account(v, v+"@x.io", v)
		one["about"] = sdk.S(strings.Repeat("x", 300))
		rows = append(rows, one, fixture.Lock("EMAIL", v+"@x.io"))
	}
	f.Put("town", rows...)
	layouts := []config.Layout{{Name: "mine", Tables: []string{"town"}, Accounts: []config.Account{{
		PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}},
	}}}}
	for session, whole := range map[float64]bool{0: true, 60: false, 5000: true} {
		conn := f.Connect(func(o *dynamo.Options) { o.SessionReadUnits, o.Layouts = session, layouts })
		table, err := conn.Open(t.Context(), "town")
		if err != nil {
			t.Fatal(err)
		}
		var last *find.Answer
		for n := range 200 {
			if n >= 5 && (whole || conn.UnitsSpent()) {
				break
			}
			if last, err = find.Find(t.Context(), table, fmt.Sprint("nobody", n), find.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		if last.Complete != whole || conn.UnitsSpent() == whole || conn.ReadsUnasked() != whole {
			t.Errorf("session_read_units %v: complete: %v, spent: %v after %v units", session, last.Complete, conn.UnitsSpent(), conn.Units())
		}
		if used := conn.Units(); !whole && used > session+20 {
			t.Errorf("%v units were read, and %v is the ceiling", used, session)
		}
		if whole {
			continue
		}
		if why, do := conn.WhyUnread(); why != "this session has used its session_read_units" || !strings.Contains(do, "new session") {
			t.Errorf("%s; %s", why, do)
		}
		if a, err := find.Find(t.Context(), table, "nobody", find.Options{Scan: true}); err != nil || !a.Complete {
			t.Errorf("asked for, it was not read: %v", err)
		}
	}
}
