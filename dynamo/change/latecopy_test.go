package change_test

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/change"
	"tallylock/dynamo/embedded"
)

// A mark was sent twice, and the look takes longer than its token is good: by then a
// copy could mark a lock that was put anew, and the deletion would take it for the
// one that nobody had.
func TestALateCopyOfAMarkDeletesNothing(t *testing.T) {
	begun, slow := time.Now(), time.Duration(0)
	clock := func() time.Time { return begun.Add(slow) }
	f := start(t, embedded.WithClock(clock))
	f.changer.Now = clock
	var mark []byte
	f.after = func(operation string, body []byte) error {
		switch {
		case operation == "Scan" && mark != nil:
			slow = 11 * time.Minute
		case mark == nil && strings.Contains(string(body), "SET #mark"):
			mark = body
			return errCut
		}
		return nil
	}
	r := f.changer.Apply(t.Context(), f.mustPlan(f.open("accounts"), "username", "alan"), func(p change.Progress) {
		if p.Stage == "delete" && p.Attempt == 1 {
			f.put("accounts", row("ACCT#new", "PROFILE", "username", "alan"))
			f.put("accounts", handle("alan"))
			f.deliver(mark)
		}
	})
	if lock := f.get("accounts", handle("alan")); r.Outcome != change.Refused || codes(r.Reasons) != change.Incomplete || len(lock) != 2 {
		t.Errorf("%s %v %v, and the lock is %v", r.Outcome, r.Reasons, r.Err, lock)
	}
}

// A mark that was found after its token was forgotten may be a copy, and nothing that
// was looked at before tells of its lock.
func TestAMarkThatMayBeACopyIsLookedAtAnew(t *testing.T) {
	f := start(t)
	table := f.open("accounts")
	f.killed(f.mustPlan(table, "username", "alan"), "delete")
	f.later(10 * time.Minute)
	if s := f.examine(table); choices(s) != "take off!" || s.Later.IsZero() {
		t.Errorf("%s, choices %s, later %s", s.Words, choices(s), s.Later)
	}
	f.put("accounts", row("ACCT#new", "PROFILE", "username", "alan"))
	f.later(17 * time.Minute)
	r := f.settle(table, change.Finish, change.Refused)
	if lock := f.get("accounts", handle("alan")); codes(r.Reasons) != change.Held || len(lock) != 2 {
		t.Errorf("%v, and the lock is %v", r.Reasons, lock)
	}
}

// The deletion was sent after a look of hours, and not answered: it is sent again
// while its token is good, and nothing else is while it may arrive by itself.
func TestALateCopyOfADeletionIsWaitedFor(t *testing.T) {
	for after, want := range map[time.Duration]string{
		time.Minute: "take off!, finish", 12 * time.Minute: "take off!", 20 * time.Minute: "take off!, finish",
	} {
		t.Run(after.String(), func(t *testing.T) {
			begun, slow := time.Now(), time.Duration(0)
			clock := func() time.Time { return begun.Add(slow) }
			f := start(t, embedded.WithClock(clock))
			f.changer.Now = clock
			table := f.open("accounts")
			p := f.mustPlan(table, "username", "alan")
			scans := 0
			f.before = func(operation string, body []byte) error {
				switch {
				case operation == "Scan":
					scans++
					slow = 2 * time.Hour
				case strings.Contains(string(body), `"Delete"`):
					return errCut
				}
				return nil
			}
			f.changer.Apply(t.Context(), p, nil)
			slow += after
			s := f.examine(table)
			if choices(s) != want || s.Later.IsZero() != strings.Contains(want, "finish") {
				t.Fatalf("%s: choices %s, later %s; want %s", s.Words, choices(s), s.Later, want)
			}
			f.before = func(operation string, _ []byte) error {
				if operation == "Scan" {
					scans++
				}
				return nil
			}
			if scans = 0; strings.Contains(want, "finish") {
				f.settle(table, change.Finish, change.Applied)
			}
			if looked := scans > 0; looked != (after > 15*time.Minute) {
				t.Errorf("%d scans", scans)
			}
		})
	}
}
