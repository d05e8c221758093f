package change_test

import (
	"reflect"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/schema"
)

// once calls race before the next transaction is sent.
func (u *unadopted) once(race func()) {
	writes := u.writes()
	u.before = func(op string, _ []byte) error {
		if op == "TransactWriteItems" && u.writes() == writes+1 {
			race()
		}
		return nil
	}
}

// The application writes an account or its lock after the backfill has read them. Only the conditions of the transaction
// can see this, for each of its actions.
func TestBackfillSeesWritesBeforeItsTransaction(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"p0", "p1"} {
		races := map[string]func(*unadopted){
			"the account has another value": func(u *unadopted) { u.put("odd", row("ACCT#"+v, "PROFILE", "email", "new@x.io")) },
			"the account has no value":      func(u *unadopted) { u.put("odd", row("ACCT#"+v, "PROFILE")) },
			"the account is gone":           func(u *unadopted) { u.delete("odd", profile(v)) },
			"somebody has the lock":         func(u *unadopted) { u.put("odd", adoptedLock(v, "thief")) },
		}
		for name, race := range races {
			u := unlocked(t, holdersOf(2)...)
			u.once(func() { race(u) })
			r := u.run(t.Context())
			owners, marks := u.locks()
			if o := owners[v+"@x.io"]; r.Err != nil || r.Put != 1 || r.Findings() != 1 || marks[r.Mark] != 1 || o == v {
				t.Errorf("%s of %s: the run ended with %+v, %v; the locks are %v", name, v, r, r.Err, owners)
			}
		}
	}
}

// keyedRule is a rule whose values are in the keys of the accounts. The check of an account then compares no attribute.
type keyedRule struct{ plainRule }

func (r keyedRule) Wants(item attr.Item) *backfill.Account {
	a := r.plainRule.Wants(item)
	if a != nil {
		a.Check.If = nil
	}
	return a
}

// The application deletes an account after the backfill has read it.
func TestBackfillSeesThatAnAccountIsGone(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"p0", "p1"} {
		u := unlocked(t, holdersOf(2)...)
		if _, err := u.planned(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, con := u.table.Layout.Constraint("email")
		rule := keyedRule{plainRule{u.table, con}}
		b, err := u.changer.PlanBackfill(t.Context(), u.table, con, rule, setting.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		u.once(func() { u.delete("odd", profile(v)) })
		r := u.changer.RunBackfill(t.Context(), b, nil, nil)
		if owners, _ := u.locks(); r.Put != 1 || r.Found[change.BackfillChanged] != 1 || owners[v+"@x.io"] != "" {
			t.Errorf("%s: the run ended with %+v, %v; the locks are %v", v, r, r.Err, owners)
		}
	}
}

// The application writes a lock after the undo has read it. Only the conditions of the transaction can see this, for
// each of its actions.
func TestUndoSeesWritesBeforeItsTransaction(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"p0", "p1"} {
		for name, now := range map[string]func(mark string) item{
			"no mark of the run": func(string) item { return adoptedLock(v, v) },
			"another run":        func(string) item { return more(adoptedLock(v, v), strs(schema.AdoptAttribute, "other")) },
			"another owner":      func(mark string) item { return more(adoptedLock(v, "heir"), strs(schema.AdoptAttribute, mark)) },
			"the mark of a release": func(mark string) item {
				return more(adoptedLock(v, v), strs(schema.AdoptAttribute, mark, schema.MarkAttribute, "m"))
			},
		} {
			u := unlocked(t, holdersOf(2)...)
			r := u.run(t.Context())
			lock := now(r.Mark)
			u.once(func() { u.put("odd", lock) })
			undone := u.undone(t.Context(), r.Receipt)
			left := u.get("odd", row("UNIQ#"+v+"@x.io", "LOCK"))
			if !undone.Complete || undone.Put != 1 || undone.Found[change.BackfillChanged] != 1 || !reflect.DeepEqual(left, lock) {
				t.Errorf("%s of %s: the undo ended with %+v, %v; the lock is %v", name, v, undone, undone.Err, left)
			}
		}
	}
}
