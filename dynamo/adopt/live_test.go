package adopt_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
)

func sdkItem(i sdk.Item) attr.Item {
	out := attr.Item{}
	for name, v := range i {
		out[name] = attr.String(v.(*types.AttributeValueMemberS).Value)
	}
	return out
}

// backfill runs the backfill as one process, which may be killed.
func (w *live) backfill() (change.BackfillResult, error) {
	w.open()
	c := w.changer()
	w.planned = w.now
	b, err := c.PlanBackfill(w.Context(), w.rule.Table, w.rule.Constraint, w.rule.Locks(), setting.Options{}, nil)
	if err != nil {
		w.revive()
		return change.BackfillResult{}, err
	}
	if b.Resumes != nil && w.mark != b.Plan.Backfill.Mark {
		w.violate("the run went on with another mark")
	}
	w.mark = b.Plan.Backfill.Mark
	r := c.RunBackfill(w.Context(), b, nil, nil)
	w.revive()
	return r, r.Err
}

// undo undoes a backfill as one process, which may be killed.
func (w *live) undo(receipt string) (change.BackfillResult, error) {
	w.open()
	c := w.changer()
	record, err := c.Journal.Record(receipt)
	if err != nil || record == nil {
		w.Fatalf("the journal has no %s: %v", receipt, err)
	}
	u, err := c.PlanBackfillUndo(w.Context(), w.rule.Table.Connection(), record)
	if err != nil {
		w.revive()
		return change.BackfillResult{}, err
	}
	r := c.RunBackfillUndo(w.Context(), u, nil, nil)
	w.revive()
	return r, r.Err
}

// verify runs Verify. While a check waits, it moves the engine's clock until all writes are visible.
func (w *live) verify() *adopt.Verified {
	w.open()
	waited := false
	v, err := adopt.Verify(w.Context(), w.rule, &adopt.State{}, setting.Options{Segments: 1, MaxReadUnits: -1}, nil,
		func(s progress.State) {
			if waited = waited && s.Stage == progress.Waiting; s.Stage == progress.Waiting && !waited {
				waited = true
				w.mu.Lock()
				w.pass(2 * (liveLag + liveSpread))
				w.mu.Unlock()
			}
		})
	if err != nil {
		w.Fatal(err)
	}
	if unsound := w.exactly().unsound(); v.Since != nil && unsound != "" {
		w.violate("Verify says that the rule holds, but %s", unsound)
	}
	return v
}

// adoption runs all phases while the application works.
func (w *live) adoption() {
	few := min(3, len(w.values))
	for n, id := range w.ids[:few+w.choose(len(w.ids)-few)] {
		v := w.values[n%len(w.values)]
		if w.choose(5) == 0 {
			v = w.values[w.choose(len(w.values))]
		}
		w.putAccount(id, v)
		w.since[id] = w.now
	}
	w.pass(10 * liveLag)
	w.open()
	if _, err := adopt.Survey(w.Context(), w.rule, setting.Options{Segments: 1, MaxReadUnits: -1}, nil, nil); err != nil {
		w.Fatal(err)
	}
	w.printed, w.old = true, w.choose(2) == 0
	for range w.choose(4) { // some runs are killed, or lose answers
		w.killAt, w.applied, w.torn = w.choose(12), w.choose(2) == 0, w.choose(2) == 0
		if r, err := w.backfill(); err == nil && w.did["killed"] == 0 && !r.Complete {
			w.violate("the run ended early without an error: %+v", r)
		}
	}
	w.calm, w.killAt = true, -1
	if r, err := w.backfill(); err != nil || !r.Complete {
		w.violate("the last run ended with %+v, %v", r, err)
	}
	w.old, w.pending = false, nil
	w.verify()
	w.settle()
}

// settle lets people repair all listed problems. Then the rule must hold, and Verify must say so.
func (w *live) settle() {
	w.quiet, w.pending = true, nil
	now := w.exactly()
	for _, v := range w.values {
		holders := now.holders(v)
		for _, id := range holders[min(1, len(holders)):] {
			w.remove("ACCT#"+id, "PROFILE")
		}
		if lock := now.locks[v]; lock != nil && len(holders) > 0 && textOf(lock["owner"]) != holders[0] {
			w.remove("UNIQ#EMAIL#"+v, "LOCK")
		}
	}
	w.pass(10 * liveLag)
	r, err := w.backfill()
	if unsound := w.exactly().unsound(); err != nil || r.Findings() > 0 || r.Unknown > 0 || unsound != "" {
		w.violate("after the repairs the run ended with %+v, %v, and %s", r, err, unsound)
	}
	w.pass(10 * liveLag)
	if v := w.verify(); v.Since == nil {
		w.violate("after the repairs Verify says %+v", v)
	}
	w.takeBack(r)
}

