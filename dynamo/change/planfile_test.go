package change_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/counter"
)

// handed writes plans to a file, and returns the file as another person reads it.
func (f *fixture) handed(plans ...*plan.Plan) *change.PlanFile {
	f.t.Helper()
	file := change.NewPlanFile(f.t.Context(), f.open("accounts").Connection(), "support", "ticket 7")
	if err := file.Add(plans...); err != nil {
		f.t.Fatal(err)
	}
	data, err := file.Bytes()
	if err != nil {
		f.t.Fatal(err)
	}
	read, err := change.ReadPlanFile(bytes.NewReader(data))
	if err != nil {
		f.t.Fatalf("%v:\n%s", err, data)
	}
	return read
}

// onlyFound returns the first finding of a kind in a table.
func (f *fixture) onlyFound(t *dynamo.Table, kind finding.Kind) finding.Finding {
	f.t.Helper()
	for _, one := range f.checked(t) {
		if one.Kind == kind {
			return one
		}
	}
	f.t.Fatalf("%s has no %s", t.Name, kind)
	return finding.Finding{}
}

// A plan of any kind can be planned again from its file. It is the same change, without a difference, and can be made
// only once.
func TestWhatIsHandedOverIsPlannedAgain(t *testing.T) {
	t.Parallel()
	repair := func(table, constraint string, kind finding.Kind) func(*fixture) (*dynamo.Table, *plan.Plan, error) {
		return func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.open(table)
			found := f.onlyFound(t, kind)
			p, err := mend.Repair(f.t.Context(), t, f.value(t, constraint, found.Value))
			return t, p, err
		}
	}
	mend := func(table string, kind finding.Kind) func(*fixture) (*dynamo.Table, *plan.Plan, error) {
		return func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.open(table)
			p, err := f.changer.PlanMend(f.t.Context(), t, f.onlyFound(t, kind), nil)
			return t, p, err
		}
	}
	count := func(planned func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error), n string) func(*fixture) (*dynamo.Table, *plan.Plan, error) {
		return func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			p, err := planned(f.t.Context(), f.counter("order_id", "order_id"), number(n))
			return f.open("order_id"), p, err
		}
	}
	for name, tc := range map[string]struct {
		plan func(*fixture) (*dynamo.Table, *plan.Plan, error)
		kind plan.Kind
	}{
		"release by mark": {func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.open("accounts")
			p, err := f.plan(t, "username", "alan")
			return t, p, err
		}, plan.KindRelease},
		"release by owner": {func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.owners()
			p, err := f.plan(t, "username", "mel")
			return t, p, err
		}, plan.KindRelease},
		"release of a malformed lock": {func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.open("accounts")
			p, err := f.plan(t, "email", "undefined")
			return t, p, err
		}, plan.KindRelease},
		"bump":    {count(planner.Bump, "3"), plan.KindBump},
		"reserve": {count(planner.Reserve, "3"), plan.KindReserve},
		"raise":   {count(planner.Raise, "9000"), plan.KindRaise},
		"lower":   {count(planner.Lower, "4000"), plan.KindLower},
		"value": {func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.open("accounts")
			p, err := planner.ChangeValue(f.t.Context(), t, f.value(t, "username", "ada"), "countess")
			return t, p, err
		}, plan.KindValue},
		"delete account": {func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.open("accounts")
			p, err := planner.DeleteAccount(f.t.Context(), t, f.value(t, "username", "ada").Account.Key)
			return t, p, err
		}, plan.KindDeleteAccount},
		"undo": {func(f *fixture) (*dynamo.Table, *plan.Plan, error) {
			t := f.open("accounts")
			p, err := f.undo(t, f.apply(f.plan(t, "username", "alan")))
			return t, p, err
		}, plan.KindRecreate},
		"missing lock":             {repair("accounts", "username", finding.MissingLock), plan.KindRecreate},
		"foreign lock":             {repair("members", "username", finding.ForeignLock), plan.KindGive},
		"finding of an orphan":     {mend("accounts", finding.OrphanedLock), plan.KindRelease},
		"finding of a missing one": {mend("accounts", finding.MissingLock), plan.KindRecreate},
		"finding of a foreign one": {mend("members", finding.ForeignLock), plan.KindGive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			table, p, err := tc.plan(f)
			if err != nil || p.Kind != tc.kind {
				t.Fatalf("planned %v, %v; want a %s", p, err, tc.kind)
			}
			file := f.handed(p)
			if err := file.CheckTables(t.Context(), table.Connection(), "applying"); err != nil {
				t.Fatal(err)
			}
			again := func() (*plan.Plan, error) {
				return file.Changes[0].Replan(t.Context(), f.operator("operator"), f.open(table.Name))
			}
			next, err := again()
			if err != nil || next.Kind != tc.kind || next.Line(plan.LabelSince) != "" || next.ID == p.ID || next.Steps[0].Token == p.Steps[0].Token {
				t.Fatalf("planned again %v, %v", next, err)
			}
			f.apply(next, nil)
			_, err = again()
			if _, refused := errors.AsType[*plan.Refusal](err); !refused && tc.kind != plan.KindBump && tc.kind != plan.KindReserve {
				t.Errorf("planned a third time after it was made: %v; want a refusal", err)
			}
		})
	}
}

