package change_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/schema"
)

// marks and deletes tell which step of a release a request is.
func marks(body []byte) bool   { return updatesMark(body, "SET") }
func deletes(body []byte) bool { return bytes.Contains(body, []byte(`"Delete"`)) }

// updatesMark reports whether a request sets or removes the mark of a lock.
func updatesMark(body []byte, word string) bool {
	var request struct {
		TransactItems []struct {
			Update struct {
				UpdateExpression         string
				ExpressionAttributeNames map[string]string
			}
		}
	}
	if json.Unmarshal(body, &request) != nil {
		return false
	}
	for _, i := range request.TransactItems {
		rest, found := strings.CutPrefix(i.Update.UpdateExpression, word+" ")
		alias, _, _ := strings.Cut(rest, " ")
		if found && i.Update.ExpressionAttributeNames[alias] == schema.MarkAttribute {
			return true
		}
	}
	return false
}

// first has the first answer of each kind of request lost, and keeps the request.
func (f *fixture) first(kinds ...func([]byte) bool) (kept func() [][]byte) {
	bodies := make([][]byte, len(kinds))
	f.after = func(_ string, body []byte) error {
		for n, is := range kinds {
			if bodies[n] == nil && is(body) {
				bodies[n] = body
				return errCut
			}
		}
		return nil
	}
	return func() [][]byte { f.after = nil; return bodies }
}

// clocked is a fixture whose clock, the engine's too, goes on as the test says.
func clocked(t *testing.T) (f *fixture, slow *time.Duration) {
	begun, by := time.Now(), time.Duration(0)
	clock := func() time.Time { return begun.Add(by) }
	f = start(t, embedded.WithClock(clock))
	f.changer.Now = clock
	return f, &by
}

// A mark was sent twice, and its deletion, too. When their tokens are forgotten, and
// their signatures still good, the first of both arrive after all, in that order, and
// the lock was put anew meanwhile.
func TestLateCopiesOfAMarkAndItsDeletionDeleteNothing(t *testing.T) {
	f, slow := clocked(t)
	kept := f.first(marks, deletes)
	f.apply(f.plan(f.open("accounts"), "username", "alan"))
	if !f.signUp("accounts", "ACCT#new", "alan") {
		t.Fatal("nobody can sign up with what was released")
	}
	*slow = 11 * time.Minute
	for _, copied := range kept() {
		f.deliver(copied)
	}
	if f.get("accounts", handle("alan")) == nil {
		t.Error("the lock of a live account is freed")
	}
}

// The look takes longer than the token of a mark that was sent twice is good.
func TestALateCopyOfAMarkDuringALongLookDeletesNothing(t *testing.T) {
	f, slow := clocked(t)
	kept := f.first(marks)
	r := f.changer.Apply(t.Context(), f.mustPlan(f.open("accounts"), "username", "alan"), func(p change.Progress) {
		if p.Stage == "delete" && p.Attempt == 1 {
			*slow = 11 * time.Minute
			f.put("accounts", row("ACCT#new", "PROFILE", "username", "alan"))
			f.put("accounts", handle("alan"))
			f.deliver(kept()[0])
		}
	})
	if r.Outcome != journal.Refused || f.get("accounts", handle("alan")) == nil {
		t.Errorf("%s %v %v, and the lock is %v", r.Outcome, r.Reasons, r.Err, f.get("accounts", handle("alan")))
	}
}

