package change_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
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
