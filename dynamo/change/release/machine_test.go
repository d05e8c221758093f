package release_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/release"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
)

// TestReleaseStates walks a release through its states, without a table.
func TestReleaseStates(t *testing.T) {
	answer := func(o journal.Outcome) plan.Answer { return plan.Answer{Outcome: o, WriteUnits: 1} }
	applied, refused, unknown := answer(journal.Applied), answer(journal.Refused), answer(journal.Unknown)
	sentTwice, denied, taken := applied, refused, refused
	sentTwice.Lost = true
	denied.Err = &client.Error{Kind: client.Denied}
	unknown.Lost = true
	taken.Reasons = []plan.Reason{{Code: plan.ConditionFailed, Text: "the lock was taken again"}}
	held := plan.Reason{Code: plan.Held}
	for _, tc := range []struct {
		name    string
		answers []any // an Answer to a step, a Reason to keep the lock, an error of the look, or nil: no holder found
		sends   string
		want    journal.Outcome
		codes   string
		units   float64
		off     bool
	}{
		{"deleted", []any{applied, nil, applied}, "mark look delete", journal.Applied, "", 2, false},
		{"mark refused", []any{taken}, "mark", journal.Refused, plan.ConditionFailed, 1, false},
		{"mark not sent", []any{denied}, "mark", journal.Refused, "", 1, false},
		{"mark lost, and taken off", []any{unknown, applied}, "mark unmark", journal.Refused, plan.NoAnswer, 2, true},
		{"mark lost, and not there", []any{unknown, refused}, "mark unmark", journal.Unknown, "NoAnswer MarkLeft", 2, false},
		{"mark lost, and its removal", []any{unknown, unknown}, "mark unmark", journal.Unknown, "NoAnswer MarkLeft", 2, false},
		{"mark sent twice", []any{sentTwice, applied, applied, nil, applied}, "mark unmark mark look delete", journal.Applied, "", 4, false},
		{"mark sent twice, and not taken off", []any{sentTwice, denied}, "mark unmark", journal.Refused, "NoAnswer MarkLeft", 2, false},
		{"mark always sent twice", slices.Repeat([]any{sentTwice, applied}, 5), strings.TrimSpace(strings.Repeat("mark unmark ", 5)), journal.Refused, plan.NoAnswer, 10, true},
		{"held", []any{applied, held, applied}, "mark look unmark", journal.Refused, plan.Held, 2, true},
		{"held, and put anew", []any{applied, held, refused}, "mark look unmark", journal.Refused, plan.Held, 2, false},
		{"held, and the mark stays", []any{applied, held, denied}, "mark look unmark", journal.Refused, "Held MarkLeft", 2, false},
		{"look not finished", []any{applied, errors.New("cut"), applied}, "mark look unmark", journal.Refused, "", 2, true},
		{"taken again", []any{applied, nil, taken, refused}, "mark look delete unmark", journal.Refused, plan.ConditionFailed, 3, false},
		{"deletion denied", []any{applied, nil, denied, applied}, "mark look delete unmark", journal.Refused, "", 3, true},
		{"deletion lost", []any{applied, nil, unknown}, "mark look delete", journal.Unknown, plan.MarkLeft, 2, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := release.Begin(markedPlan())
			marks := map[string]bool{}
			var sends []string
			for _, a := range tc.answers {
				sends = append(sends, string(r.State))
				if s, ok := r.Step(); ok && r.State == release.StateMark {
					mark := s.Writes[0].Set[0].Value.Text
					if marks[mark] {
						t.Errorf("the mark %s is set twice", mark)
					}
					marks[mark] = true
				} else if ok && !slices.ContainsFunc(s.Writes[0].If, func(t client.Term) bool { return marks[t.Value.Text] }) {
					t.Errorf("%s does not rest on a mark that was set: %v", s.Name, s.Writes[0])
				}
				switch a := a.(type) {
				case plan.Answer:
					r = r.Answered(a, time.Now())
				case plan.Reason:
					r = r.Keep(&a, nil)
				case error:
					r = r.Keep(nil, a)
				case nil:
					r = r.Looked(nil)
				}
			}
			if got := strings.Join(sends, " "); got != tc.sends || r.State != release.StateOver {
				t.Errorf("%s, then %s; want %s", got, r.State, tc.sends)
			}
			if r.Outcome != tc.want || codes(r.Reasons) != tc.codes || r.WriteUnits != tc.units || r.Unmarked != tc.off {
				t.Errorf("%s, %v, %g units, unmarked %v", r.Outcome, r.Reasons, r.WriteUnits, r.Unmarked)
			}
		})
	}
}

// TestReleaseLacks checks that Looked adds its conditions to the deletion of a copy of the plan. If there are too many
// conditions, the lock stays.
func TestReleaseLacks(t *testing.T) {
	p := markedPlan()
	r := release.Resume(p, time.Now()).Looked([]string{"confirmed"})
	s, _ := r.Step()
	if len(s.Writes[0].If) != 2 || s.Writes[0].If[1].Attribute() != "confirmed" || len(p.Steps[1].Writes[0].If) != 1 {
		t.Errorf("%v, of %v", s.Writes[0].If, p.Steps[1].Writes[0].If)
	}
	many := make([]string, 400)
	for n := range many {
		many[n] = strings.Repeat("x", n+1)
	}
	if r := release.Resume(p, time.Now()).Looked(many); r.State != release.StateUnmark || codes(r.Reasons) != plan.ByHand {
		t.Errorf("a condition that DynamoDB does not take: %s, %v", r.State, r.Reasons)
	}
}

// markedPlan returns the plan to release one lock.
func markedPlan() *plan.Plan {
	key, _ := attr.Schema{HashName: "pk"}.KeyOf(attr.Item{"pk": attr.String("UNIQ#alan")})
	mark := client.Term{Path: []string{schema.MarkAttribute}, Value: attr.String("first")}
	none := client.Term{Path: mark.Path}
	step := func(name journal.StepName, w client.Write) plan.Step {
		w.Table, w.Key = "accounts", key
		return plan.Step{Name: name, Token: string(name), Writes: []client.Write{w}}
	}
	return &plan.Plan{ID: "R-1", Steps: plan.Steps{
		step(journal.StepMark, client.Write{Verb: client.Update, If: []client.Term{none}, Set: []client.Term{mark}}),
		step(journal.StepDelete, client.Write{Verb: client.Delete, If: []client.Term{mark}}),
		step(journal.StepUnmark, client.Write{Verb: client.Update, If: []client.Term{mark}, Set: []client.Term{none}}),
	}}
}

func codes(reasons []plan.Reason) string {
	var out []string
	for _, r := range reasons {
		out = append(out, r.Code)
	}
	return strings.Join(out, " ")
}
