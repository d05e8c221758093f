package change_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// An undo deletes only locks that are unchanged since the backfill put them.
func TestUndoOfABackfill(t *testing.T) {
	t.Parallel()
	u := unlocked(t, append(holdersOf(25), adoptedLock("p1", "p1"))...)
	r := u.run(t.Context())
	u.put("odd", adoptedLock("p2", "p2")) // the application put it again
	changed := row("UNIQ#p3@x.io", "LOCK", "owner", "p3", schema.AdoptAttribute, r.Mark, "confirmed", "yes")
	u.put("odd", changed)
	ctx, cancel := context.WithCancel(t.Context())
	before := u.writes()
	u.after = func(op string, _ []byte) error {
		if op == "TransactWriteItems" && u.writes() == before+1 {
			cancel()
		}
		return nil
	}
	half := u.undone(ctx, r.Receipt)
	if half.Complete || half.Put != 10 || half.Unknown != 0 {
		t.Fatalf("the stopped undo ended with %+v, %v", half, half.Err)
	}
	u.after = nil
	rest := u.undone(t.Context(), r.Receipt)
	owners, marks := u.locks()
	if rest.Receipt != half.Receipt || !rest.Complete || rest.Put != 12 || rest.Found[change.BackfillChanged] != 1 || len(owners) != 3 || marks[""] != 2 {
		t.Errorf("the undo ended with %+v, %v; the locks are %v", rest, rest.Err, owners)
	}
	if got := u.record(r.Receipt); got.Undone != rest.Receipt {
		t.Errorf("the backfill is undone by %q", got.Undone)
	}
	if _, err := u.changer.PlanBackfillUndo(t.Context(), u.table.Connection(), u.record(r.Receipt)); err == nil {
		t.Error("the backfill can be undone twice")
	}
	if again := u.run(t.Context()); again.Mark == r.Mark || again.Put != 22 {
		t.Errorf("after the undo, the run ended with %+v", again)
	}
}

// The application adds an attribute to a lock after the undo has read the lock. Other locks have this attribute.
func TestUndoKeepsALockThatGetsAnAttribute(t *testing.T) {
	t.Parallel()
	for name, confirmed := range map[string]item{
		"a lock of the sample":       more(adoptedLock("own", "own"), strs("confirmed", "yes")),
		"a lock that the undo reads": nil,
	} {
		u := unlocked(t, append(holdersOf(3), holderOf("own"))...)
		if confirmed != nil {
			u.put("odd", confirmed)
		}
		r := u.run(t.Context())
		if confirmed == nil {
			u.put("odd", more(adoptedLock("own", "own"), strs("confirmed", "yes")))
		}
		writes := u.writes()
		u.before = func(op string, _ []byte) error {
			if op == "TransactWriteItems" && u.writes() == writes+1 {
				u.put("odd", more(adoptedLock("p1", "p1"), strs("confirmed", "yes", schema.AdoptAttribute, r.Mark)))
			}
			return nil
		}
		undone := u.undone(t.Context(), r.Receipt)
		owners, _ := u.locks()
		if !undone.Complete || undone.Put != 2 || undone.Found[change.BackfillChanged] != 1 || owners["p1@x.io"] != "p1" || len(owners) != 2 {
			t.Errorf("%s: the undo ended with %+v, %v; the locks are %v", name, undone, undone.Err, owners)
		}
	}
}

// Somebody continues a stopped backfill after its undo was planned, and a transaction gets no answer. The undo waits for
// this transaction. A second undo that was planned at the same time is refused.
func TestUndoOfABackfillThatWentOn(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(25)...)
	at := time.Now()
	u.changer.Now = func() time.Time { return at }
	ctx, cancel := context.WithCancel(t.Context())
	u.after = func(op string, _ []byte) error {
		if op == "TransactWriteItems" {
			cancel()
		}
		return nil
	}
	r := u.run(ctx)
	u.after = nil
	var planned [3]*change.BackfillUndo
	for n := range planned {
		var err error
		if planned[n], err = u.changer.PlanBackfillUndo(t.Context(), u.table.Connection(), u.record(r.Receipt)); err != nil {
			t.Fatal(err)
		}
	}
	u.before = func(op string, _ []byte) error {
		if op == "TransactWriteItems" {
			return errCut
		}
		return nil
	}
	if lost := u.run(t.Context()); lost.Receipt != r.Receipt || lost.Unknown != 1 || lost.Put != 10 {
		t.Fatalf("the run went on with %+v", lost)
	}
	u.before = nil
	refused := func(n int, why string) {
		t.Helper()
		got := u.changer.RunBackfillUndo(t.Context(), planned[n], nil, nil)
		if got.Err == nil || !strings.Contains(got.Err.Error(), why) || got.Transactions != 0 {
			t.Errorf("the undo ended with %+v, %v; want: %s", got, got.Err, why)
		}
	}
	refused(0, "may still arrive")
	at = at.Add(time.Hour)
	u.before = func(op string, _ []byte) error {
		if op == "TransactWriteItems" {
			return &smithy.GenericAPIError{Code: "TransactionConflictException"}
		}
		return nil
	}
	if begun := u.changer.RunBackfillUndo(t.Context(), planned[1], nil, nil); begun.Complete || !u.record(begun.Receipt).Open {
		t.Errorf("the stopped undo ended with %+v", begun)
	}
	u.before = nil
	refused(2, "another undo")
	if rest := u.undone(t.Context(), r.Receipt); !rest.Complete || rest.Put != 10 || rest.ReadUnits < 10 {
		t.Errorf("the undo ended with %+v", rest)
	}
}

