package change_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/schema"
	"tallylock/internal/testrun"
)

// meddling is a write of the application between a plan and its sending.
type meddling struct {
	what string
	do   func(*fixture)
}

// meddlings returns what may happen to one item of a plan. An item that the plan found is deleted, or loses or changes an
// attribute; a lock also gets a mark. An item that the plan did not find is created. If ownerOnly is set, the plan rests
// only on the owner of a lock.
func meddlings(f *fixture, key item, ownerOnly bool) (all []meddling) {
	now := f.get("odd", key)
	name := text(key["PK"])
	if now == nil {
		return []meddling{{"create " + name, there(more(key, strs("userId", "stranger")))}}
	}
	all = append(all, meddling{"delete " + name, gone(now)})
	rests := slices.Sorted(maps.Keys(now))
	switch {
	case text(key["SK"]) != "LOCK":
		rests = []string{"email"} // the plans rest on different attributes of accounts
	case ownerOnly:
		rests = []string{"userId"}
	default:
		all = append(all, meddling{"mark " + name, set(now, schema.MarkAttribute, "another")})
	}
	for _, attribute := range rests {
		if _, has := now[attribute]; has && attribute != "PK" && attribute != "SK" {
			all = append(all, meddling{"change " + attribute + " of " + name, set(now, attribute, "another")},
				meddling{"remove " + attribute + " of " + name, unset(now, attribute)})
		}
	}
	return all
}

// Whatever happens to an item of a change, or of its undo, between the plan and its sending: the change is refused.
func TestEachItemOfAChangeIsAsSeen(t *testing.T) {
	t.Parallel()
	tried, every := 0, testrun.Runs(1, 20)
	if os.Getenv(mutationOf) != "" {
		every = 1
	}
	for _, tc := range changes() {
		ready := func(f *fixture, table *dynamo.Table, undo bool) (*plan.Plan, error) {
			p, err := tc.plan(t, f, table)
			if !undo || err != nil {
				return p, err
			}
			return f.undo(table, f.apply(p, err))
		}
		for _, undo := range []bool{false, true} {
			prepared := func() (*fixture, *dynamo.Table, *plan.Plan) {
				f, table := versioned(t)
				if tc.begin != nil {
					tc.begin(f)
				}
				p, err := ready(f, table, undo)
				if err != nil {
					t.Logf("%s, undo %v: %v", tc.name, undo, err)
				}
				return f, table, p
			}
			ownerOnly := undo && strings.HasPrefix(tc.name, "give")
			f, _, p := prepared()
			if p == nil {
				continue // the change cannot be undone
			}
			for n, w := range p.Steps[0].Writes {
				key := strs("PK", w.Key.Hash.Value.Text, "SK", w.Key.Range.Value.Text)
				for m := range meddlings(f, key, ownerOnly) {
					if tried++; tried%every != 0 {
						continue
					}
					f, _, p := prepared()
					one := meddlings(f, key, ownerOnly)[m]
					one.do(f)
					if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
						t.Fatalf("%s, undo %v, write %d: %s: %s", tc.name, undo, n, one.what, fmt.Sprint(r.Outcome))
					}
				}
			}
		}
	}
}
