package change_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fault"
)

// X11: the owner changes its value before one request of a release, and changes it back before a later request. Before
// and afterwards it has the same value and the same lock.
func TestX11AnOwnerGoesAwayAndBack(t *testing.T) {
	t.Parallel()
	for away := 0; ; away++ {
		came := false
		for back := away + 1; back < away+6; back++ {
			f := start(t)
			n := 0
			move := func(from, to string) {
				account := row("MEM#d41c07", "PROFILE", "email", "mel@lgp30.test", "username", to)
				owned := row("UNIQ#HANDLE#"+to, "LOCK", "memberId", "MEM#d41c07")
				if !f.transact(
					types.TransactWriteItem{Put: &types.Put{TableName: aws.String("members"), Item: account}},
					types.TransactWriteItem{Put: &types.Put{TableName: aws.String("members"), Item: owned}},
					types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("members"), Key: handle(from)}},
				) {
					t.Fatal("she cannot move")
				}
			}
			table := f.open("members")
			move("mel_k", "mel")
			f.before = func(string, []byte) error {
				if n == away {
					came = true
					move("mel", "other")
				}
				if n == back {
					move("other", "mel")
				}
				n++
				return nil
			}
			if p, err := f.plan(table, "username", "mel"); err == nil {
				f.changer.Apply(t.Context(), p, nil)
			}
			f.before = nil
			if has := text(f.get("members", row("MEM#d41c07", "PROFILE"))["username"]); f.get("members", handle(has)) == nil {
				t.Errorf("away before request %d and back before %d: %s is freed, and she holds it", away, back, has)
			}
		}
		if !came {
			if away < 2 {
				t.Errorf("there are only %d requests", away)
			}
			return
		}
	}
}

// X13: applications that sign up or delete in two steps. The wait before the look covers sign-ups, and the wait after
// the look covers deletions.
func TestX13TwoSteps(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, owner string) *stage {
		s := newStage(t)
		s.table = s.open("odd", func(o *dynamo.Options) {
			o.Settle = 20 * time.Millisecond
			o.Layouts = []config.Layout{{Name: "slow", Tables: []string{"odd"}, Accounts: []config.Account{{
				PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Owner: owner, MultiTransaction: true}},
			}}}}
		})
		return s
	}
	waits := func(s *stage, do map[int]func()) func(change.Progress) {
		last, n := "", 0
		return func(p change.Progress) {
			if p.Stage == "wait" && last != "wait" {
				n++
				if do[n] != nil {
					do[n]()
				}
			}
			last = string(p.Stage)
		}
	}
	t.Run("the account comes after its lock", func(t *testing.T) {
		s := begin(t, "")
		s.put("odd", handle("v"))
		p := s.mustPlan(s.table, "username", "v")
		r := s.changer.Apply(t.Context(), p, waits(s, map[int]func(){1: func() { s.put("odd", row("ACCT#new", "PROFILE", "username", "v")) }}))
		s.keeps(r, "v")
	})
	t.Run("the account comes after the lock that names it", func(t *testing.T) {
		s := begin(t, "owner")
		s.put("odd", more(handle("v"), strs("owner", "new")))
		p := s.mustPlan(s.table, "username", "v")
		r := s.changer.Apply(t.Context(), p, waits(s, map[int]func(){1: func() { s.put("odd", row("ACCT#new", "PROFILE", "username", "v")) }}))
		if lock := s.get("odd", handle("v")); r.Outcome != journal.Refused || codes(r.Reasons) != plan.Held || len(lock) != 3 {
			t.Errorf("%s %v %v, and the lock is %v; want refused, held", r.Outcome, r.Reasons, r.Err, lock)
		}
	})
	t.Run("the lock goes after its account", func(t *testing.T) {
		s := begin(t, "")
		s.put("odd", row("ACCT#old", "PROFILE", "username", "v"))
		s.put("odd", handle("v"))
		p, err := s.plan(s.table, "username", "v")
		if err == nil {
			t.Fatalf("%s was planned, and somebody holds it", p)
		}
		s.delete("odd", row("ACCT#old", "PROFILE"))
		r := s.changer.Apply(t.Context(), s.mustPlan(s.table, "username", "v"), waits(s, map[int]func(){2: func() {
			s.delete("odd", handle("v")) // the second step of the deletion
			s.move(s.a, "", "v")
		}}))
		s.keeps(r, "v")
	})
}