// Other repairs can be planned again, too: for a lock with another spelling, for a counter that holds no number, and
// for a missing counter.
func TestOtherRepairsAreHandedOver(t *testing.T) {
	t.Parallel()
	again := func(f *fixture, table *dynamo.Table, p *plan.Plan, err error) {
		f.t.Helper()
		if err != nil {
			f.t.Fatal(err)
		}
		next, err := f.handed(p).Changes[0].Replan(f.t.Context(), f.changer, table)
		if err != nil || next.Kind != p.Kind || next.After != p.After {
			f.t.Errorf("planned again %v, %v; want %s", next, err, p)
		}
	}
	for _, owner := range []string{"", "userId"} {
		f, table := respelt(t, owner)
		p, err := mend.Repair(t.Context(), table, f.value(table, "email", "ada@x.io"))
		again(f, table, p, err)
	}
	f, c := holdingCounter(t, str("43"))
	p, err := mend.RepairCounter(t.Context(), c, number("53"))
	again(f, c.Open(), p, err)
	f, c = withOrders(t, "last")
	p, err = planner.Create(t.Context(), c, nil)
	again(f, c.Open(), p, err)
}

// A plan file is not trusted. A file with invalid contents is not read. A file with wrong contents causes an error or a
// refusal, and never another change.
func TestAFileOfPlansIsNotBelieved(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	data, err := f.handed(f.mustPlan(table, "username", "alan")).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string][2]string{
		"another version":       {`"tallylock_plan": 1`, `"tallylock_plan": 2`},
		"an unknown setting":    {`"kind": "release"`, `"kind": "release", "force": true`},
		"an unknown request":    {`"constraint": "username"`, `"constraint": "username", "even": "held"`},
		"nothing asked for":     {`"lock": {`, `"key": {`},
		"no place":              {`"region": "`, `"region": "", "connection": "`},
		"something behind it":   {"\n}\n", "\n}\n{}"},
		"no JSON":               {"{", "["},
		"a table not named":     {`"table": "accounts",`, `"table": "members",`},
		"a very long reason":    {`"reason": "`, `"reason": "` + strings.Repeat("x", 5000)},
		"a key of another kind": {`"S": "UNIQ#HANDLE#alan"`, `"X": "UNIQ#HANDLE#alan"`},
	} {
		edited := strings.Replace(string(data), edit[0], edit[1], 1)
		if _, err := change.ReadPlanFile(strings.NewReader(edited)); err == nil || edited == string(data) {
			t.Errorf("%s: it was read", name)
		}
	}
	for name, edit := range map[string][2]string{
		"an account for a lock":   {"UNIQ#HANDLE#alan", "ACCT#a1f9c3"},
		"a lock that is held":     {"UNIQ#HANDLE#alan", "UNIQ#HANDLE#ada"},
		"another constraint":      {`"constraint": "username"`, `"constraint": "email"`},
		"another kind of change":  {`"kind": "release"`, `"kind": "delete-account"`},
		"a kind without command":  {`"kind": "release"`, `"kind": "restore-account"`},
		"a kind that is none":     {`"kind": "release"`, `"kind": "drop-table"`},
		"another layout":          {`"layout": "`, `"layout": "0`},
		"a lock that was another": {`"there": true`, `"there": true, "digest": "00"`},
		"a lock that was not":     {`"there": true`, `"there": false`},
	} {
		edited := strings.ReplaceAll(string(data), edit[0], edit[1])
		file, err := change.ReadPlanFile(strings.NewReader(edited))
		if err != nil {
			continue
		}
		if p, err := file.Changes[0].Replan(t.Context(), f.changer, table); err == nil || edited == string(data) {
			t.Errorf("%s: %s was planned", name, p)
		}
	}
	file := f.handed(f.mustPlan(table, "username", "alan"))
	file.Changes[0].Seen = nil
	if p, err := file.Changes[0].Replan(t.Context(), f.changer, table); err == nil {
		t.Errorf("nothing was seen: %s was planned", p)
	}
	if f.writes() != 0 {
		t.Error("something was written")
	}
}

