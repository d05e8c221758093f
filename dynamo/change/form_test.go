package change_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// The application changes some values before it makes their locks, in a way that the layout does not describe. Their
// locks seem to be orphaned, and their accounts seem to have no lock. No finding about them is confirmed, and neither
// releases nor repairs delete these locks. Other damage is repaired.
func TestAFormOfAValueThatTheLayoutDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]struct{ typed, kept string }{
		"dots":                   {"Ada.Love%d@x.io", "adalove%d@x.io"},
		"a +tag":                 {"ada%d+news@x.io", "ada%d@x.io"},
		"accents":                {"zoë%d", "zoe%d"},
		"a cut":                  {"a-very-long-name-no-%d-that-is-longer", "a-very-long-name-no-%d-that"},
		"a keyed hash":           {"ada%d", "9f86d081884c7d659a2f%04d"}, // only the owner shows the account
		"a hash and its version": {"ada%d", "h1:9f86d081884c7d659a2f%04d"},
		"a short hash":           {"ada%d", "9f86d0%02d"},
		"an umlaut":              {"Müller%d", "mueller%d"},
		"phone numbers":          {"030 5551 81%02d", "+4930555181%02d"},
	} {
		for _, owner := range []string{"", "userId"} {
			if owner == "" && strings.Contains(name, "hash") {
				continue
			}
			t.Run(name+"/"+owner, func(t *testing.T) {
				t.Parallel()
				f := start(t)
				f.create("odd")
				var kept []string
				for n := range 33 {
					id, typed := fmt.Sprint(n), fmt.Sprintf("plain%d", n)
					lock := typed
					if n < 3 {
						typed, lock = fmt.Sprintf(form.typed, n), fmt.Sprintf(form.kept, n)
						kept = append(kept, lock)
					}
					f.put("odd", row("USER#"+id, "PROFILE", "handle", typed))
					f.put("odd", ownedLock("UNIQ#HANDLE#"+lock, owner, id))
				}
				f.put("odd", row("USER#nolock", "PROFILE", "handle", "nolock"))
				f.put("odd", ownedLock("UNIQ#HANDLE#gone", owner, "gone"))
				c := config.Constraint{Attribute: "handle", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Owner: owner}
				l := config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}}}
				table := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })

				found := f.checkedAnyhow(table)
				sure := map[string]finding.Kind{}
				for _, one := range found {
					if one.Confirmed {
						sure[one.Value] = one.Kind
					}
				}
				for n, lock := range kept {
					if kind := sure[lock]; kind != "" {
						t.Errorf("%s is surely %s", lock, kind)
					}
					if kind := sure[fmt.Sprintf(form.typed, n)]; kind != "" {
						t.Errorf("its account is surely %s", kind)
					}
				}
				// If some locks have digests, one of them may be the lock of an account that seems to have none.
				if hash := strings.Contains(name, "hash"); sure["gone"] != finding.OrphanedLock || (sure["nolock"] == "") != hash {
					t.Errorf("sure of %v; want of gone, and of nolock unless locks keep hashes", sure)
				}
				for _, lock := range kept {
					if p, err := f.plan(table, "handle", lock); err == nil {
						if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
							t.Errorf("release of %s: %s", lock, r.Outcome)
						}
					}
				}
				f.mend(table, found...)
				for _, lock := range kept {
					if f.get("odd", row("UNIQ#HANDLE#"+lock, "LOCK")) == nil {
						t.Errorf("the lock of %s is gone", lock)
					}
				}
				put := f.get("odd", row("UNIQ#HANDLE#nolock", "LOCK")) != nil
				if f.get("odd", row("UNIQ#HANDLE#gone", "LOCK")) != nil || put == strings.Contains(name, "hash") {
					t.Error("what is broken beside them was not mended")
				}
			})
		}
	}
}

// The values of some accounts were changed without their locks: the old locks are stale, the new locks are missing, and
// both are repaired.
func TestAnAccountThatWasChangedWithoutItsLocks(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 30 {
		id, v := fmt.Sprint(n), fmt.Sprintf("plain%d", n)
		f.put("odd", ownedLock("UNIQ#HANDLE#"+v, "userId", id))
		if n < 3 {
			v = fmt.Sprintf("renamed-%d", n)
		}
		f.put("odd", row("USER#"+id, "PROFILE", "handle", v))
	}
	c := config.Constraint{Attribute: "handle", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Owner: "userId"}
	l := config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}}}
	table := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })
	found := f.checkedAnyhow(table)
	for _, one := range found {
		if !one.Confirmed {
			t.Errorf("%s %s is not confirmed: %s", one.Kind, one.Value, one.Detail)
		}
	}
	if len(found) != 6 {
		t.Errorf("found %v; want three stale locks and three missing ones", kinds(found))
	}
	f.mend(table, found...)
	for n := range 3 {
		if f.get("odd", row(fmt.Sprint("UNIQ#HANDLE#plain", n), "LOCK")) != nil {
			t.Errorf("the stale lock of plain%d is there", n)
		}
		if f.get("odd", row(fmt.Sprint("UNIQ#HANDLE#renamed-", n), "LOCK")) == nil {
			t.Errorf("renamed-%d has no lock", n)
		}
	}
}

