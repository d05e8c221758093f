package change_test

import (
	"errors"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
)

// A lock with an encoded value is released only if no item holds the value.
func TestLocksOfEncodedValues(t *testing.T) {
	t.Parallel()
	for name, chain := range map[string][]string{"base64": {"base64"}, "base64url": {"nfc", "base64url"}, "percent": {"percent"}, "sha256 in base64": {"sha256", "base64"}} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: chain}))
			_, c := table.Layout.Constraint("email")
			key := func(v string) item { return emailLock(c.Normalised(v)) }
			f.put("odd", row("ACCT#1", "PROFILE", "email", "ada@x.io"))
			for _, v := range []string{"ada@x.io", "gone@x.io", "ADA@x.io", "asked@x.io"} {
				f.put("odd", key(v))
			}
			p, err := f.plan(table, "email", "ada@x.io")
			f.refused(plan.Held, p, err)
			if r := f.changer.Apply(t.Context(), f.mustPlan(table, "email", "gone@x.io"), nil); r.Outcome != journal.Applied || f.get("odd", key("gone@x.io")) != nil {
				t.Errorf("release: %s %v %v", r.Outcome, r.Reasons, r.Err)
			}
			f.put("odd", row("INVITE#1", "META", "to", "asked@x.io"))
			if p, err := f.plan(table, "email", "asked@x.io"); err == nil {
				if r := f.changer.Apply(t.Context(), p, nil); r.Outcome == journal.Applied {
					t.Error("a lock was released, and an invitation holds its value")
				}
			}
		})
	}
}

// A misspelt lock of an account's value is replaced with the right lock; both have encoded values. A lock of another
// value is not replaced, even if the two encodings differ only in case.
func TestReplaceAnEncodedLock(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"base64"}}))
	account := func(id string) attr.Key {
		key, _ := table.Schema.KeyOf(attr.Item{"PK": attr.String("ACCT#" + id), "SK": attr.String("PROFILE")})
		return key
	}
	f.put("odd", row("ACCT#0", "PROFILE", "email", "always"))
	f.put("odd", emailLock("YWx3YXlz"))
	f.put("odd", row("ACCT#1", "PROFILE", "email", "Ada"))
	f.put("odd", emailLock("YWRh")) // encodes ada
	f.apply(planner.Replace(t.Context(), table, f.lockOf(table, "email", "ada"), account("1"), "QWRh"))
	if f.get("odd", emailLock("QWRh")) == nil || f.get("odd", emailLock("YWRh")) != nil {
		t.Error("the right lock is not in the wrong one's place")
	}
	f.put("odd", row("ACCT#2", "PROFILE", "email", "adG")) // its encoding is YWRH
	f.put("odd", emailLock("YWRh"))
	p, err := planner.Replace(t.Context(), table, f.lockOf(table, "email", "ada"), account("2"), "YWRH")
	if refusal, ok := errors.AsType[*plan.Refusal](err); !ok || codes(refusal.Reasons) != plan.Changed {
		t.Errorf("planned %v, %v; want it refused", p, err)
	}
}
