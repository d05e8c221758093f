package change_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// misspelt makes a table with a layout that does not fold case: ada's e-mail has a capital letter, and her lock has
// none.
func misspelt(t *testing.T, owner string, o ...func(*dynamo.Options)) (*fixture, *dynamo.Table) {
	t.Helper()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#1", "PROFILE", "email", "Ada@x.io"))
	wrong := emailLock("ada@x.io")
	if owner != "" {
		wrong["userId"] = str(owner)
	}
	f.put("odd", wrong)
	f.put("odd", row("ACCT#2", "PROFILE", "email", "bob@x.io"))
	f.put("odd", emailLock("bob@x.io"))
	return f, f.open("odd", append([]func(*dynamo.Options){configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"})}, o...)...)
}

func (f *fixture) lockOf(t *dynamo.Table, constraint, v string) *verdict.Relation {
	f.t.Helper()
	rel, err := t.LockOf(f.t.Context(), constraint, v, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return rel
}

func (f *fixture) planReplace(t *dynamo.Table) (*plan.Plan, error) {
	f.t.Helper()
	account := f.value(t, "email", "Ada@x.io").Account.Key
	return planner.Replace(f.t.Context(), t, f.lockOf(t, "email", "ada@x.io"), account, "Ada@x.io")
}

// A lock that names its account is replaced in one transaction. A lock without an owner, or in a large table, is
// replaced with a mark and a look.
func TestAMisspeltLockIsReplaced(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		owner string
		units float64
		steps int
	}{
		"it names the account":                   {"1", 500, 1},
		"it names the account, in a large table": {"1", 0.001, 3},
		"it names nobody":                        {"", 500, 3},
		"it names nobody, in a large table":      {"", 0.001, 3},
		"it names the account by its whole key":  {"ACCT#1", 500, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, table := misspelt(t, tc.owner, func(o *dynamo.Options) { o.AutoReadUnits = tc.units })
			p, err := f.planReplace(table)
			if err == nil && len(p.Steps) != tc.steps {
				t.Errorf("%d steps; want %d", len(p.Steps), tc.steps)
			}
			f.apply(p, err)
			want := emailLock("Ada@x.io")
			if tc.owner != "" {
				want["userId"] = str(tc.owner)
			}
			if got := f.get("odd", emailLock("Ada@x.io")); !reflect.DeepEqual(got, want) {
				t.Errorf("the right lock is %v; want %v", got, want)
			}
			if f.get("odd", emailLock("ada@x.io")) != nil {
				t.Error("the wrong lock is still there")
			}
			if p.Typed != "" {
				t.Errorf("%q is to be typed, though the layout was described", p.Typed)
			}
			_, err = f.planReplace(table)
			if refused, ok := errors.AsType[*plan.Refusal](err); !ok || refused.Reasons[0].Code != plan.InOrder {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

func TestAMisspeltLockStaysWhereSomebodyIsBehindIt(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		owner  string
		items  []item
		code   string
		inLook bool // only the look finds the reason
	}{
		"another account calls for it":                   {items: []item{row("ACCT#3", "PROFILE", "email", "ada@x.io")}, code: plan.Held},
		"it names another":                               {owner: "3", code: plan.Held},
		"the right one is there":                         {items: []item{emailLock("Ada@x.io")}, code: plan.Changed},
		"two hold the value":                             {items: []item{row("ACCT#3", "PROFILE", "email", "Ada@x.io")}, code: plan.Duplicate},
		"another account calls for it, in a large table": {items: []item{row("ACCT#3", "PROFILE", "email", "ada@x.io")}, code: plan.Held, inLook: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, table := misspelt(t, tc.owner, func(o *dynamo.Options) {
				if tc.inLook {
					o.AutoReadUnits = 0.001
				}
			})
			for _, i := range tc.items {
				f.put("odd", i)
			}
			p, err := f.planReplace(table)
			if !tc.inLook {
				f.refused(tc.code, p, err)
				return
			}
			before := f.dump("odd")
			if r := f.changer.Apply(t.Context(), p, nil); err != nil || r.Outcome != journal.Refused || codes(r.Reasons) != tc.code {
				t.Errorf("%v, %s %v %v; want it refused", err, r.Outcome, r.Reasons, r.Err)
			}
			if after := f.dump("odd"); !reflect.DeepEqual(after, before) {
				t.Errorf("the table is %v, and was %v", after, before)
			}
		})
	}
}

// Facts change while the replacement waits between its mark and its deletion.
func TestAReplacementIsRefusedWhenItsFactsChange(t *testing.T) {
	t.Parallel()
	for want, meddle := range map[string]func(*fixture){
		"email is now else@x.io, and was Ada@x.io":                set(row("ACCT#1", "PROFILE"), "email", "else@x.io"),
		"UNIQ#EMAIL#Ada@x.io / LOCK was created after you looked": there(emailLock("Ada@x.io")),
		"somebody wrote UNIQ#EMAIL#ada@x.io":                      there(emailLock("ada@x.io")),
		"UNIQ#EMAIL#ada@x.io / LOCK was deleted":                  gone(emailLock("ada@x.io")),
	} {
		t.Run(want, func(t *testing.T) {
			f, table := misspelt(t, "")
			p, err := f.planReplace(table)
			if err != nil {
				t.Fatal(err)
			}
			var before map[string]map[string]string
			r := f.changer.Apply(t.Context(), p, func(p change.Progress) {
				if p.Stage == "delete" && before == nil {
					meddle(f)
					before = f.dump("odd")
					delete(before["UNIQ#EMAIL#ada@x.io/LOCK"], schema.MarkAttribute)
				}
			})
			var said []string
			for _, reason := range r.Reasons {
				said = append(said, reason.Text)
			}
			if r.Outcome != journal.Refused || !strings.Contains(strings.Join(said, "\n"), want) {
				t.Errorf("%s %q %v", r.Outcome, said, r.Err)
			}
			if after := f.dump("odd"); !reflect.DeepEqual(after, before) {
				t.Errorf("the table is %v, and was %v", after, before)
			}
		})
	}
}

// If the layout was only recognised, the lock may be right and the layout wrong, so the value has to be typed.
func TestAReplacementUnderARecognisedLayoutIsTyped(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts", undescribed)
	f.put("accounts", row("ACCT#new", "PROFILE", "email", "n@x.io", "username", "Turing"))
	f.put("accounts", emailLock("n@x.io"))
	account := f.value(table, "username", "Turing").Account.Key
	p, err := planner.Replace(t.Context(), table, f.lockOf(table, "username", "turing"), account, "Turing")
	if err != nil {
		t.Fatal(err)
	}
	if p.Typed != "Turing" {
		t.Errorf("typed %q; want the value", p.Typed)
	}
	if _, err := planner.Replace(t.Context(), table, f.lockOf(table, "username", "alan"), account, "Turing"); err == nil {
		t.Error("a lock that no spelling of the value meets was to be replaced")
	}
}
