package check_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// update checks a table against a baseline with these findings, and updates the baseline.
func (f *fixture) update(
	t *dynamo.Table, known []finding.Finding, o setting.Options, each func(progress.State),
) ([]finding.Finding, finding.Updated) {
	f.t.Helper()
	var text strings.Builder
	for _, one := range known {
		line, err := attr.Line(one, "")
		if err != nil {
			f.t.Fatal(err)
		}
		text.Write(line)
	}
	b, err := finding.ReadBaseline(strings.NewReader(text.String()))
	if err != nil {
		f.t.Fatal(err)
	}
	o.Known = b
	var found []finding.Finding
	sum, err := check.Run(f.t.Context(), t, o, func(one finding.Finding) { found = append(found, one) }, each)
	if err != nil || !sum.Complete {
		f.t.Fatalf("%v, %+v", err, sum)
	}
	var after strings.Builder
	did, err := b.Update(&after, strings.NewReader(text.String()), nil, sum, o.Wants)
	if err != nil {
		f.t.Fatal(err)
	}
	return found, did
}

// A lock without an owner ends the search for wrong owners. The foreign lock that an earlier check found stays in the
// baseline.
func TestABaselineKeepsOwnersThatWereNotCompared(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("owned", "PK:S", "SK:S", user("a", "a"), mail("a", owner("a")), user("c", "c"), mail("c", owner("a")))
	known, _ := f.run(f.described("owned", users(owned)), setting.Options{})
	f.want(known, "foreign-lock c")
	f.put("owned", user("f", "f"), mail("f"))
	found, did := f.update(f.described("owned", users(owned)), known, setting.Options{}, nil)
	f.want(found)
	if did.Removed != 0 || did.Kept != 1 || did.Unchecked != 1 {
		t.Errorf("%+v", did)
	}
}

// A duplicate id that has more items than a finding lists is the same finding in every check.
func TestABaselineKnowsAnIDOfManyItems(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{{"name": str("invoice"), "at": num("9")}}
	for n := range 500 {
		items = append(items, doc{"name": str(fmt.Sprint("item", n)), "no": num("7")})
	}
	f.create("bills", "name:S", "", items...)
	table := f.described("bills", config.Layout{Counters: []config.Counter{{
		Name: "invoice", PK: "invoice", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}},
	}}})
	known, _ := f.run(table, setting.Options{Segments: 4})
	f.want(known, "duplicate-id invoice")
	for range 5 {
		f.put("bills", doc{"name": str("item0"), "no": num("8")}, doc{"name": str("item1"), "no": num("8")})
		f.put("bills", doc{"name": str("item0"), "no": num("7")}, doc{"name": str("item1"), "no": num("7")})
		found, did := f.update(table, known, setting.Options{Segments: 3}, nil)
		f.want(found)
		if did.Removed != 0 || did.Kept != 1 {
			t.Errorf("%+v", did)
		}
	}
}

// A duplicate value of two constraints that share their locks is the same finding in every check.
func TestABaselineKnowsAValueUnderTwoConstraints(t *testing.T) {
	t.Parallel()
	f := start(t)
	var items []doc
	for n := range 40 {
		v := fmt.Sprint("v", n)
		items = append(items, doc{"PK": str("USER#" + v + "a"), "SK": str("PROFILE"), "email": str(v)},
			doc{"PK": str("USER#" + v + "b"), "SK": str("PROFILE"), "backup": str(v)},
			doc{"PK": str("MAIL#" + v), "SK": str("USER#" + v + "a")}, doc{"PK": str("MAIL#" + v), "SK": str("USER#" + v + "b")})
	}
	f.create("two", "PK:S", "SK:S", items...)
	rule := func(attribute string) config.Constraint {
		return config.Constraint{Attribute: attribute, PK: "MAIL#{v}", SK: "USER#{id}"}
	}
	table := f.described("two", unlocked(rule("email"), rule("backup")))
	known, _ := f.run(table, setting.Options{Segments: 4})
	if len(known) != 40 {
		t.Fatalf("%d found", len(known))
	}
	for range 3 {
		found, did := f.update(table, known, setting.Options{Segments: 3}, nil)
		if f.want(found); did.Removed != 0 || did.Kept != 40 {
			t.Errorf("%+v", did)
		}
	}
}

// If only foreign locks are requested, and some locks name no owner, the outcome is not a clean table.
func TestOnlyForeignLocksWithoutOwners(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("some", "PK:S", "SK:S", user("a", "a"), mail("a", owner("a")), user("c", "c"), mail("c", owner("a")),
		user("f", "f"), mail("f"))
	only := setting.Options{Only: []finding.Kind{finding.ForeignLock}}
	found, sum := f.run(f.described("some", users(owned)), only)
	if f.want(found); sum.Outcome() != finding.Partly {
		t.Errorf("%+v", sum)
	}
}

// Some accounts of a duplicate value change while they are judged. The other accounts may still share the value, so
// the value stays in the baseline.
func TestABaselineKeepsDuplicatesThatChange(t *testing.T) {
	t.Parallel()
	f := start(t)
	const holders, apart = 150, 100 // apart is the number of accounts read at one moment
	var items []doc
	account := func(n int, email string) doc { return user(fmt.Sprintf("%03d", n), email) }
	for n := range holders {
		items = append(items, account(n, "same"))
	}
	f.create("moving", "PK:S", "SK:S", items...)
	table := f.described("moving", unlocked(lockless("email")))
	known, _ := f.run(table, setting.Options{Confirm: setting.ConfirmReads})
	f.want(known, "duplicate-value same")
	moved := false
	found, did := f.update(table, known, setting.Options{Confirm: setting.ConfirmReads}, func(now progress.State) {
		if now.Stage == progress.Confirming && !moved {
			moved = true
			for n := range apart {
				f.put("moving", account(n, fmt.Sprint("other", n)))
			}
		}
	})
	if f.want(found); !moved || did.Removed != 0 || did.Kept != 1 {
		t.Errorf("moved: %v, %+v", moved, did)
	}
}

// If the disk fails, the summary lists as not checked: duplicate ids, and duplicate values of constraints with locks.
func TestDuplicatesThatADiskFailureHides(t *testing.T) {
	t.Parallel()
	f := start(t)
	items := []doc{{"PK": str("COUNTER"), "SK": str("INVOICE"), "at": num("9999")}}
	for n := range 5000 {
		items = append(items, user(fmt.Sprint(n), fmt.Sprint("v", n), doc{"no": num(fmt.Sprint(n))}))
	}
	f.create("full", "PK:S", "SK:S", items...)
	l := unlocked(config.Constraint{Attribute: "email", PK: "MAIL#{v}", SK: "USER#{id}"})
	l.Counters = []config.Counter{{Name: "invoice", PK: "COUNTER", SK: "INVOICE", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}
	table := f.described("full", l)
	table.Items = 0 // the count of a table is hours old
	_, sum, err := run(t.Context(), table, setting.Options{
		Confirm: setting.ConfirmNone, Memory: 1, Temp: filepath.Join(t.TempDir(), "missing"),
	})
	if err != nil || sum.Complete {
		t.Fatalf("%v, %+v", err, sum)
	}
	var names []string
	for _, n := range sum.NotChecked {
		if n.Required && n.What == finding.UncheckedFindings {
			names = append(names, n.Names...)
		}
	}
	if got := strings.Join(names, " "); got != "duplicate-id duplicate-value" {
		t.Errorf("not checked: %q, %+v", got, sum)
	}
}
