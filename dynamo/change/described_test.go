package change_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/internal/testrun"
)

// visit is the work of one person on a workload, with a description of its layout.
type visit struct {
	*fixture
	workload *workload
	table    *dynamo.Table
	trust    bool // the description is wrong, but a person vouches for it
	wrong    string
	tally    *visits
}

// visits counts the results of all visits.
type visits struct {
	mu     sync.Mutex
	counts map[string]int
}

func (v *visits) add(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.counts[what]++
}

func (v *visit) violate(format string, args ...any) {
	if v.wrong == "" {
		v.wrong = fmt.Sprintf(format, args...)
	}
}

// tour opens a workload with a description of its layout. It finds, checks, releases and repairs everything, and
// returns the first mistake; empty if there is none.
func tour(t *testing.T, seed uint64, tally *visits) string {
	wrong := ""
	synctest.Test(t, func(t *testing.T) {
		workload := newWorkload(seed)
		described, mistake := workload.mistake()
		for n := range described.Accounts {
			for i := range described.Accounts[n].Constraints {
				described.Accounts[n].Constraints[i].AlsoIn = &[]string{}
			}
		}
		v := &visit{fixture: start(t), workload: workload, trust: mistake != "", tally: tally}
		workload.build(v.fixture)
		o := v.Options()
		o.Transport, o.Settle, o.Asked, o.Answers = v, 1e6, true, filepath.Join(t.TempDir(), "answers.jsonl")
		o.AutoReadUnits = pick(workload, 500, 500, 0.001)
		o.Layouts = append(o.Layouts, described)
		conn, err := dynamo.Connect(t.Context(), o)
		if err == nil {
			v.table, err = conn.Open(t.Context(), workloadTable)
		}
		if err != nil || v.table.Layout.Empty() {
			tally.add("description refused")
			if mistake == "" {
				wrong = fmt.Sprintf("seed %d: the true description is refused: %v", seed, err)
			}
			return
		}
		v.find()
		found := v.check()
		first := workload.chance(50)
		if first {
			v.mendAll(found)
		}
		v.release(mistake == "" && o.AutoReadUnits == 500 && !first)
		if !first {
			v.mendAll(found)
		}
		v.compare()
		if v.wrong != "" {
			wrong = fmt.Sprintf("seed %d, mistake %q: %s\n%+v\n%+v", seed, mistake, v.wrong, described, workload.truth)
		}
	})
	return wrong
}

// find looks for some values that are in use.
func (v *visit) find() {
	for _, r := range v.workload.rules {
		for _, value := range r.lived[:min(len(r.lived), 2)] {
			a, err := find.Find(v.t.Context(), v.table, value, find.Options{Scan: true})
			if err != nil {
				v.violate("finding %q: %v", value, err)
				return
			}
			for _, rel := range a.Locks {
				if !rel.Lock.Exists || rel.Provisional || v.trust || len(v.workload.calls[v.at(rel.Lock.Table, rel.Lock.Key.Item())]) == 0 {
					continue
				}
				if rel.Verdict == verdict.Orphaned || rel.Verdict == verdict.Stale || rel.Verdict == verdict.Malformed {
					v.violate("find calls the lock of %q %s: %s", value, rel.Verdict, rel.Lock.Key)
				}
			}
		}
	}
}

func (v *visit) at(table string, key attr.Item) string {
	return table + "\x00" + key["PK"].Text + "\x00" + key["SK"].Text
}

// check checks the table, and returns the confirmed findings.
func (v *visit) check() (sure []finding.Finding) {
	var mu sync.Mutex
	_, err := check.Run(v.t.Context(), v.table, setting.Options{}, func(f finding.Finding) {
		mu.Lock()
		defer mu.Unlock()
		if f.Confirmed {
			sure = append(sure, f)
		}
	}, nil)
	if err != nil && client.KindOf(err) != client.NoLayout {
		v.violate("checking: %v", err)
	}
	for _, f := range sure {
		v.tally.add("confirmed " + string(f.Kind))
		if why := v.falsely(f); why != "" {
			v.violate("a false %s is confirmed of %q: %s: %s", f.Kind, f.Value, why, f.Detail)
		}
	}
	return sure
}

// falsely returns the reason why a confirmed finding is false; empty if it is true.
func (v *visit) falsely(f finding.Finding) string {
	table := workloadTable
	if f.LockTable != "" {
		table = f.LockTable
	}
	at := v.at(table, f.Lock)
	lock, calls := v.workload.locks[at], v.workload.calls[at]
	switch f.Kind {
	case finding.OrphanedLock, finding.StaleLock, finding.MalformedLock:
		if !lock || len(calls) > 0 {
			return fmt.Sprintf("a lock: %v, held by %v", lock, calls)
		}
		return ""
	}
	if v.trust {
		return "" // a person vouches for the description
	}
	switch f.Kind {
	case finding.MissingLock:
		if lock || len(calls) == 0 {
			return fmt.Sprintf("a lock: %v, held by %v", lock, calls)
		}
	case finding.DuplicateValue:
		if len(calls) < 2 {
			return fmt.Sprintf("held by %v", calls)
		}
	case finding.UnnormalisedLock:
		return "every application spells its locks as it spells them"
	case finding.ForeignLock, finding.ExpiringAccount:
		return fmt.Sprintf("there is none; held by %v", calls)
	}
	return ""
}