// Reading ends for any contents of a file. A file that was read is written again with the same contents.
func FuzzReadPlanFile(f *testing.F) {
	f.Add([]byte(`{"tallylock_plan":1,"written":"2026-11-20T12:00:00Z","region":"r","endpoint":"e","tables":{"a":"1"},"changes":[{"does":"","kind":"release","table":"a","request":{"constraint":"c","lock":{"PK":{"S":"x"}}},"seen":[{"table":"a","key":{"PK":{"B":"AA=="}},"there":true}]}]}`))
	f.Add([]byte(`{"tallylock_plan":1,"written":"2026-11-20T12:00:00Z","region":"r","endpoint":"e","tables":{"a":"1"},"changes":[{"does":"","kind":"release","table":"a","request":{"finding":{"finding":"orphaned-lock","table":"a","accounts":[]}}}]}`))
	f.Add([]byte(`{"tallylock_plan":1,"changes":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := change.ReadPlanFile(bytes.NewReader(data))
		if err != nil {
			return
		}
		once, err := file.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := change.ReadPlanFile(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("what was read is not read again: %v\n%s", err, once)
		}
		if twice, err := again.Bytes(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("it changes, %v:\n%s\n%s", err, once, twice)
		}
	})
}

// Several people apply one plan file at the same time: its change is made only once.
func TestAPlanFileIsAppliedOnce(t *testing.T) {
	t.Parallel()
	f := start(t)
	c := f.counter("order_id", "order_id")
	p, err := planner.Bump(t.Context(), c, number("1"))
	if err != nil {
		t.Fatal(err)
	}
	file := f.handed(p)
	apply := func(who string) change.Receipt {
		changer := f.operator(who)
		mine := *file
		mine.Changes = slices.Clone(file.Changes)
		if err := mine.FindApplied(changer.Journal); err != nil {
			t.Error(err)
		}
		p, err := mine.Changes[0].Replan(t.Context(), changer, f.open("order_id"))
		if _, ok := errors.AsType[*plan.Refusal](err); ok {
			return change.NotMade(nil, err)
		}
		if err != nil {
			t.Error(err)
			return change.Receipt{}
		}
		return changer.Apply(t.Context(), p, nil)
	}
	var made atomic.Int32
	var wait sync.WaitGroup
	for n := range 6 {
		wait.Go(func() {
			if r := apply(fmt.Sprint("operator ", n)); r.Outcome == journal.Applied {
				made.Add(1)
			}
		})
	}
	wait.Wait()
	if now := f.counter("order_id", "order_id").Value; made.Load() != 1 || now != "5001" {
		t.Errorf("it was made %d times, and the counter says %s", made.Load(), now)
	}
	// The counter is back at the number in the plan file, so only the journal can refuse the plan.
	f.put("order_id", item{"id": num("0"), "order_number": num("5000")})
	if r := apply("a late one"); codes(r.Reasons) != plan.AppliedBefore {
		t.Errorf("it is %s %v", r.Outcome, r.Reasons)
	}
}

func TestAPlanOfUnknownOutcomeIsNotAppliedAgain(t *testing.T) {
	t.Parallel()
	f := start(t)
	p, err := planner.Bump(t.Context(), f.counter("order_id", "order_id"), number("1"))
	if err != nil {
		t.Fatal(err)
	}
	file := f.handed(p)
	if p, err = file.Changes[0].Replan(t.Context(), f.changer, f.open("order_id")); err != nil {
		t.Fatal(err)
	}
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			return errCut
		}
		return nil
	}
	if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Unknown {
		t.Fatalf("%s %v", r.Outcome, r.Reasons)
	}
	f.before = nil
	if err := file.FindApplied(f.changer.Journal); err != nil {
		t.Fatal(err)
	}
	_, err = file.Changes[0].Replan(t.Context(), f.changer, f.open("order_id"))
	if refused, ok := errors.AsType[*plan.Refusal](err); !ok || codes(refused.Reasons) != plan.AppliedBefore {
		t.Errorf("%v", err)
	}
}