// takeBack undoes a run. The undo deletes only locks of this run, and only if nobody has changed them.
func (w *live) takeBack(r change.BackfillResult) {
	if r.Outcome != journal.Applied {
		return
	}
	want := w.exactly()
	for v, lock := range want.locks {
		if textOf(lock[schema.AdoptAttribute]) == w.mark && shown(lock) == w.put[v] {
			delete(want.locks, v)
		}
	}
	for range w.choose(3) {
		w.killAt, w.applied = w.choose(6), w.choose(2) == 0
		_, _ = w.undo(r.Receipt)
	}
	w.killAt = -1
	if _, err := w.undo(r.Receipt); err != nil && len(w.exactly().locks) != len(want.locks) {
		w.violate("the undo ended with %v", err)
	}
	if got := w.exactly(); !slices.Equal(slices.Sorted(maps.Keys(got.locks)), slices.Sorted(maps.Keys(want.locks))) {
		w.violate("the undo left the locks %v, want %v", slices.Sorted(maps.Keys(got.locks)), slices.Sorted(maps.Keys(want.locks)))
	}
}

// While the application works, no lock of the adoption lets two accounts hold a value, and the adoption overwrites
// nothing of the application. Verify never says that the rule holds while a value of an old writer breaks it. A run
// that was killed can go on. After people have repaired the listed problems, the rule holds, and Verify says so.
func TestAdoptionBesideLiveWriters(t *testing.T) {
	t.Parallel()
	did := map[string]int{}
	for n := range testrun.Runs(300, 10) {
		seed := uint64(n) + 115
		w := newLive(t, seed)
		w.beginTrace()
		w.adoption()
		if w.wrong != "" {
			t.Fatalf("seed %d: %s", seed, w.wrong)
		}
		for what, n := range w.did {
			did[what] += n
		}
	}
	t.Log(did)
	for _, what := range []string{"put", "printed", "refused", "old", "expired", "killed", "busy"} {
		if did[what] == 0 {
			t.Errorf("the application and the adoption never had: %s", what)
		}
	}
}

// A backfill that is killed at any request ends the same as a backfill that is not killed.
func TestBackfillKilledAnywhere(t *testing.T) {
	t.Parallel()
	moments := 0
	for _, how := range []struct{ applied, torn bool }{{false, false}, {true, false}, {false, true}} {
		for at := 0; ; at++ {
			w := newLive(t, 1)
			w.quiet, w.calm, w.printed = true, true, true
			w.ids, w.values = nil, nil
			for n := range 16 {
				w.ids, w.values = append(w.ids, fmt.Sprint("id", n)), append(w.values, fmt.Sprint("v", n%15))
				w.putAccount(w.ids[n], w.values[n])
			}
			w.values = w.values[:15]
			w.pass(10 * liveLag)
			w.killAt, w.applied, w.torn = at, how.applied, how.torn
			_, _ = w.backfill()
			killed := w.did["killed"] > 0
			r, err := w.backfill()
			now := w.exactly()
			if len(now.locks) != 14 || err != nil || !r.Complete || r.Unknown > 0 || r.Found[change.BackfillDuplicate] != 1 || w.wrong != "" {
				t.Errorf("killed at %d, %+v: the next run ended with %+v, %v, and %d locks; %s", at, how, r, err, len(now.locks), w.wrong)
			}
			for v, lock := range now.locks {
				if fmt.Sprint(textOf(lock["owner"]), lock[schema.AdoptAttribute] != nil) != fmt.Sprint(now.holders(v)[0], true) {
					t.Errorf("killed at %d, %+v: the lock of %s is %s", at, how, v, shown(lock))
				}
			}
			open, err := w.changer().Journal.Records()
			if err != nil || len(journal.Unresolved(open)) > 0 {
				t.Errorf("killed at %d, %+v: open are %v, %v", at, how, journal.Unresolved(open), err)
			}
			if !killed {
				break
			}
			moments++
		}
	}
	if moments < 12 {
		t.Errorf("the backfill was killed at %d moments", moments)
	}
}