// A refused transaction has an attempt without an answer. This attempt arrives late, and puts the lock after all. The
// undo waits for it, and then deletes its lock, too.
func TestUndoOfALateLock(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holderOf("late"))
	at := time.Now()
	u.changer.Now = func() time.Time { return at }
	stranger := adoptedLock("late", "stranger")
	var late []byte
	u.before = func(op string, body []byte) error {
		switch {
		case op != "TransactWriteItems":
		case late == nil:
			late = body
			return errCut
		default:
			u.put("odd", stranger)
		}
		return nil
	}
	r := u.run(t.Context())
	if r.Err != nil || r.Put != 0 || r.Unknown != 0 || r.Found[change.BackfillDuplicate] != 1 {
		t.Fatalf("the run ended with %+v, %v", r, r.Err)
	}
	u.before = nil
	u.delete("odd", item{"PK": stranger["PK"], "SK": stranger["SK"]})
	if _, err := u.changer.PlanBackfillUndo(t.Context(), u.table.Connection(), u.record(r.Receipt)); err == nil {
		t.Error("the undo does not wait for the late attempt")
	}
	u.deliver(late)
	if _, marks := u.locks(); marks[r.Mark] != 1 {
		t.Fatalf("the late attempt put no lock: %v", marks)
	}
	at = at.Add(time.Hour)
	undone := u.undone(t.Context(), r.Receipt)
	if owners, _ := u.locks(); !undone.Complete || undone.Put != 1 || undone.Had != 0 || len(owners) != 0 {
		t.Errorf("the undo ended with %+v, %v; the locks are %v", undone, undone.Err, owners)
	}
}

// The first attempt of an applied transaction got no answer. DynamoDB forgets the token after ten minutes, so a copy of
// this attempt could put the lock after the undo. The undo waits until no copy can arrive.
func TestUndoWaitsForCopiesOfAnAppliedPut(t *testing.T) {
	t.Parallel()
	at := time.Now()
	clock := func() time.Time { return at }
	u := &unadopted{fixture: start(t, embedded.WithClock(clock))}
	u.create("odd")
	u.put("odd", holderOf("late"))
	u.changer.Now = clock
	var late []byte
	u.before = func(op string, body []byte) error {
		if op == "TransactWriteItems" && late == nil {
			late = body
			return errCut
		}
		return nil
	}
	r := u.run(t.Context())
	if r.Err != nil || r.Put != 1 || late == nil {
		t.Fatalf("the run ended with %+v, %v", r, r.Err)
	}
	u.before = nil
	at = at.Add(11 * time.Minute) // the token is forgotten, and the signature is valid
	undo, err := u.changer.PlanBackfillUndo(t.Context(), u.table.Connection(), u.record(r.Receipt))
	if err == nil {
		undone := u.changer.RunBackfillUndo(t.Context(), undo, nil, nil)
		u.deliver(late)
		owners, _ := u.locks()
		t.Fatalf("the undo does not wait: it ended with %+v; after a late copy, the locks are %v", undone, owners)
	}
	u.deliver(late)
	at = at.Add(5 * time.Minute)
	undone := u.undone(t.Context(), r.Receipt)
	if owners, _ := u.locks(); !undone.Complete || undone.Put != 1 || len(owners) != 0 {
		t.Errorf("the undo ended with %+v, %v; the locks are %v", undone, undone.Err, owners)
	}
}

// A transaction got no answer, and a later run finds its locks. Copies may still arrive if the later run begins soon.
func TestUndoAfterALostAnswerWasSettled(t *testing.T) {
	t.Parallel()
	for after, waits := range map[time.Duration]bool{12 * time.Minute: true, time.Hour: false} {
		u := unlocked(t, holdersOf(3)...)
		at := time.Now()
		u.changer.Now = func() time.Time { return at }
		u.after = func(op string, _ []byte) error {
			if op == "TransactWriteItems" {
				return errCut
			}
			return nil
		}
		r := u.run(t.Context())
		u.after = nil
		at = at.Add(after)
		if more := u.run(t.Context()); r.Unknown != 1 || more.Receipt != r.Receipt || more.Put != 3 || more.Err != nil {
			t.Fatalf("after %s, the run went on with %+v", after, more)
		}
		_, err := u.changer.PlanBackfillUndo(t.Context(), u.table.Connection(), u.record(r.Receipt))
		if waits != (err != nil) {
			t.Errorf("after %s, planning the undo returned %v", after, err)
		}
	}
}