// A mark that was not answered at once is taken off, and the lock marked anew; a mark
// that somebody had left there is taken over once. That goes on for a while only.
func TestAMarkIsUsedOnlyIfItWasAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lost int // how many marks
		want journal.Outcome
	}{
		"the first is not": {1, journal.Applied},
		"four are not":     {4, journal.Applied},
		"none is":          {100, journal.Refused},
	} {
		for _, left := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, a marker was left %v", name, left), func(t *testing.T) {
				f := start(t)
				if left {
					f.put("accounts", more(handle("alan"), strs("tallylock_release", "0123456789abcdef0123456789abcdef")))
				}
				sent := map[string]int{}
				f.after = func(_ string, body []byte) error {
					if !marks(body) {
						return nil
					}
					if sent[tokenOf(body)]++; sent[tokenOf(body)] == 1 && len(sent) <= tc.lost {
						return errCut
					}
					return nil
				}
				p := f.mustPlan(f.open("accounts"), "username", "alan")
				r := f.changer.Apply(t.Context(), p, nil)
				if r.Outcome != tc.want || r.Err != nil || r.Unmarked != (tc.want == journal.Refused) || (codes(r.Reasons) == "NoAnswer") != r.Unmarked {
					t.Errorf("%s %v %v, unmarked %v", r.Outcome, r.Reasons, r.Err, r.Unmarked)
				}
				if lock := f.get("accounts", handle("alan")); (lock == nil) != (tc.want == journal.Applied) || len(lock) > 2 {
					t.Errorf("the lock is %v", lock)
				}
				if want := min(tc.lost+1, 5); len(sent) != want {
					t.Errorf("%d marks were set; want %d", len(sent), want)
				}
				if rec := f.record(r.ID); rec == nil || rec.Open || rec.Outcome != tc.want || r.ID != r.Plan.ID {
					t.Errorf("the journal has %+v of %s", rec, r.ID)
				}
				if n := f.closed(); n[journal.Refused]+n[journal.Applied] != len(sent) {
					t.Errorf("the journal has %v", n)
				}
			})
		}
	}
}

// A plan is applied once: its mark is not sent a second time after it was taken off.
func TestAMarkIsNotSentForASecondTime(t *testing.T) {
	t.Parallel()
	f := start(t)
	p := f.mustPlan(f.open("accounts", func(o *dynamo.Options) { o.AutoReadUnits = 1e-9 }), "username", "ada")
	if r := f.changer.Apply(t.Context(), p, nil); codes(r.Reasons) != plan.Held || !r.Unmarked {
		t.Fatalf("%s %v", r.Outcome, r.Reasons)
	}
	writes := f.writes()
	if r := f.changer.Apply(t.Context(), p, nil); client.KindOf(r.Err) != client.Usage || f.writes() != writes {
		t.Errorf("%s %v %v, %d sent", r.Outcome, r.Reasons, r.Err, f.writes()-writes)
	}
}

// A crash leaves a mark of which it is not known that it was sent once: nothing is
// ever deleted by it. It can be taken off, and the lock released anew.
func TestNothingRestsOnAMarkThatMayHaveBeenSentTwice(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*fixture, *plan.Plan){
		"it was sent twice": func(f *fixture, p *plan.Plan) {
			f.first(marks)
			f.killed(p, "unmark")
		},
		"it died before the answer was written down": func(f *fixture, p *plan.Plan) {
			f.killed(p, "wait")
			text := f.lines()
			f.rewrite(text[:1])
		},
		"it died while the answer was written down": func(f *fixture, p *plan.Plan) {
			f.killed(p, "wait")
			text := f.lines()
			text[1] = text[1][:len(text[1])-2]
			f.rewrite(text)
		},
		"an older version has sent it": func(f *fixture, p *plan.Plan) {
			f.killed(p, "look")
			text := f.lines()
			text[1] = strings.Replace(text[1], `"sent":"once",`, "", 1)
			text[1] = strings.Replace(text[1], `,"sent":"once"`, "", 1)
			f.rewrite(text)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			table := f.open("accounts")
			leave(f, f.mustPlan(table, "username", "alan"))
			f.after = nil
			if s := f.examine(table); choices(s) != "take off!" {
				t.Fatalf("%s: choices %s", s.Words, choices(s))
			}
			f.resolve(table, change.TakeOff, journal.Refused)
			f.apply(f.plan(table, "username", "alan"))
		})
	}
}