// mendAll repairs the confirmed findings: first some of them one by one, and then all together.
func (v *visit) mendAll(found []finding.Finding) {
	for _, f := range found[:min(len(found), 3)] {
		p, err := v.changer.PlanMend(v.t.Context(), v.table, f, nil)
		if _, refused := errors.AsType[*plan.Refusal](err); !refused && err != nil {
			v.violate("mending: %v", err)
		}
		if err == nil {
			v.tally.add("mend " + string(v.changer.Apply(v.t.Context(), p, nil).Outcome))
		}
	}
	mends, err := v.changer.PlanMends(v.t.Context(), v.table, found...)
	if err != nil {
		v.violate("mending: %v", err)
	}
	var plans []*plan.Plan
	for _, m := range mends {
		if m.Plan != nil {
			plans = append(plans, m.Plan)
		}
	}
	for _, r := range v.changer.ApplyAll(v.t.Context(), plans, nil) {
		v.tally.add("mend " + string(r.Outcome))
	}
}

// release releases the items that are locks by the description: some one by one, and the others together. If possible
// is set, every orphaned lock has to be released, with one question for each shape of items. The only exception is a
// digest that can be released only by its value.
func (v *visit) release(possible bool) {
	var plans []*plan.Plan
	told := map[string]bool{}
	n := 0
	for _, table := range []string{workloadTable, workloadLocks} {
		for _, at := range slices.Sorted(maps.Keys(v.workload.items[table])) {
			rel, err := v.table.LockAt("", table, read(v.workload.items[table][at]))
			if err != nil {
				continue
			}
			orphan := v.workload.locks[at] && len(v.workload.calls[at]) == 0
			if !orphan && !v.workload.chance(12) {
				continue
			}
			for {
				p, err := planner.Release(v.t.Context(), v.table, rel, false)
				refused, ok := errors.AsType[*plan.Refusal](err)
				if err != nil && !ok {
					v.violate("planning: %v", err)
					return
				}
				var reasons []plan.Reason
				outcome := journal.Refused
				if ok {
					reasons = refused.Reasons
				} else if n++; orphan || n < 5 {
					r := v.changer.Apply(v.t.Context(), p, nil)
					outcome, reasons = r.Outcome, r.Reasons
					if r.Err != nil && len(reasons) == 0 {
						v.violate("releasing: %v", r.Err)
						return
					}
				} else {
					plans = append(plans, p)
					break
				}
				if !orphan || !possible {
					break
				}
				if outcome == journal.Applied || (ok && reasons[0].Code == plan.Absent) {
					v.tally.add("orphan released")
					break
				}
				if rel.Constraint.KeepsDigest(rel.Value) && reasons[0].Code == plan.ByHand {
					v.tally.add("digest kept") // it can be released only by its value
					break
				}
				asks := reasons[0].Asks
				if asks == nil || told[asks.Constraint.Name+asks.Table+asks.Items+asks.Attribute] {
					v.violate("%s is not released: %s %v", strings.ReplaceAll(at, "\x00", " "), outcome, reasons)
					return
				}
				told[asks.Constraint.Name+asks.Table+asks.Items+asks.Attribute] = true
				if err := asks.Answer(layout.HoldNot); err != nil {
					v.violate("answering: %v", err)
				}
				v.tally.add("question") // other items of this shape cause no further question
			}
		}
	}
	v.changer.ApplyAll(v.t.Context(), plans, nil)
}

// compare compares all items with the workload, and reports items that a change has damaged.
func (v *visit) compare() {
	for _, table := range []string{workloadTable, workloadLocks} {
		yes := true
		left, now := v.workload.items[table], map[string]item{}
		var from item
		for {
			out, err := v.App().Scan(v.t.Context(), &dynamodb.ScanInput{TableName: &table, ConsistentRead: &yes, ExclusiveStartKey: from})
			if err != nil {
				v.t.Fatal(err)
			}
			for _, i := range out.Items {
				now[placeOf(table, i)] = i
			}
			if from = out.LastEvaluatedKey; from == nil {
				break
			}
		}
		for at, i := range left {
			said := strings.ReplaceAll(at, "\x00", " ")
			switch after := now[at]; {
			case after != nil && after[schema.MarkAttribute] != nil:
				v.violate("a mark is left on %s", said)
			case after != nil && !read(after).Equal(read(i)) && !v.trust:
				v.violate("%s is changed from %v to %v", said, read(i), read(after))
			case after == nil && !v.workload.locks[at]:
				v.violate("%s is deleted, which is no lock", said)
			case after == nil && len(v.workload.calls[at]) > 0:
				v.violate("the lock %s of %v is freed", said, v.workload.calls[at])
			}
		}
		for at := range now {
			if left[at] == nil && len(v.workload.calls[at]) == 0 && !v.trust {
				v.violate("%s is put, for which nobody calls", strings.ReplaceAll(at, "\x00", " "))
			}
		}
	}
}

// Even if a description is wrong in one place, no lock of a live value is deleted, no false finding is confirmed, and
// no lock is put without an account. With the true description, every orphaned lock can be released, with one question
// for each shape of items.
func TestDescriptionsThatAreWrong(t *testing.T) {
	t.Parallel()
	tally := &visits{counts: map[string]int{}}
	seeds(t, testrun.Runs(200, 4), func(seed uint64) string { return tour(t, seed, tally) })
	t.Logf("of %d releases of what is nobody's %d took a person's word; %v", tally.counts["orphan released"], tally.counts["question"], tally.counts)
}
