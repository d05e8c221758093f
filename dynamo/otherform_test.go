package dynamo_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// The application keeps one account's handle in a form that the layout does not know. Neither the
// account's value is surely without a lock, nor is another form of it surely free; not where an
// account calls for the other lock.
func TestAValueBesideALockOfAnotherForm(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd", "PK:S", "SK:S")
	put := func(pk, sk, handle string) {
		one := item{"PK": str(pk), "SK": str(sk)}
		if handle != "" {
			one["handle"] = str(handle)
		}
		f.put("odd", one)
	}
	for _, v := range []string{"grace", "alan", "hopper", "turing", "bob@x.io", "eve@x.io"} {
		put("USER#"+v, "PROFILE", v)
		put("UNIQ#"+v, "LOCK", "")
	}
	put("USER#ada", "PROFILE", "Ada.Love@x.io")
	put("UNIQ#adalove@x.io", "LOCK", "")
	put("USER#bob2", "PROFILE", "b.ob@x.io")
	table := f.open("odd", func(o *dynamo.Options) {
		o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"odd"}, Accounts: []layout.AccountConfig{{
			Model: "user", PK: "USER#{id}", SK: "PROFILE",
			Constraints: []layout.ConstraintConfig{{Name: "handle", Attribute: "handle", PK: "UNIQ#{v}", SK: "LOCK"}},
		}}}}
	})
	doubted := func(how string, rel *dynamo.Relation, verdict dynamo.Verdict, want bool) {
		t.Helper()
		why := strings.Contains(rel.Why, "UNIQ#adalove@x.io / LOCK, which may keep it in another form")
		if rel.Verdict != verdict || rel.Provisional != want || why != want || (rel.OtherForm != nil) != want {
			t.Errorf("%s %s: %s, provisional %v: %q", how, rel.Value, rel.Verdict, rel.Provisional, rel.Why)
		}
	}
	for query, want := range map[string]struct {
		verdict dynamo.Verdict
		doubted bool
	}{
		"Ada.Love@x.io": {dynamo.Missing, true}, "ada.love@x.io": {dynamo.Free, true},
		"b.ob@x.io": {dynamo.Missing, false}, "bo.b@x.io": {dynamo.Free, false}, "nobody@x.io": {dynamo.Free, false},
	} {
		a, err := table.Find(t.Context(), query, dynamo.FindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		doubted("find", a.Locks[0], want.verdict, want.doubted)
	}
	for _, rel := range read(t, table.Browse()).Relations {
		switch rel.Value {
		case "Ada.Love@x.io":
			doubted("browse", rel, dynamo.Missing, true)
		case "b.ob@x.io":
			doubted("browse", rel, dynamo.Missing, false)
		}
	}
}
