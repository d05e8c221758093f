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

// marks and deletes report whether a request sets a mark, or deletes an item.
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

// first loses the first answer to each kind of request. kept returns these requests.
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

// clocked returns a fixture whose clock always shows the start of the test plus *slow. The engine has the same clock.
func clocked(t *testing.T) (f *fixture, slow *time.Duration) {
	begun, by := time.Now(), time.Duration(0)
	clock := func() time.Time { return begun.Add(by) }
	f = start(t, embedded.WithClock(clock))
	f.changer.Now = clock
	return f, &by
}

// A mark and its deletion were both sent twice, and then somebody put the lock again. When the tokens are forgotten,
// copies of both requests arrive in the same order: they delete nothing.
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

// A mark was sent twice, and its token expires during the look. A late copy of it then marks a new lock: the deletion
// is refused.
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

// If a mark is not confirmed at once, it is removed, and the lock is marked again, five times at most. A mark that
// somebody has left is replaced.
func TestAMarkIsUsedOnlyIfItWasAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lost int // the number of marks whose answer is lost
		want journal.Outcome
	}{
		"the first is not": {1, journal.Applied},
		"four are not":     {4, journal.Applied},
		"none is":          {100, journal.Refused},
	} {
		for _, left := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, a mark was left %v", name, left), func(t *testing.T) {
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

// A plan is applied only once: its mark is not sent again after it was removed.
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

// After a crash it is unknown whether a mark was sent only once: no deletion relies on this mark. The mark can be
// removed, and a new plan can release the lock.
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

// lines returns the lines of the journal, and rewrite replaces them.
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

// A deletion gets no answer after a look of two hours. It is sent again while its token is valid. Later, every item is
// read again. If the deletion arrives by itself during this reading, the outcome stays unknown.
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
				if operation == "Scan" && bytes.Contains(body, []byte(`"ConsistentRead":true`)) { // not a sample
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
				f.resolve(table, change.GiveUp, journal.Unknown) // nothing shows who deleted the lock
			} else {
				f.resolve(table, change.Finish, journal.Applied)
			}
			if looked := scans > 0; looked != (after > 9*time.Minute) {
				t.Errorf("%d scans", scans)
			}
		})
	}
}

// A look before the deletion says nothing about an account that took the value afterwards, against the protocol.
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

// A late copy of a change that was sent twice is applied again if its token is forgotten and its items have rightly
// returned to their earlier state. The receipts of such changes warn of this. Other kinds of changes cannot be
// repeated.
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
