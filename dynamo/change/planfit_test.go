package change_test

import (
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/layout"
)

// vouched opens a table of which most values have no lock, so that only a person can say
// that its layout fits.
func (f *fixture) vouched() *dynamo.Table {
	f.t.Helper()
	for _, id := range []string{"7", "8", "9"} {
		f.put("odd", row("ACCT#"+id, "PROFILE", "email", "unlocked"+id+"@x.io"))
	}
	described := configured(layout.ConstraintConfig{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"})
	return f.open("odd", described, func(o *dynamo.Options) { o.TrustLayout = true })
}

// A person says that the layout fits, and nothing that was seen shows that the application
// keeps two spellings apart: an account that holds the value in another one keeps its lock,
// and the receipt says on whose word the change was made.
func TestAnotherSpellingKeepsItsLockWhereAPersonAnswersForTheLayout(t *testing.T) {
	t.Parallel()
	t.Run("a release", func(t *testing.T) {
		f := start(t)
		f.create("odd")
		f.put("odd", row("ACCT#1", "PROFILE", "email", "Ada@x.io"))
		f.put("odd", emailLock("Ada@x.io"))
		f.put("odd", emailLock("ada@x.io"))
		p := f.mustPlan(f.vouched(), "email", "ada@x.io")
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != change.Refused || codes(r.Reasons) != change.Held || !p.Trusted {
			t.Errorf("%s %v %v, trusted %v; want it held", r.Outcome, r.Reasons, r.Err, p.Trusted)
		}
		if f.get("odd", emailLock("ada@x.io")) == nil {
			t.Error("the lock is gone")
		}
	})
	t.Run("a replacement", func(t *testing.T) {
		f, _ := misspelt(t, "1")
		p, err := f.planReplace(f.vouched())
		if err != nil {
			t.Fatal(err)
		}
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != change.Refused || codes(r.Reasons) != change.Held || !p.Trusted {
			t.Errorf("%s %v %v, trusted %v; want it held", r.Outcome, r.Reasons, r.Err, p.Trusted)
		}
		if f.get("odd", emailLock("ada@x.io")) == nil || f.get("odd", emailLock("Ada@x.io")) != nil {
			t.Errorf("the table is %v", f.dump("odd"))
		}
	})
}