func ownedLock(pk, owner, id string) item {
	if owner == "" {
		return row(pk, "LOCK")
	}
	return row(pk, "LOCK", owner, id)
}

// In a small table, the layout names a wrong attribute as the owner. Each finding can be repaired only by itself, with
// its value typed. The repair of all findings together overwrites no attribute of a lock.
func TestAnOwnerThatIsAnotherAttribute(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 5 {
		f.put("odd", row(fmt.Sprint("USER#", n), "PROFILE", "handle", fmt.Sprint("u", n)))
		if n > 0 {
			f.put("odd", row(fmt.Sprint("UNIQ#HANDLE#u", n), "LOCK", "type", "lock", "userId", fmt.Sprint(n)))
		}
	}
	c := config.Constraint{Attribute: "handle", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Owner: "type"}
	l := config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}}}
	table := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })
	found := f.checkedAnyhow(table)
	if len(found) != 5 {
		t.Fatalf("found %v; want four foreign locks and a missing one", kinds(found))
	}
	before := f.writes()
	f.mend(table, found...)
	if f.writes() != before {
		t.Errorf("%d writes", f.writes()-before)
	}
	for _, one := range found {
		if p, err := f.changer.PlanMend(t.Context(), table, one, nil); err != nil || p.Typed != one.Value {
			t.Errorf("%s %s by itself: %v, %v; want its value typed", one.Kind, one.Value, p, err)
		}
	}
}

// The layout does not say that locks have digests: no finding is confirmed, and no lock is released by its key.
func TestDigestsThatTheLayoutDoesNotMake(t *testing.T) {
	t.Parallel()
	for name, normalise := range map[string][]string{"none": nil, "in capitals": nil, "another": {"base64"}, "digests twice": {"lower", "sha256", "sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("odd")
			digest := func(v string) string {
				digest := layout.Normalise([]layout.Normaliser{layout.Lower, layout.SHA256}, v)
				if name == "in capitals" {
					return strings.ToUpper(digest)
				}
				return digest
			}
			for n := range 4 {
				v := fmt.Sprintf("Ada%d@x.io", n)
				f.put("odd", row(fmt.Sprint("USER#", n), "PROFILE", "email", v), row("EMAIL#"+digest(v), "LOCK"))
			}
			f.put("odd", row("EMAIL#"+digest("gone@x.io"), "LOCK"))
			c := config.Constraint{Attribute: "email", PK: "EMAIL#{v}", SK: "LOCK", Normalise: normalise}
			l := config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}}}
			table := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })
			found := f.checkedAnyhow(table)
			for _, one := range found {
				if one.Confirmed {
					t.Errorf("confirmed: %s of %s", one.Kind, one.Value)
				}
			}
			f.mend(table, found...)
			for _, v := range []string{"Ada3@x.io", "gone@x.io"} {
				at := attr.Item{"PK": attr.String("EMAIL#" + digest(v)), "SK": attr.String("LOCK")}
				if p, err := planner.ReleaseAt(t.Context(), table, "email", at, false); err == nil {
					if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
						t.Errorf("%s: %s", v, r.Outcome)
					}
				}
				if f.get("odd", row("EMAIL#"+digest(v), "LOCK")) == nil {
					t.Errorf("the lock of %s is gone", v)
				}
			}
		})
	}
}

// Items have their attributes as JSON in a string. A value in the JSON keeps its lock until a person has said that such
// items only repeat the value.
func TestWhatADocumentHoldsKeepsItsLock(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"a field": `{"name": "Ada", "email": "ADA@x.io"}`,
		"a list":  `[{"contact": {"emails": ["x@x.io", "ada@x.io"]}}]`,
		"twice":   `{"body": "{\"email\": \"ada@x.io\"}"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			f.create("odd")
			for n := range 12 {
				v := fmt.Sprintf("u%d@x.io", n)
				f.put("odd", row(fmt.Sprint("ACCT#", n), "PROFILE", "email", v), emailLock(v))
			}
			f.put("odd", row("OLD#1", "DOC", "data", document), emailLock("ada@x.io"), emailLock("gone@x.io"))
			f.put("odd", row("OLD#2", "DOC", "data", `{"text": "nothing about ghost@x.io"}`))
			c := config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}
			table := f.open("odd", configured(c))
			for _, one := range f.checkedAnyhow(table) {
				if one.Confirmed != (one.Value == "gone@x.io") {
					t.Errorf("%s %s, confirmed %v: %s", one.Kind, one.Value, one.Confirmed, one.Detail)
				}
			}
			for v, want := range map[string]journal.Outcome{"ada@x.io": journal.Refused, "gone@x.io": journal.Applied} {
				p, err := f.plan(table, "email", v)
				outcome := journal.Refused
				if err == nil {
					outcome = f.changer.Apply(t.Context(), p, nil).Outcome
				}
				if outcome != want || (f.get("odd", emailLock(v)) == nil) != (want == journal.Applied) {
					t.Errorf("%s: %s", v, outcome)
				}
			}
		})
	}
}
