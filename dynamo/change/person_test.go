package change_test

import (
	"testing"

	"tallylock/dynamo/change/journal"
)

// The journal of a viewer's changer is read-only. So the changer writes nothing, although the connection could.
func TestAChangerWithAReadOnlyJournalWritesNothing(t *testing.T) {
	f := start(t)
	p := f.mustPlan(f.open("accounts"), "username", "alan")
	viewer := f.changer.For("kim", journal.OpenReadOnly(f.journal))
	if r := viewer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused || r.Err == nil {
		t.Errorf("the release became %s: %v", r.Outcome, r.Err)
	}
	if n := f.writes(); n > 0 {
		t.Errorf("%d writes were sent", n)
	}
}
