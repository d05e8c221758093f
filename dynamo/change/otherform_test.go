package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// otherForms is a table of accounts with handles, in which the application keeps those of the
// first three in a form that the layout does not know: typed is what accounts hold, and kept
// what their locks do.
func (f *fixture) otherForms(typed, kept string, c layout.ConstraintConfig) func() *dynamo.Table {
	f.create("odd")
	for n := range 33 {
		holds, lock := fmt.Sprint("plain", n), fmt.Sprint("plain", n)
		if n < 3 {
			holds, lock = fmt.Sprintf(typed, n), fmt.Sprintf(kept, n)
		}
		f.put("odd", row(fmt.Sprint("USER#", n), "PROFILE", "handle", holds))
		f.put("odd", ownedLock("UNIQ#HANDLE#"+lock, c.Owner, fmt.Sprint(n)))
	}
	c.Attribute, c.PK, c.SK = "handle", "UNIQ#HANDLE#{v}", "LOCK"
	l := layout.Config{Name: "mine", Tables: []string{"odd"}, Accounts: []layout.AccountConfig{{
		PK: "USER#{id}", SK: "PROFILE", Constraints: []layout.ConstraintConfig{c},
	}}}
	return func() *dynamo.Table {
		return f.open("odd", func(o *dynamo.Options) { o.Layouts = []layout.Config{l} })
	}
}

// A release that died is finished later: what speaks against it then is what would have spoken
// against it before, the account that the lock names among it.
func TestAnInterruptedReleaseOfALockInAnotherForm(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"wait", "look"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			table := f.otherForms("ada%d", "9f86d081884c7d659a2f%04d", layout.ConstraintConfig{Owner: "userId"})()
			p, err := f.plan(table, "handle", "9f86d081884c7d659a2f0001")
			if err != nil {
				t.Fatal(err)
			}
			f.killed(p, stage)
			f.resolve(table, change.Finish, change.Refused)
			if f.get("odd", row("UNIQ#HANDLE#9f86d081884c7d659a2f0001", "LOCK")) == nil {
				t.Error("the lock is gone")
			}
		})
	}
}

// The account's value seems to have no lock, and the application's own is that of another form:
// one more is put only by somebody who types the value, and not in bulk, whatever of the two a
// mend is given. So nothing makes the application's lock look like nobody's.
func TestAMissingLockBesideOneOfAnotherForm(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		typed, kept string
		layout.ConstraintConfig
		only bool // the missing locks alone are given to mend
	}{
		"dots":              {"Ada.Love%d@x.io", "adalove%d@x.io", layout.ConstraintConfig{}, false},
		"missing alone":     {"Ada.Love%d@x.io", "adalove%d@x.io", layout.ConstraintConfig{}, true},
		"named":             {"Ada.Love%d@x.io", "adalove%d@x.io", layout.ConstraintConfig{Owner: "userId"}, true},
		"everything":        {"Zoë.Love%d+x@x.io", "zoelove%d@x.io", layout.ConstraintConfig{}, true},
		"only what is seen": {"030 5551 81%02d", "+4930555181%02d", layout.ConstraintConfig{}, true},
		"a digest":          {"ada%d", "9f86d0%02d", layout.ConstraintConfig{Owner: "userId"}, true},
		"moves":             {"Ada.Love%d@x.io", "adalove%d@x.io", layout.ConstraintConfig{Moves: true}, false},
		"reserved": {
			"Ada.Love%d@x.io", "adalove%d@x.io",
			layout.ConstraintConfig{ReservedFor: "1h", ReservedSince: "at"},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			open := f.otherForms(tc.typed, tc.kept, tc.ConstraintConfig)
			table := open()
			found, missing := f.checkedAnyhow(table), 0
			if tc.only {
				found = slices.DeleteFunc(found, func(one check.Finding) bool { return one.Kind != check.MissingLock })
			}
			f.mend(table, found...)
			for _, one := range found {
				if one.Kind != check.MissingLock {
					continue
				}
				missing++
				p, err := f.changer.PlanMend(t.Context(), table, one)
				if err != nil || p.Typed != one.Value || !strings.Contains(lines(p, "note"), "in another form") {
					t.Errorf("%s by itself: %v, %v", one.Value, p, err)
				}
			}
			if missing != 3 {
				t.Errorf("%d missing locks", missing)
			}
			table = open()
			f.mend(table, f.checkedAnyhow(table)...)
			for n := range 3 {
				if f.get("odd", row(fmt.Sprintf("UNIQ#HANDLE#"+tc.typed, n), "LOCK")) != nil {
					t.Errorf("a second lock was put for "+tc.typed, n)
				}
				if f.get("odd", row(fmt.Sprintf("UNIQ#HANDLE#"+tc.kept, n), "LOCK")) == nil {
					t.Errorf("the lock "+tc.kept+" is gone", n)
				}
			}
		})
	}
}

// Findings that do not name the other lock are compared with each other, whether or not its
// release can be planned. One for which the check has not asked is not mended among others.
func TestOtherFormsAmongFindings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]layout.ConstraintConfig{"planned": {}, "typed": {Moves: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			table := f.otherForms("030 5551 81%02d", "+4930555181%02d", c)()
			found := f.checkedAnyhow(table)
			for n := range found {
				found[n].OtherLock = nil
			}
			receipts, left := f.mend(table, found...)
			if len(receipts) > 0 || len(left) != 6 {
				t.Errorf("%d changes, left %v", len(receipts), left)
			}
			missing := slices.DeleteFunc(found, func(one check.Finding) bool { return one.Kind != check.MissingLock })
			for n := range missing {
				missing[n].FormsUnknown = true
			}
			if receipts, left := f.mend(table, missing...); len(receipts) > 0 || len(left) != 3 {
				t.Errorf("%d changes, left %v", len(receipts), left)
			}
		})
	}
}

// The inspector's repair, too; what has an account of its own, or is gone, raises no doubt.
func TestARepairBesideALockOfAnotherForm(t *testing.T) {
	t.Parallel()
	f := start(t)
	open := f.otherForms("Ada.Love%d@x.io", "adalove%d@x.io", layout.ConstraintConfig{})
	f.put("odd", row("USER#other", "PROFILE", "handle", "adalove2@x.io"))
	table := open()
	f.delete("odd", row("UNIQ#HANDLE#adalove0@x.io", "LOCK"))
	for n, typed := range []bool{false, true, false} {
		v := fmt.Sprintf("Ada.Love%d@x.io", n)
		p, err := change.PlanRepair(t.Context(), table, f.value(table, "handle", v))
		if err != nil || (p.Typed != "") != typed {
			t.Errorf("%s: %v, %v; want the value typed: %v", v, p, err, typed)
		}
	}
	// What nobody can guess was met where the value was.
	for typed, kept := range map[string]string{"030 5551 81%02d": "+4930555181%02d", "ada%02d": "9f86d0%02d"} {
		f = start(t)
		table = f.otherForms(typed, kept, layout.ConstraintConfig{Owner: "userId"})()
		v := fmt.Sprintf(typed, 1)
		answer, err := table.Find(t.Context(), v, dynamo.FindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rel := range []*dynamo.Relation{answer.Locks[0], f.value(table, "handle", v)} {
			p, err := change.PlanRepair(t.Context(), table, rel)
			if err != nil || p.Typed == "" || !rel.Provisional {
				t.Errorf("%s: %v, %v; want the value typed", v, p, err)
			}
		}
	}
}
