package check_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/state"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/scan"
	"tallylock/ui/say"
)

// increments fills a table with items, makes the writes, and checks the increment of these writes.
func (f *fixture) increments(name string, l config.Layout, items []doc, writes func(*past)) ([]finding.Finding, finding.Summary) {
	f.t.Helper()
	f.create(name, "PK:S", "SK:S")
	table := f.described(name, l)
	p := newPast(f, rand.New(rand.NewPCG(1, 1)), name, name)
	for _, item := range items {
		p.put(name, item)
	}
	o := setting.Options{Confirm: setting.ConfirmNone, Export: p.full(), Say: say.Do}
	_, from, err := check.KeepState(f.t.Context(), table, o, collect().add, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	p.begin()
	writes(p)
	return f.incremented(table, p, from, p.end())
}

func (f *fixture) incremented(
	table *dynamo.Table, p *past, from *state.State, all []*scan.Increment,
) ([]finding.Finding, finding.Summary) {
	f.t.Helper()
	found := collect()
	sum, _, err := check.Increments(f.t.Context(), table, setting.Options{Say: say.Do}, p.again(from), all, found.add, nil)
	if err != nil || !sum.Complete {
		f.t.Fatalf("%+v, %v", sum, err)
	}
	return found.all, sum
}

// leavesOut reports whether a summary lists this name as not checked, and is incomplete because of it.
func leavesOut(s finding.Summary, what finding.Unchecked, name string) bool {
	return slices.ContainsFunc(s.NotChecked, func(n finding.NotChecked) bool {
		return n.What == what && n.Required && (slices.Contains(n.Names, name) || what == finding.UncheckedValues && n.More > 0)
	})
}

// A second account has the value of a lock that may have lapsed. Only the lock and the first account can tell whether the
// value is a duplicate, and neither changed.
func TestIncrementsNameALapsedDuplicate(t *testing.T) {
	t.Parallel()
	f := start(t)
	found, sum := f.increments("lapsing", users(lapses), []doc{user("1", "a"), mail("a")}, func(p *past) {
		p.put("lapsing", user("2", "a"))
	})
	if len(found) > 0 || !leavesOut(sum, finding.UncheckedValues, `email "a"`) || sum.Outcome() != finding.Partly {
		t.Errorf("%+v, %+v", found, sum)
	}
}

// A lock in a second form needs no second account. The lock in the first form did not change, so only a full check can
// tell whether the new lock is orphaned.
func TestIncrementsCallNoSecondFormAnOrphan(t *testing.T) {
	t.Parallel()
	f := start(t)
	for name, l := range map[string]config.Layout{"forms": users(twoForms), "formsowner": users(twoForms, owned)} {
		found, sum := f.increments(name, l, []doc{user("1", "a"), secondForm("a", owner("1"))}, func(p *past) {
			p.put(name, mail("a", owner("1")))
			p.put(name, mail("gone", owner("x")))
		})
		if len(found) > 0 || !leavesOut(sum, finding.UncheckedValues, `email "a"`) ||
			!leavesOut(sum, finding.UncheckedValues, `email "gone"`) || sum.Gone > 0 {
			t.Errorf("%+v, %+v", found, sum)
		}
	}
	// The full export has no lock in the second form, and the state records this. So the check of the increments can judge
	// these values.
	found, sum := f.increments("orphans", users(twoForms), []doc{user("1", "a"), mail("a"), mail("gone")}, func(p *past) {
		p.put("orphans", user("2", "b"))
	})
	if f.want(found, "missing-lock b?", "orphaned-lock gone?"); leavesOut(sum, finding.UncheckedValues, `email "gone"`) {
		t.Errorf("%+v", sum)
	}
}

// Keys that the config derives from other attributes are a part of the layout, and increments do not check them.
func TestIncrementsLeaveOutDerivedKeys(t *testing.T) {
	t.Parallel()
	f := start(t)
	l := users()
	l.Accounts[0].Derived = []config.Derived{
		{Attribute: "GSI1PK", Template: "KEY#{email}"}, {Attribute: "GSI1SK", Template: "{email}"},
	}
	_, sum := f.increments("derived", l, []doc{user("1", "a"), mail("a")}, func(p *past) {
		p.put("derived", user("1", "a", doc{"GSI1PK": str("KEY#b")}))
	})
	if !leavesOut(sum, finding.UncheckedFindings, string(finding.DriftedKey)) || sum.Outcome() != finding.Partly {
		t.Errorf("%+v", sum)
	}
	if why := sum.NotChecked[len(sum.NotChecked)-1].Why; !strings.Contains(why, "GSI1PK and GSI1SK") {
		t.Errorf("the reason is %q", why)
	}
}

// A check of increments lists the locks that still have a release mark, and counts the values for which no lock can be
// made. Its example of such a value comes only from the last window, since a later window may correct the value.
func TestIncrementsTellMarksAndImpossibleValues(t *testing.T) {
	t.Parallel()
	f := start(t)
	mark, long := doc{"tallylock_release": str("T")}, strings.Repeat("x", 3000)
	found, sum := f.increments("marked", users(), []doc{
		user("1", "a"), mail("a", mark), user("2", "b"), mail("b", mark), user("3", long), user("4", long),
	}, func(p *past) {
		p.put("marked", mail("b"))
		p.put("marked", user("5", "c"))
		p.put("marked", mail("c", mark))
		p.put("marked", user("4", "d"))
		p.put("marked", mail("d"))
		p.put("marked", user("6", long))
	})
	var marked []string
	for _, m := range sum.Marks {
		marked = append(marked, m.Constraint+" "+m.Value+" "+m.Lock["PK"].Text)
	}
	if f.want(found); strings.Join(marked, ", ") != "email a MAIL#a, email c MAIL#c" || sum.MoreMarks != 0 {
		t.Errorf("%d marks are %q", sum.MoreMarks, marked)
	}
	if notes := strings.Join(sum.Notes, "\n"); sum.Checked[0].Impossible != 2 ||
		!strings.Contains(notes, "accounts hold 2 values that cannot be part of a lock key, such as USER#6") {
		t.Errorf("%+v", sum)
	}
}
