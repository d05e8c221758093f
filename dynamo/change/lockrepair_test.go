package change_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// respelt makes a table with a layout that folds case. The key of ada's lock has the spelling that she typed.
func respelt(t *testing.T, owner string) (*fixture, *dynamo.Table) {
	t.Helper()
	f := start(t)
	f.create("odd")
	lockOf := func(v, id string) item {
		if owner == "" {
			return emailLock(v)
		}
		return more(emailLock(v), strs("userId", id))
	}
	f.put("odd", row("ACCT#1", "PROFILE", "email", "Ada@X.io"))
	f.put("odd", lockOf("Ada@X.io", "1"))
	for n := range 25 {
		id := fmt.Sprint(n + 2)
		f.put("odd", row("ACCT#"+id, "PROFILE", "email", id+"@x.io"))
		f.put("odd", lockOf(id+"@x.io", id))
	}
	return f, f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}, Owner: owner}))
}

// A lock with another spelling of an account's value is one finding with one repair, however it was found: the lock is
// replaced, and no second lock is put.
func TestAnUnnormalisedValueIsOneFinding(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*fixture, *dynamo.Table) []*verdict.Relation{
		"found": func(f *fixture, table *dynamo.Table) []*verdict.Relation {
			a, err := find.Find(f.t.Context(), table, "Ada@X.io", find.Options{Scan: true})
			if err != nil || len(a.Locks) != 2 {
				f.t.Fatalf("%v, %+v", err, a)
			}
			return a.Locks
		},
		"browsed": func(f *fixture, table *dynamo.Table) []*verdict.Relation {
			b := browse.New(table)
			v, err := b.Next(f.t.Context())
			for err == nil && !v.Complete {
				v, err = b.Next(f.t.Context())
			}
			for judged := 1; err == nil && judged > 0; {
				v, judged, err = b.JudgeTogether(f.t.Context(), nil)
			}
			if err == nil && v.Complete {
				v, err = b.Confirm(f.t.Context())
			}
			broken := slices.DeleteFunc(slices.Clone(v.Relations), func(r *verdict.Relation) bool { return !r.Verdict.Broken() })
			if err != nil || !v.Complete || len(broken) != 1 {
				f.t.Fatalf("%v, complete %v: %d are broken; want one", err, v.Complete, len(broken))
			}
			var rows []*verdict.Relation
			for _, r := range v.Relations {
				if r.Variant != nil {
					rows = append(rows, r)
				}
			}
			for _, r := range v.Locks[0].Relations { // as on the screen of the lock
				if r.Variant != nil {
					rows = append(rows, r)
				}
			}
			if len(rows) != 2 {
				f.t.Fatalf("%d rows", len(rows))
			}
			return rows
		},
		"read by itself": func(f *fixture, table *dynamo.Table) []*verdict.Relation {
			return []*verdict.Relation{f.value(table, "email", "ada@x.io")}
		},
	}
	for _, owner := range []string{"", "userId"} {
		for name, way := range ways {
			t.Run(fmt.Sprintf("%s, owner %q", name, owner), func(t *testing.T) {
				f, table := respelt(t, owner)
				for _, r := range way(f, table) {
					p, err := mend.Repair(t.Context(), table, r)
					if err != nil || p.Kind != plan.KindReplace {
						t.Fatalf("%s of %s is repaired by %v (%v); want the lock replaced", r.Verdict, r.Lock.Key, p, err)
					}
				}
				r := way(f, table)[0]
				f.apply(mend.Repair(t.Context(), table, r))
				if f.get("odd", emailLock("Ada@X.io")) != nil || f.get("odd", emailLock("ada@x.io")) == nil {
					t.Error("the wrong lock is there, or the right one is not")
				}
				if found := f.checked(table); len(found) != 0 {
					t.Errorf("found afterwards: %v", kinds(found))
				}
			})
		}
		t.Run(fmt.Sprintf("checked, owner %q", owner), func(t *testing.T) {
			f, table := respelt(t, owner)
			found := f.checked(table)
			if len(found) != 1 || found[0].Kind != finding.UnnormalisedLock {
				t.Fatalf("found are %v", kinds(found))
			}
			mends, err := f.changer.PlanMends(t.Context(), table, found...)
			if err != nil || mends[0].Plan == nil || mends[0].Plan.Kind != plan.KindReplace {
				t.Fatalf("%+v, %v", mends, err)
			}
			// A findings file may say only that the lock is missing.
			missing := found[0]
			missing.Kind, missing.Lock = finding.MissingLock, nil
			mends, err = f.changer.PlanMends(t.Context(), table, missing)
			if err != nil || mends[0].Plan == nil || mends[0].Plan.Kind != plan.KindReplace {
				t.Fatalf("%+v, %v", mends, err)
			}
		})
	}
}

// A counter's repair depends on the worst of its findings. Kinds of findings that people decide have no repair.
func TestWhatPutsACounterRight(t *testing.T) {
	for _, tc := range []struct {
		findings []layout.CounterFault
		kind     plan.Kind
		code     string
	}{
		{nil, "", plan.InOrder},
		{[]layout.CounterFault{"counter-unsafe-integer"}, "", plan.ByHand},
		{[]layout.CounterFault{"counter-unsafe-integer", "counter-behind"}, plan.KindRaise, ""},
		{[]layout.CounterFault{"counter-missing"}, plan.KindCreate, ""},
		{[]layout.CounterFault{"counter-off-step", "counter-behind"}, plan.KindRaise, ""},
		{[]layout.CounterFault{"counter-not-a-number"}, plan.KindConvert, ""},
	} {
		kind, err := mend.CounterKind(counter.Counter{Faults: tc.findings})
		code := ""
		if refused, ok := errors.AsType[*plan.Refusal](err); ok {
			code = codes(refused.Reasons)
		}
		if kind != tc.kind || code != tc.code {
			t.Errorf("%v: %q, %v; want %q, %s", tc.findings, kind, err, tc.kind, tc.code)
		}
	}
	for said, c := range map[string]counter.Counter{
		"the counter has no known problem": {Exists: true},
		"the counter is in order":          {Exists: true, IDsChecked: true},
	} {
		if _, err := mend.CounterKind(c); err == nil || err.Error() != said {
			t.Errorf("ids looked for: %v: %v, want %s", c.IDsChecked, err, said)
		}
	}
	for _, kind := range finding.Kinds() {
		people := kind == finding.DuplicateValue || kind == finding.DuplicateID || kind == finding.CounterUnsafe || kind == finding.MalformedLock || kind == finding.DriftedKey
		if verbs := mend.Verbs(kind, ""); (len(verbs) == 0) != people {
			t.Errorf("mending a %s does %v", kind, verbs)
		}
	}
}
