package change_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
)

// The plans to undo several changes share the limit of read units: each of them says if it did not read every account.
func TestSeveralUndosAreReadWithinTheLimit(t *testing.T) {
	t.Parallel()
	f := start(t)
	values := strings.Fields("one two three four five six seven eight nine ten")
	for _, v := range values {
		f.put("accounts", handle(v))
	}
	table := f.open("accounts")
	var records []*journal.Record
	for _, v := range values {
		r := f.apply(f.plan(table, "username", v))
		records = append(records, f.record(r.ID))
	}
	cost := dynamo.AccountsCost(table).Units
	small := f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 8 * cost })
	b, err := change.PlanUndos(t.Context(), small.Connection(), records...)
	if err != nil || len(b.Plans) != len(records) {
		t.Fatalf("%d plans, %v", len(b.Plans), err)
	}
	unread := 0
	for _, p := range b.Plans {
		if slices.ContainsFunc(p.Lines, func(l plan.Line) bool {
			return l.Label == plan.LabelNotKnown && strings.Contains(l.Text, "an account that holds")
		}) {
			unread++
		}
	}
	if unread != 2 {
		t.Errorf("%d of %d undos did not read every account; want 2: eight readings are within the limit", unread, len(records))
	}
}
