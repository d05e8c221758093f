package change_test

import (
	"fmt"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/testrun"
)

// A layout may be recognised from a very small sample. Even then, no finding about a held lock is confirmed, and no
// repair of a finding deletes a held lock.
func TestASmallSampleFreesNothing(t *testing.T) {
	t.Parallel()
	for units := range 16 {
		if !testrun.Long() && units%3 != 1 {
			continue
		}
		t.Run(fmt.Sprint(units), func(t *testing.T) {
			t.Parallel()
			f := start(t)
			table := f.browsed("accounts", float64(units)/2)
			if table == nil {
				return // too few units for a layout
			}
			locked := f.heldLocks()
			found := f.checkedAnyhow(table)
			for _, one := range found {
				if key := one.Lock["PK"].Text; one.Confirmed && one.Kind.OnAbsence() && locked[key] != "" {
					t.Errorf("the lock %s is surely %s, and %s holds its value", key, one.Kind, locked[key])
				}
			}
			for _, one := range found {
				if p, err := f.changer.PlanMend(t.Context(), table, one, nil); err == nil {
					f.changer.Apply(t.Context(), p, nil)
				}
			}
			for key, account := range locked {
				if f.get("accounts", row(key, "LOCK")) == nil {
					t.Errorf("the lock %s is gone, and %s holds its value", key, account)
				}
			}
		})
	}
}

// browsed opens a table like the inspector, with a limit of read units; nil if the limit is too low.
func (f *fixture) browsed(table string, units float64) *dynamo.Table {
	f.t.Helper()
	o := f.Options()
	o.Transport, o.Settle, o.AutoReadUnits = f, time.Millisecond, units
	conn, err := dynamo.Connect(f.t.Context(), o)
	if err != nil {
		f.t.Fatal(err)
	}
	opening, err := conn.Start(f.t.Context(), table, 20)
	if err != nil {
		f.t.Fatal(err)
	}
	b := browse.NewOpening(opening)
	for range 4 {
		if _, err := b.Next(f.t.Context()); err != nil {
			f.t.Fatal(err)
		}
	}
	return b.Table()
}

// heldLocks maps the keys of the demo's held locks to the keys of the accounts that hold their values.
func (f *fixture) heldLocks() map[string]string {
	locks, held := map[string]bool{}, map[string]string{}
	for _, lock := range f.items(place{"accounts", "UNIQ#"}) {
		locks[text(lock["PK"])] = true
	}
	for _, account := range f.items(place{"accounts", "ACCT#"}) {
		for attribute, prefix := range map[string]string{"email": "UNIQ#EMAIL#", "username": "UNIQ#HANDLE#"} {
			if key := prefix + text(account[attribute]); locks[key] {
				held[key] = text(account["PK"])
			}
		}
	}
	return held
}

// The layout normalises values, but the application does not. No finding is confirmed about a lock whose exact value an
// account holds, even if another account has left the lock that the layout expects.
func TestALockOfExactlyWhatAnAccountHolds(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 30 {
		v := fmt.Sprintf("plain%d", n)
		f.put("odd", row(fmt.Sprint("USER#", n), "PROFILE", "handle", v), row("UNIQ#HANDLE#"+v, "LOCK"))
	}
	f.put("odd", row("USER#lower", "PROFILE", "handle", "ALAN"), row("USER#exact", "PROFILE", "handle", "Alan"))
	f.put("odd", row("UNIQ#HANDLE#Alan", "LOCK"), row("UNIQ#HANDLE#alan", "LOCK"))
	c := config.Constraint{Attribute: "handle", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Normalise: []string{"lower"}}
	a := config.Account{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{c}}
	l := config.Layout{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{a}}
	table := f.open("odd", func(o *dynamo.Options) { o.Layouts = []config.Layout{l} })
	for _, one := range f.checkedAnyhow(table) {
		if one.Confirmed && one.Value == "Alan" {
			t.Errorf("it is surely %s: %s", one.Kind, one.Detail)
		}
	}
	if p, err := f.plan(table, "handle", "Alan"); err == nil {
		f.changer.Apply(t.Context(), p, nil)
	}
	if f.get("odd", row("UNIQ#HANDLE#Alan", "LOCK")) == nil {
		t.Error("the lock of Alan is gone")
	}
}