// The undo of a backfill that put nothing and sent nothing is refused.
func TestUndoOfAnEmptyBackfill(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holderOf("p0"), adoptedLock("p0", "p0"))
	r := u.run(t.Context())
	if _, err := u.changer.PlanBackfillUndo(t.Context(), u.table.Connection(), u.record(r.Receipt)); r.Put != 0 || err == nil {
		t.Errorf("the run ended with %+v, and can be undone", r)
	}
}

// A lock that is busy has not changed: the undo stays open, and the next run deletes the lock.
func TestUndoOfABusyLock(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(4)...)
	r := u.run(t.Context())
	u.before = func(op string, body []byte) error {
		if op == "TransactWriteItems" && bytes.Contains(body, []byte("UNIQ#p2@x.io")) {
			return &smithy.GenericAPIError{Code: "TransactionConflictException"}
		}
		return nil
	}
	busy := u.undone(t.Context(), r.Receipt)
	if busy.Complete || busy.Put != 3 || busy.Found[change.BackfillBusy] != 1 || busy.Findings() != 1 ||
		client.KindOf(busy.Err) != client.Conflict {
		t.Errorf("the undo ended with %+v, %v", busy, busy.Err)
	}
	if undo, was := u.record(busy.Receipt), u.record(r.Receipt); !undo.Open || was.Undone != "" || was.Undoing != busy.Receipt {
		t.Errorf("the undo is %+v, and the backfill %+v", undo, was)
	}
	u.before = nil
	rest := u.undone(t.Context(), r.Receipt)
	if owners, _ := u.locks(); !rest.Complete || rest.Receipt != busy.Receipt || rest.Put != 1 || len(owners) != 0 {
		t.Errorf("the undo ended with %+v, %v; the locks are %v", rest, rest.Err, owners)
	}
}

// A deletion of an undo gets no answer, and arrives late. A backfill waits until the undo has reached its end: otherwise
// the deletion could hit a lock that the backfill has found. Abandoning the adoption does not change this.
func TestBackfillWaitsForTheEndOfAnUndo(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holderOf("late"))
	at := time.Now()
	u.changer.Now = func() time.Time { return at }
	r := u.run(t.Context())
	early, err := u.planned(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var late []byte
	u.before = func(op string, body []byte) error {
		if op == "TransactWriteItems" {
			late = body
			return errCut
		}
		return nil
	}
	if half := u.undone(t.Context(), r.Receipt); half.Complete || half.Unknown != 1 {
		t.Fatalf("the undo ended with %+v, %v", half, half.Err)
	}
	u.before = nil
	_, con := u.table.Layout.Constraint("email")
	refused := func(err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "is unfinished") {
			t.Errorf("the undo is not over, but: %v", err)
		}
	}
	if got := u.changer.RunBackfill(t.Context(), early, nil, nil); got.Transactions == 0 {
		refused(got.Err)
	} else {
		t.Errorf("the backfill went on: %+v", got)
	}
	_, err = u.planned(t.Context())
	refused(err)
	refused(u.changer.CheckUndos(u.table, con))
	if _, err := u.changer.AbandonBackfills(t.Context(), u.table, con, change.BackfillLeft{}, ""); err != nil {
		t.Fatal(err)
	}
	refused(u.changer.CheckUndos(u.table, con))
	rest := u.undone(t.Context(), r.Receipt)
	again := u.run(t.Context())
	if !rest.Complete || rest.Put != 1 || again.Put != 1 {
		t.Fatalf("the undo ended with %+v, and the backfill with %+v", rest, again)
	}
	u.deliver(late)
	if owners, marks := u.locks(); owners["late@x.io"] != "late" || marks[again.Mark] != 1 {
		t.Errorf("after the late deletion, the locks are %v", owners)
	}
}

// The undo belongs to a constraint of another layout, which the present layout does not have. It counts if its locks have
// the keys of the present constraint.
func TestBackfillWaitsForAnUndoOfAnotherLayout(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(12)...)
	r := u.run(t.Context())
	u.before = func(op string, _ []byte) error {
		if op == "TransactWriteItems" {
			return errCut
		}
		return nil
	}
	if half := u.undone(t.Context(), r.Receipt); half.Complete || half.Unknown != 1 {
		t.Fatalf("the undo ended with %+v, %v", half, half.Err)
	}
	u.before = nil
	for pk, waits := range map[string]bool{"UNIQ#{v}": true, "OTHER#{v}": false} {
		table := u.open("odd", configured(config.Constraint{Name: "mail", Attribute: "email", PK: pk, SK: "LOCK", Owner: "owner"}))
		_, con := table.Layout.Constraint("mail")
		if err := u.changer.CheckUndos(table, con); waits != (err != nil) {
			t.Errorf("locks %s: %v", pk, err)
		}
	}
}
