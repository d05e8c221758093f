package change_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/schema"
	"tallylock/ui/say"
)

// A release whose deletion has no answer says that its mark may still be on the lock, and how to
// remove the mark.
func TestAnUnknownReleaseSaysWhereItsMarkIs(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	p := f.mustPlan(table, "username", "alan")
	f.before = func(operation string, body []byte) error {
		if operation == "TransactWriteItems" && deletes(body) {
			return errCut
		}
		return nil
	}
	r := f.changer.Apply(t.Context(), p, nil)
	if r.Outcome != journal.Unknown || codes(r.Reasons) != plan.NoAnswer+" "+plan.MarkLeft {
		t.Fatalf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	for _, want := range []string{"it still has the mark", "`tallylock journal --resolve` removes it"} {
		if text := say.Reason(r.Reasons[1]); !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	f.found()
	f.put("accounts", marked("another"))
	if s := f.examine(table); !strings.HasPrefix(s.Words, "The lock has the mark of another release") {
		t.Errorf("another release has marked the lock, and resolving says %q", s.Words)
	}
}

// The mark of a release and the removal of the mark get no answer. The release says that the mark may be on the lock,
// and not that it is: here the mark was removed.
func TestALostRemovalOfAMarkIsUnknown(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.mustPlan(f.open("accounts"), "username", "alan")
	f.lose(true)
	r := f.changer.Apply(t.Context(), p, nil)
	if len(f.get("accounts", handle("alan"))) != 2 {
		t.Fatal("the mark was not removed")
	}
	if r.Outcome != journal.Unknown || codes(r.Reasons) != plan.NoAnswer+" "+plan.MarkLeft ||
		!strings.Contains(r.Reasons[1].Text, "may still be on the lock") {
		t.Errorf("%s %v", r.Outcome, r.Reasons)
	}
}

// marked returns the lock of alan with the mark of a release.
func marked(mark string) item {
	return row("UNIQ#HANDLE#alan", "LOCK", schema.MarkAttribute, mark)
}

// Another release replaces the mark while the first release looks. The first release says so, whether it would delete
// the lock or keep it.
func TestAMarkThatAnotherReleaseTakesOver(t *testing.T) {
	t.Parallel()
	const says = "another release replaced the mark of UNIQ#HANDLE#alan / LOCK"
	for name, of := range map[string]struct {
		meanwhile []item
		want      string
	}{
		"it would delete": {[]item{marked("another")}, plan.ConditionFailed},
		"it keeps": {
			[]item{marked("another"), row("ACCT#late", "PROFILE", "username", "alan", "email", "late@x.io")},
			plan.Held + " " + plan.TakenOver,
		},
	} {
		f := start(t)
		p := f.mustPlan(f.open("accounts"), "username", "alan")
		f.before = func(operation string, _ []byte) error {
			if operation == "Scan" {
				f.put("accounts", of.meanwhile...)
			}
			return nil
		}
		before := f.writes()
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != journal.Refused || codes(r.Reasons) != of.want || r.Reasons[len(r.Reasons)-1].Text != says {
			t.Errorf("%s: %s %v %v", name, r.Outcome, r.Reasons, r.Err)
		}
		if sent := f.writes() - before; sent != 2 {
			t.Errorf("%s: %d writes were sent, want the mark, and the deletion or the removal of the mark", name, sent)
		}
		if was := f.record(r.ID); was.Outcome != journal.Refused || was.Open {
			t.Errorf("%s: the journal says %s, open %t; want refused, closed", name, was.Outcome, was.Open)
		}
		if got := f.get("accounts", handle("alan")); text(got[schema.MarkAttribute]) != "another" {
			t.Errorf("%s: the lock is %v", name, got)
		}
	}
}
