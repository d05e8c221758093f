package explain_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/adopt"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/explain"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
	"tallylock/internal/fixture"
)

// adopted is a table on which backfills and their undos run. The user is sam, with the credentials of a server.
type adopted struct {
	*fixture.Tables
	t       *testing.T
	table   *dynamo.Table
	changer *change.Changer
	now     time.Time
}

// oddMail has characters that JSON may escape.
const oddMail = `<b&c>é"@x.io`

func adopting(t *testing.T, options ...embedded.Option) *adopted {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "state", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	a := &adopted{Tables: fixture.New(t, options...), t: t, now: begin}
	a.changer = &change.Changer{
		Journal: j, Who: "arn:aws:sts::1:assumed-role/server/i-1", AppliedBy: "sam",
		Now:   func() time.Time { a.now = a.now.Add(time.Second); return a.now },
		Pause: func(int) time.Duration { return time.Millisecond },
	}
	a.table = a.Describe("people", config.Account{
		PK: "USER#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Owner: "owner"}},
	}, account("1", mail), account("2", oddMail))
	return a
}

func account(id, email string) sdk.Item {
	return sdk.Item{"PK": sdk.S("USER#" + id), "SK": sdk.S("PROFILE"), "email": sdk.S(email)}
}

func (a *adopted) lock(v, owner string) sdk.Item {
	return sdk.Item{"PK": sdk.S("MAIL#" + v), "SK": sdk.S("LOCK"), "owner": sdk.S(owner)}
}

// backfill runs a backfill that kim asked for. The function before is called after the planning and before the run.
func (a *adopted) backfill(before func()) change.BackfillResult {
	a.t.Helper()
	rule, err := adopt.Open(a.t.Context(), a.table, "email")
	if err != nil {
		a.t.Fatal(err)
	}
	b, err := a.changer.PlanBackfill(a.t.Context(), a.table, rule.Constraint, rule.Locks(), setting.Options{}, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	b.Plan.AskedBy, b.Plan.Reason = "kim", "ticket 9"
	before()
	r := a.changer.RunBackfill(a.t.Context(), b, nil, nil)
	if r.Err != nil {
		a.t.Fatal(r.Err)
	}
	return r
}

func (a *adopted) undo(receipt string) change.BackfillResult {
	a.t.Helper()
	record, err := a.changer.Journal.Record(receipt)
	if err != nil {
		a.t.Fatal(err)
	}
	u, err := a.changer.PlanBackfillUndo(a.t.Context(), a.table.Connection(), record)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.changer.RunBackfillUndo(a.t.Context(), u, nil, nil)
}

// past returns the events of the journal for an e-mail.
func (a *adopted) past(email string) []explain.Event {
	a.t.Helper()
	found, err := find.Find(a.t.Context(), a.table, email, find.Options{})
	if err != nil {
		a.t.Fatal(err)
	}
	events, err := explain.Journal(a.t.Context(), a.changer.Journal, a.table, slices.Concat(found.Locks, found.Unlocked)...)
	if err != nil {
		a.t.Fatal(err)
	}
	return events
}

func kinds(events []explain.Event) (all []explain.Kind) {
	for _, e := range events {
		all = append(all, e.Kind)
	}
	return all
}

// The plan of a backfill has a lock that the backfill did not put, because another account took the value. Then the
// past has no put of this lock, and no deletion by the undo.
func TestThePastHasOnlyWhatABackfillDid(t *testing.T) {
	t.Parallel()
	a := adopting(t)
	r := a.backfill(func() { a.Put("people", a.lock(mail, "thief")) })
	if events := a.past(mail); r.Put != 1 || len(events) != 0 {
		t.Errorf("after %+v, the past is %+v", r, events)
	}
	events := a.past(oddMail)
	if len(events) != 1 || events[0].Kind != explain.LockFilled || events[0].Until.Sub(events[0].At) > time.Minute || events[0].Owner != "2" ||
		events[0].Who != "sam" || events[0].AskedBy != "kim" || events[0].Reason != "ticket 9" || events[0].Uncertain {
		t.Errorf("the past of the lock is %+v", events)
	}
	undone := a.undo(r.Receipt)
	if events := a.past(mail); undone.Put != 1 || len(events) != 0 {
		t.Errorf("after the undo %+v, the past is %+v", undone, events)
	}
	events = a.past(oddMail)
	if !slices.Equal(kinds(events), []explain.Kind{explain.LockFilled, explain.LockDeleted}) ||
		events[1].Source.Receipt != undone.Receipt || events[1].Undoes != r.Receipt || !events[1].At.After(events[0].At) {
		t.Errorf("after the undo, the past of the lock is %+v", events)
	}
}

// The application writes the lock again. The mark is gone, and the past still has the backfill.
func TestThePastKeepsABackfillWithoutItsMark(t *testing.T) {
	t.Parallel()
	a := adopting(t)
	for n := range 12 { // the plan has only ten locks
		a.Put("people", account(fmt.Sprint("p", n), fmt.Sprintf("p%d@x.io", n)))
	}
	r := a.backfill(func() {})
	for n := range 12 {
		email := fmt.Sprintf("p%d@x.io", n)
		a.Put("people", a.lock(email, fmt.Sprint("p", n)))
		events := a.past(email)
		if len(events) != 1 || events[0].Kind != explain.LockFilled || events[0].Source.Receipt != r.Receipt {
			t.Errorf("the past of %s is %+v", email, events)
		}
	}
}

// The file of the backfill's run is missing. The mark on the lock still names the backfill. The event then has the time
// of the whole run.
func TestThePastWithoutTheFileOfABackfill(t *testing.T) {
	t.Parallel()
	a := adopting(t)
	r := a.backfill(func() {})
	if err := os.Remove(r.File); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{mail, oddMail} {
		events := a.past(email)
		if len(events) != 1 || events[0].Kind != explain.LockFilled || !events[0].Until.After(events[0].At) ||
			events[0].Who != "sam" || events[0].AskedBy != "kim" {
			t.Errorf("the past of %s is %+v", email, events)
		}
	}
}

// The first attempt got no answer. The lock was put at some time before the answer of the second attempt.
func TestThePastOfALateAnswer(t *testing.T) {
	t.Parallel()
	lost := map[string]bool{}
	a := adopting(t, fault.WithFaults(func(r fault.Request) fault.Fault {
		if r.Op == "TransactWriteItems" && bytes.Contains(r.Body, []byte("tallylock_adopt")) && len(lost) == 0 {
			lost[r.Op] = true
			return fault.CloseAfter
		}
		return fault.NoFault
	}))
	r := a.backfill(func() {})
	events := a.past(mail)
	if r.Put != 2 || len(lost) != 1 || len(events) != 1 || !events[0].Until.After(events[0].At) {
		t.Errorf("after %+v and lost %v, the past is %+v", r, slices.Collect(maps.Keys(lost)), events)
	}
}