// lines are those of the journal, and rewrite puts others in their place.
func (f *fixture) lines() []string {
	f.t.Helper()
	text, err := os.ReadFile(f.journal)
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

func (f *fixture) rewrite(lines []string) {
	f.t.Helper()
	if err := os.WriteFile(f.journal, chained(unchained([]byte(strings.Join(lines, "\n")+"\n"))), 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.changer = f.operator("tester")
}

// The deletion was sent after a look of hours, and not answered: it is sent again
// while its token is good. After that every account is looked at anew, and the
// deletion may arrive by itself meanwhile: that is found out.
func TestALostDeletionIsSentAgainOrLookedAtAnew(t *testing.T) {
	t.Parallel()
	for after, arrives := range map[time.Duration]bool{
		time.Minute: false, 8 * time.Minute: false, 12 * time.Minute: false, 13 * time.Minute: true, 20 * time.Minute: false,
	} {
		t.Run(after.String(), func(t *testing.T) {
			f, slow := clocked(t)
			table := f.open("accounts")
			p := f.mustPlan(table, "username", "alan")
			var deletion []byte
			f.before = func(operation string, body []byte) error {
				switch {
				case operation == "Scan":
					*slow = 2 * time.Hour
				case deletes(body):
					deletion = body
					return errCut
				}
				return nil
			}
			f.changer.Apply(t.Context(), p, nil)
			*slow += after
			f.before = nil
			if s := f.examine(table); choices(s) != "take off!, finish" || !s.Later.IsZero() {
				t.Fatalf("%s: choices %s, later %s", s.Words, choices(s), s.Later)
			}
			scans := 0
			f.before = func(operation string, body []byte) error {
				if operation == "Scan" && bytes.Contains(body, []byte(`"ConsistentRead":true`)) { // opening a table samples it without
					if scans++; arrives && scans == 1 {
						f.deliver(deletion)
						*slow += 11 * time.Minute
					}
				}
				return nil
			}
			if arrives {
				if r := f.changer.Resolve(t.Context(), f.examine(table), change.Finish, nil); r.Outcome != journal.Unknown {
					t.Errorf("%s %v %v; want unknown", r.Outcome, r.Reasons, r.Err)
				}
				f.resolve(table, change.GiveUp, journal.Unknown) // nothing tells any more who deleted it
			} else {
				f.resolve(table, change.Finish, journal.Applied)
			}
			if looked := scans > 0; looked != (after > 9*time.Minute) {
				t.Errorf("%d scans", scans)
			}
		})
	}
}

// What was looked at before a deletion was sent tells nothing of who broke the rule
// since.
func TestALostDeletionIsNotFinishedForSomebodyWhoHoldsTheValue(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("accounts")
	f.killed(f.mustPlan(table, "username", "alan"), "delete")
	f.put("accounts", row("ACCT#new", "PROFILE", "username", "alan"))
	f.later(17 * time.Minute)
	r := f.resolve(table, change.Finish, journal.Refused)
	if lock := f.get("accounts", handle("alan")); codes(r.Reasons) != plan.Held || len(lock) != 2 {
		t.Errorf("%v, and the lock is %v", r.Reasons, lock)
	}
}

// A change that was sent twice says so where what it changed may rightly come to be
// as it was: a copy that arrives when its token is forgotten makes it once more then.
// Of the others none does.
func TestAChangeThatMayComeAgainSaysSo(t *testing.T) {
	t.Parallel()
	type made struct {
		name string
		plan func(*fixture, *dynamo.Table) (*plan.Plan, error)
	}
	var all []made
	for _, tc := range changes() {
		all = append(all, made{tc.name, func(f *fixture, table *dynamo.Table) (*plan.Plan, error) {
			if tc.begin != nil {
				tc.begin(f)
			}
			return tc.plan(f.t, f, table)
		}})
	}
	for name, planned := range map[string]func(context.Context, counter.Counter, *big.Int) (*plan.Plan, error){
		"bump": planner.Bump, "reserve": planner.Reserve, "lower": planner.Lower,
	} {
		all = append(all, made{name, func(f *fixture, _ *dynamo.Table) (*plan.Plan, error) {
			return planned(f.t.Context(), f.counter("order_id", "order_id"), big.NewInt(3))
		}})
	}
	once := map[plan.Kind]bool{
		plan.KindBump: true, plan.KindReserve: true, plan.KindRelease: true, plan.KindRecreate: true,
		plan.KindGive: true, plan.KindReplace: true, plan.KindExpire: true,
	}
	anything := func(body []byte) bool { return bytes.Contains(body, []byte("ClientRequestToken")) }
	for _, tc := range all {
		t.Run(tc.name, func(t *testing.T) {
			f, table := versioned(t)
			p, err := tc.plan(f, table)
			if err != nil {
				t.Fatal(err)
			}
			f.first(anything)
			r := f.changer.Apply(t.Context(), p, nil)
			if want := map[bool]string{true: "", false: "NoAnswer"}[once[p.Kind]]; r.Outcome != journal.Applied || codes(r.Reasons) != want {
				t.Errorf("%s %s %v; want applied, %s", p.Kind, r.Outcome, r.Reasons, want)
			}
		})
	}
}
