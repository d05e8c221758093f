package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Values and ids that SQL leaves to the check need room on the disk. Other parts of items need none. A check that has
// run the SQL begins even without room.
func TestDiskOfCandidates(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("entries", "PK:S", "SK:S", user("1", "a@x.io"))
	scoped := config.Constraint{Attribute: "email", Unique: true, Scope: []string{"event"}}
	l := unlocked(scoped, lockless("phone"))
	l.Counters = []config.Counter{{Name: "orders", PK: "COUNTER", SK: "AT", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}
	table := f.described("entries", l)
	const rows, kept = 1000, 64 << 10 / 5 / 2 / 8
	for part, prints := range map[string]int{"u0": 1, "u1": 3, "*": 4 + 1, "ids": 1, "ids-beside": 3, "d0": 0, "mark": 0, "u0 mark": 1} {
		var lines []string
		for range rows {
			lines = append(lines, about(table, fmt.Sprintf(`"unjudged":%q,"of":"entries","of_id":%q,"item":{}`, part, table.ID)))
		}
		lines = append(lines, about(table, fmt.Sprintf(`"counted":"items","of":"entries","of_id":%q,"count":%d`, table.ID, rows)))
		path := filed(t, lined(counted(table, lines)))
		c, err := candidates.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(max(prints*rows-kept, 0) * 8)
		if part == "*" {
			want = (4*rows-kept)*8 + (rows-kept)*8 // values and ids
		}
		o := setting.Options{Candidates: c, Memory: 1, Temp: filepath.Join(t.TempDir(), "missing")}
		if got, dir := setting.Disk(table, o); got != want || dir != o.Temp {
			t.Errorf("%s: %d bytes in %s, want %d", part, got, dir, want)
		}
		_, sum, err := run(t.Context(), table, o)
		if refused := client.KindOf(err) == client.Usage && strings.Contains(err.Error(), "nothing can be written to "+o.Temp); refused != (want > 0) {
			t.Errorf("%s: %+v, %v", part, sum, err)
		}
		fetched, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer fetched.Close()
		if o.Candidates, err = candidates.Of(fetched); err == nil {
			_, _, err = run(t.Context(), table, o)
		}
		if err != nil {
			t.Errorf("%s: the SQL is already paid for: %v", part, err)
		}
	}
}

// The values of a guessed constraint go to the disk, too, if a confirmed constraint has its locks in the same place.
func TestDiskOfAGuessInASharedPlace(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("players", "PK:S", "SK:S", user("1", "a@x.io"))
	rule := func(attribute string) config.Constraint {
		return config.Constraint{Attribute: attribute, PK: "NAME#{v}", SK: "USER#{id}"}
	}
	table := f.described("players", unlocked(rule("email"), rule("nick")))
	table.Items = 10_000
	table.Layout.Constraints()[1].State = layout.Guessed
	const kept = 64 << 10 / 5 / 2 / 8
	if got, _ := setting.Disk(table, setting.Options{Memory: 1}); got != (2*10_000-kept)*8 {
		t.Errorf("%d bytes", got)
	}
}