// X1: neither the index nor an eventually consistent read has a new account yet. Find calls its lock orphaned only
// provisionally, and the lock is not released.
func TestX1AnIndexThatLags(t *testing.T) {
	t.Parallel()
	late := 0
	for seed := range uint64(20) {
		now := time.Now()
		clock := func() time.Time { return now }
		f := start(t, embedded.WithClock(clock), fault.WithDelays(fault.Delays{Seed: seed, Lag: worldLag, Now: clock}))
		f.create("odd", "username")
		f.put("odd", row("ACCT#old", "PROFILE", "username", "always"))
		f.put("odd", handle("always"))
		now = now.Add(worldLag)
		for _, units := range []float64{500, 0.001} {
			table := f.open("odd", func(o *dynamo.Options) {
				o.Settle, o.AutoReadUnits = time.Nanosecond, units
				o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"odd"}, Accounts: []config.Account{{
					PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Index: "username-index"}},
				}}}}
			})
			v := fmt.Sprint("v", units)
			if !f.signUp("odd", "ACCT#of-"+v, v) {
				t.Fatal("nobody can sign up")
			}
			a, err := find.Find(t.Context(), table, v, find.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, rel := range a.Locks {
				if rel.Verdict != verdict.Held {
					late++
				}
				if rel.Verdict == verdict.Orphaned && !rel.Provisional {
					t.Errorf("seed %d, %g units: the lock of %s is called %s", seed, units, v, rel.Verdict)
				}
			}
			if p, err := f.plan(table, "username", v); err == nil {
				if r := f.changer.Apply(t.Context(), p, nil); r.Outcome != journal.Refused {
					t.Errorf("seed %d, %g units: %s", seed, units, r.Outcome)
				}
			}
			if lock := f.get("odd", handle(v)); len(lock) != 2 {
				t.Errorf("seed %d, %g units: the lock is %v", seed, units, lock)
			}
		}
	}
	if late == 0 {
		t.Error("the index was never late")
	}
}

// X9 and X10: an account changes its value before one request of find, and changes it back before a later one. Or the
// account is deleted, and another account takes the value. The table is consistent all the time, so find reports no
// problem.
func TestX9X10FindIsNotFooled(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string][2][2]string{
		"it goes and comes back": {{"v", "w"}, {"w", "v"}},
		"another takes it":       {{"v", ""}, {"", "v"}},
	} {
		for _, query := range []string{"v", "A"} {
			for away := 0; ; away++ {
				came := false
				for back := away; back < away+4; back++ {
					f := start(t)
					f.create("odd")
					for _, i := range []item{row("ACCT#A", "PROFILE", "username", "v"), handle("v"), row("ACCT#B", "PROFILE", "username", "b"), handle("b")} {
						f.put("odd", i)
					}
					table, n := f.open("odd"), 0
					f.before = func(string, []byte) error {
						if n == away {
							came = true
							f.become("ACCT#A", moves[0][0], moves[0][1])
						}
						if n == back {
							f.become(map[bool]string{true: "ACCT#A", false: "ACCT#C"}[moves[0][1] != ""], moves[1][0], moves[1][1])
						}
						n++
						return nil
					}
					a, err := find.Find(t.Context(), table, query, find.Options{})
					if err != nil {
						t.Fatal(err)
					}
					rels := a.Locks
					for _, found := range a.Accounts {
						rels = append(rels, found.Values...)
					}
					for _, rel := range rels {
						switch rel.Verdict {
						case verdict.Held, verdict.Free, verdict.Unknown:
						default:
							if !rel.Provisional {
								t.Errorf("%s, away before request %d and back before %d: %q is called %s", name, away, back, rel.Value, rel.Verdict)
							}
						}
					}
				}
				if !came {
					break
				}
			}
		}
	}
}

// become changes the value of an account together with its lock. An empty from creates the account, and an empty to
// deletes it.
func (f *fixture) become(pk, from, to string) {
	f.t.Helper()
	var actions []types.TransactWriteItem
	if from != "" {
		actions = append(actions, types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("odd"), Key: handle(from)}})
	}
	if to == "" {
		actions = append(actions, types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("odd"), Key: row(pk, "PROFILE")}})
	} else {
		actions = append(actions,
			types.TransactWriteItem{Put: &types.Put{TableName: aws.String("odd"), Item: row(pk, "PROFILE", "username", to)}},
			types.TransactWriteItem{Put: &types.Put{TableName: aws.String("odd"), Item: handle(to), ConditionExpression: aws.String("attribute_not_exists(PK)")}})
	}
	if !f.transact(actions...) {
		f.t.Errorf("%s cannot go from %q to %q", pk, from, to)
	}
}
