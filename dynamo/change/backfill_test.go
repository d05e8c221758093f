package change_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// plainRule is a rule whose locks have an owner and nothing else.
type plainRule struct {
	t   *dynamo.Table
	con *layout.Constraint
}

func (r plainRule) Wants(item attr.Item) *backfill.Account {
	_, a := r.t.AccountOf(item)
	if a == nil {
		return nil
	}
	out := &backfill.Account{
		Key: a.Key, ID: a.ID, Units: 2,
		Check: client.Write{Verb: client.Check, Table: r.t.Name, Key: a.Key, If: []client.Term{{Path: []string{"email"}, Value: item["email"]}}},
	}
	for _, claim := range r.t.ClaimsOf(item) {
		if claim.Err != nil {
			out.Invalid = append(out.Invalid, backfill.Invalid{Constraint: "email", Value: claim.Raw, Code: "NoKey"})
			continue
		}
		lock := plan.WithAttribute(claim.Key.Item(), "owner", attr.String(a.ID))
		out.Locks = append(out.Locks, backfill.Lock{
			Constraint: "email", Value: claim.Raw, Units: 2,
			Put: client.Write{Verb: client.Put, Table: r.t.LockTable(r.con), Key: claim.Key, Item: lock, Absent: true},
		})
	}
	return out
}

func (r plainRule) Names(e backfill.Entry, item attr.Item) bool { return item["owner"].Text == e.ID }

func (r plainRule) Owner(table string, item attr.Item) (string, bool) {
	role := r.t.Classify(table, item)
	return item["owner"].Text, role.Constraint != nil
}

// unadopted is a table of accounts without locks.
type unadopted struct {
	*fixture
	table *dynamo.Table
	found []change.BackfillFinding
}

func unlocked(t *testing.T, accounts ...item) *unadopted {
	t.Helper()
	u := &unadopted{fixture: start(t)}
	u.create("odd")
	u.put("odd", accounts...)
	return u
}

// holdersOf returns n accounts, with the e-mail addresses p0@x.io, p1@x.io and so on.
func holdersOf(n int) (all []item) {
	for i := range n {
		all = append(all, holderOf(fmt.Sprint("p", i)))
	}
	return all
}

func holderOf(v string) item { return row("ACCT#"+v, "PROFILE", "email", v+"@x.io") }

func adoptedLock(v, owner string) item { return row("UNIQ#"+v+"@x.io", "LOCK", "owner", owner) }

// planned opens the table and plans the backfill.
func (u *unadopted) planned(ctx context.Context, change1 ...func(*dynamo.Options)) (*change.Backfill, error) {
	u.t.Helper()
	u.table = u.open("odd", append([]func(*dynamo.Options){configured(config.Constraint{
		Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK", Owner: "owner",
	})}, change1...)...)
	_, con := u.table.Layout.Constraint("email")
	return u.changer.PlanBackfill(ctx, u.table, con, plainRule{u.table, con}, setting.Options{}, nil)
}

func (u *unadopted) run(ctx context.Context) change.BackfillResult {
	u.t.Helper()
	b, err := u.planned(context.Background())
	if err != nil {
		u.t.Fatal(err)
	}
	u.found = nil
	return u.changer.RunBackfill(ctx, b, func(f change.BackfillFinding) { u.found = append(u.found, f) }, nil)
}

// locks returns the owners of the locks by e-mail address, and the number of locks with each mark.
func (u *unadopted) locks() (owners map[string]string, marks map[string]int) {
	owners, marks = map[string]string{}, map[string]int{}
	for key, i := range u.dump("odd") {
		if v, lock := strings.CutPrefix(strings.TrimSuffix(key, "/LOCK"), "UNIQ#"); lock {
			owners[v] = i["owner"]
			marks[i[schema.AdoptAttribute]]++
		}
	}
	return owners, marks
}

func (u *unadopted) record(receipt string) *journal.Record {
	u.t.Helper()
	r, err := u.changer.Journal.Record(receipt)
	if err != nil || r == nil {
		u.t.Fatalf("the journal has no %s: %v", receipt, err)
	}
	return r
}

// undone undoes a backfill.
func (u *unadopted) undone(ctx context.Context, receipt string) change.BackfillResult {
	u.t.Helper()
	undo, err := u.changer.PlanBackfillUndo(context.Background(), u.table.Connection(), u.record(receipt))
	if err != nil {
		u.t.Fatal(err)
	}
	u.found = nil
	return u.changer.RunBackfillUndo(ctx, undo, func(f change.BackfillFinding) { u.found = append(u.found, f) }, nil)
}

func TestBackfillPutsTheMissingLocks(t *testing.T) {
	t.Parallel()
	u := unlocked(t, append(holdersOf(25), adoptedLock("p3", "p3"))...)
	r := u.run(t.Context())
	owners, marks := u.locks()
	if r.Err != nil || !r.Complete || r.Outcome != journal.Applied || r.Put != 24 || r.Had != 1 || r.Findings() != 0 {
		t.Errorf("the run ended with %+v", r)
	}
	if len(owners) != 25 || marks[r.Mark] != 24 || marks[""] != 1 || len(r.Mark) != 32 {
		t.Errorf("the locks are %v with the marks %v", owners, marks)
	}
	for v, owner := range owners {
		if v != owner+"@x.io" {
			t.Errorf("the lock of %s names %s", v, owner)
		}
	}
	if got := u.record(r.Receipt); got.Open || got.Outcome != journal.Applied || got.What != "backfill email of odd" {
		t.Errorf("the receipt is %+v", got)
	}
	info, err := os.Stat(r.File)
	if err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(filepath.Dir(r.File)) != filepath.Dir(u.journal) {
		t.Errorf("the file is %v, %v", info, err)
	}
	if again := u.run(t.Context()); again.Put != 0 || again.Had != 25 || again.Receipt == r.Receipt || again.Outcome != journal.Refused {
		t.Errorf("the second run ended with %+v", again)
	}
}

// Each put requires an absent lock, and each account has one check. At most ten locks are in a transaction.
func TestBackfillConditions(t *testing.T) {
	t.Parallel()
	several := row("ACCT#many", "PROFILE")
	several["email"] = &types.AttributeValueMemberSS{Value: []string{"a@x.io", "b@x.io", "c@x.io"}}
	u := unlocked(t, append(holdersOf(12), several)...)
	var sizes []int
	u.before = func(op string, body []byte) error {
		if op != "TransactWriteItems" {
			return nil
		}
		var in struct {
			TransactItems []map[string]struct {
				ConditionExpression string
				Key                 map[string]any
			}
		}
		if err := json.Unmarshal(body, &in); err != nil {
			t.Error(err)
		}
		puts, checks := 0, map[string]bool{}
		for _, actions := range in.TransactItems {
			for verb, a := range actions {
				switch {
				case verb == "Put" && a.ConditionExpression == "attribute_not_exists(#pk)":
					puts++
				case verb == "ConditionCheck" && strings.Contains(a.ConditionExpression, " = :v0") && !checks[fmt.Sprint(a.Key)]:
					checks[fmt.Sprint(a.Key)] = true
				default:
					t.Errorf("an unexpected action: %s %+v", verb, a)
				}
			}
		}
		sizes = append(sizes, puts)
		return nil
	}
	if r := u.run(t.Context()); r.Put != 15 || r.Err != nil {
		t.Errorf("the run ended with %+v", r)
	}
	if !slices.Equal(sizes, []int{10, 5}) {
		t.Errorf("the transactions put %v locks", sizes)
	}
}

func TestBackfillListsDuplicates(t *testing.T) {
	t.Parallel()
	twin := func(id, v string) item { return row("ACCT#"+id, "PROFILE", "email", v+"@x.io") }
	u := unlocked(t, append(holdersOf(5), twin("t1", "p1"), twin("t2", "p1"), adoptedLock("p2", "stranger"))...)
	b, err := u.planned(t.Context())
	if err != nil || b.Plan.Backfill.Duplicates != 1 || b.Plan.Backfill.Values != 7 {
		t.Fatalf("the plan is %+v, %v", b, err)
	}
	r := u.run(t.Context())
	owners, _ := u.locks()
	if r.Put != 3 || r.Found[change.BackfillDuplicate] != 2 || len(owners) != 4 || owners["p1@x.io"] != "" || owners["p2@x.io"] != "stranger" {
		t.Errorf("the run ended with %+v; the locks are %v", r, owners)
	}
	for _, f := range u.found {
		switch {
		case f.Value == "p1@x.io" && len(f.Accounts) == 3 && !f.Exists:
		case f.Value == "p2@x.io" && len(f.Accounts) == 1 && f.Exists && f.Owner == "stranger":
		default:
			t.Errorf("an unexpected finding: %+v", f)
		}
	}
}

// A value has two accounts in the first reading, and one in the second: it gets no lock until the backfill is repeated.
// An existing lock that names the remaining account is no finding.
func TestBackfillPutsNoLockForAValueThatHadTwoAccounts(t *testing.T) {
	t.Parallel()
	u := unlocked(t, append(holdersOf(3), row("ACCT#t1", "PROFILE", "email", "p1@x.io"),
		row("ACCT#t2", "PROFILE", "email", "p2@x.io"), adoptedLock("p2", "p2"))...)
	b, err := u.planned(t.Context())
	if err != nil || b.Plan.Backfill.Duplicates != 2 {
		t.Fatalf("the plan is %+v, %v", b, err)
	}
	u.put("odd", row("ACCT#t1", "PROFILE", "email", "other1@x.io"), row("ACCT#t2", "PROFILE", "email", "other2@x.io"))
	var found []change.BackfillFinding
	r := u.changer.RunBackfill(t.Context(), b, func(f change.BackfillFinding) { found = append(found, f) }, nil)
	owners, _ := u.locks()
	if r.Err != nil || r.Put != 3 || r.Had != 1 || owners["p1@x.io"] != "" || len(found) != 1 ||
		found[0].Kind != change.BackfillChanged || found[0].Value != "p1@x.io" || found[0].Code != change.OneHolder {
		t.Errorf("the run ended with %+v, %v; the findings are %+v, and the locks %v", r, r.Err, found, owners)
	}
	if again := u.run(t.Context()); again.Put != 1 || again.Findings() != 0 {
		t.Errorf("the next run ended with %+v", again)
	}
}

// Several accounts take a value between the two readings. None of them gets the lock: people choose. This also holds
// for the last account, which is alone in a later window.
func TestBackfillChoosesNoOwner(t *testing.T) {
	t.Parallel()
	for _, takers := range []int{2, client.MaxBatch + 1} {
		u := unlocked(t, holdersOf(takers)...)
		b, err := u.planned(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for n := range takers {
			u.put("odd", row(fmt.Sprint("ACCT#p", n), "PROFILE", "email", "late@x.io"))
		}
		var found []change.BackfillFinding
		r := u.changer.RunBackfill(t.Context(), b, func(f change.BackfillFinding) { found = append(found, f) }, nil)
		owners, _ := u.locks()
		if r.Err != nil || r.Put != 0 || owners["late@x.io"] != "" || len(found) != 1 || found[0].Exists ||
			found[0].Kind != change.BackfillDuplicate || len(found[0].Accounts) != min(takers, 20) || found[0].More != takers-min(takers, 20) {
			t.Errorf("%d accounts: the run ended with %+v, %v; the findings are %+v, and the lock names %q",
				takers, r, r.Err, found, owners["late@x.io"])
		}
	}
}

// An item that is no lock may have the key of a lock. Then the value cannot have a lock, and the item stays.
func TestBackfillLeavesAnotherItemAtTheKeyOfALock(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(3)...)
	u.put("odd", row("UNIQ#p1@x.io", "LOCK", "kind", "invitation"))
	b, err := u.planned(t.Context(), configured(config.Constraint{
		Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK", Owner: "owner", Is: &config.Discriminator{Attribute: "kind", Value: "lock"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	var found []change.BackfillFinding
	r := u.changer.RunBackfill(t.Context(), b, func(f change.BackfillFinding) { found = append(found, f) }, nil)
	if r.Err != nil || r.Put != 2 || len(found) != 1 || found[0].Kind != change.BackfillInvalid || found[0].Exists ||
		found[0].Code != change.OtherItem || found[0].Value != "p1@x.io" {
		t.Errorf("the run ended with %+v, %v; the findings are %+v", r, r.Err, found)
	}
}

// An account that changes after it was read gets no lock, and the other locks of its transaction are put.
func TestBackfillSkipsChangedAccounts(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(10)...)
	u.before = func(op string, _ []byte) error {
		if op == "TransactWriteItems" && u.writes() == 1 {
			u.put("odd", row("ACCT#p4", "PROFILE", "email", "other@x.io"), adoptedLock("p6", "thief"))
		}
		return nil
	}
	r := u.run(t.Context())
	owners, _ := u.locks()
	if r.Put != 8 || r.Found[change.BackfillChanged] != 1 || r.Found[change.BackfillDuplicate] != 1 || r.Err != nil ||
		owners["p4@x.io"] != "" || owners["other@x.io"] != "" || owners["p6@x.io"] != "thief" {
		t.Errorf("the run ended with %+v; the locks are %v", r, owners)
	}
}

// A run that was stopped between two transactions goes on with the same mark.
func TestBackfillContinues(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(35)...)
	ctx, cancel := context.WithCancel(t.Context())
	u.after = func(op string, _ []byte) error {
		if op == "TransactWriteItems" && u.writes() == 2 {
			cancel()
		}
		return nil
	}
	r := u.run(ctx)
	if r.Complete || r.Unknown != 0 || r.Outcome != journal.Applied || r.Put != 20 || client.KindOf(r.Err) != client.Cancelled {
		t.Fatalf("the stopped run ended with %+v, %v", r, r.Err)
	}
	u.after = nil
	late, err := u.planned(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	more := u.run(t.Context())
	_, marks := u.locks()
	if undone := u.undone(t.Context(), r.Receipt); !undone.Complete {
		t.Errorf("the undo ended with %+v", undone)
	}
	after := u.changer.RunBackfill(t.Context(), late, nil, nil)
	if refused, ok := errors.AsType[*plan.Refusal](after.Err); !ok || refused.Reasons[0].Code != plan.Changed || after.Transactions != 0 {
		t.Errorf("a run that was undone after the planning went on with %+v", after)
	}
	if more.Receipt != r.Receipt || more.Mark != r.Mark || !more.Complete || more.Put != 35 || more.Had != 0 ||
		marks[r.Mark] != 35 {
		t.Errorf("the run went on with %+v; the marks are %v", more, marks)
	}
}

// If an answer is lost, the same request is sent again. If no answer comes at all, the run stops. Later, the locks tell
// the outcome.
func TestBackfillSettlesLostAnswers(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{false, true} {
		u := unlocked(t, holdersOf(12)...)
		at := time.Now()
		u.changer.Now = func() time.Time { return at }
		lose := func(op string, _ []byte) error {
			if op == "TransactWriteItems" {
				return errCut
			}
			return nil
		}
		if u.before = lose; applied {
			u.before, u.after = nil, lose
		}
		r := u.run(t.Context())
		if r.Outcome != journal.Unknown || r.Unknown != 1 || r.Put != 0 || !u.record(r.Receipt).Open {
			t.Fatalf("applied %v: the run ended with %+v", applied, r)
		}
		if _, err := u.changer.PlanBackfillUndo(t.Context(), u.table.Connection(), u.record(r.Receipt)); err == nil {
			t.Errorf("applied %v: the undo does not wait for late copies", applied)
		}
		u.before, u.after = nil, nil
		at = at.Add(time.Hour)
		s, err := u.changer.Examine(t.Context(), u.table.Connection(), u.record(r.Receipt))
		if err != nil || (s.Outcome == journal.Applied) != applied {
			t.Errorf("applied %v: the examination says %+v, %v", applied, s, err)
		}
		more := u.run(t.Context())
		if more.Receipt != r.Receipt || more.Put != 12 || more.Unknown != 0 || more.Outcome != journal.Applied {
			t.Errorf("applied %v: the run went on with %+v, %v", applied, more, more.Err)
		}
	}
}

func TestAbandonedBackfillIsNotContinued(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(25)...)
	ctx, cancel := context.WithCancel(t.Context())
	u.after = func(op string, _ []byte) error {
		if op == "TransactWriteItems" {
			cancel()
		}
		return nil
	}
	r := u.run(ctx)
	_, con := u.table.Layout.Constraint("email")
	left, err := u.changer.BackfillLeft(u.table, con)
	if err != nil || left.Locks != 10 || left.Open != 1 || !slices.Equal(left.Runs, []string{r.Receipt}) {
		t.Fatalf("left are %+v, %v", left, err)
	}
	receipt, err := u.changer.AbandonBackfills(t.Context(), u.table, con, left, "")
	if err != nil || u.record(receipt).Outcome != journal.Applied || u.record(receipt).Open {
		t.Fatalf("abandoning returned %s, %v", receipt, err)
	}
	u.after = nil
	if more := u.run(t.Context()); more.Receipt == r.Receipt || more.Put != 15 || more.Had != 10 {
		t.Errorf("the next run ended with %+v", more)
	}
}

// BackfillLeft reports transactions without an outcome, missing files, and an undo that has not reached its end.
func TestAbandoningTellsWhatIsUnknown(t *testing.T) {
	t.Parallel()
	u := unlocked(t, holdersOf(25)...)
	at := time.Now()
	u.changer.Now = func() time.Time { return at }
	stop := func(n int) context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		before := u.writes()
		u.after = func(op string, _ []byte) error {
			if op == "TransactWriteItems" && u.writes() == before+n {
				cancel()
			}
			return nil
		}
		return ctx
	}
	left := func() change.BackfillLeft {
		t.Helper()
		u.after, u.before = nil, nil
		_, con := u.table.Layout.Constraint("email")
		left, err := u.changer.BackfillLeft(u.table, con)
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	r := u.run(stop(1))
	u.before = func(op string, _ []byte) error {
		if op == "TransactWriteItems" {
			return errCut
		}
		return nil
	}
	u.run(t.Context())
	if got := left(); got.Locks != 10 || got.Unknown != 1 || got.UnknownLocks != 10 || got.Open != 1 || len(got.Missing) != 0 || got.None() {
		t.Errorf("after a lost answer, left are %+v", got)
	}
	u.run(t.Context())
	at = at.Add(time.Hour) // no copy can arrive any more
	u.undone(stop(1), r.Receipt)
	if got := left(); got.Locks != 25 || got.Unknown != 0 || !slices.Equal(got.Undoing, []string{r.Receipt}) {
		t.Errorf("after a stopped undo, left are %+v", got)
	}
	if err := os.Remove(r.File); err != nil {
		t.Fatal(err)
	}
	if got := left(); got.Locks != 0 || got.Missing[r.Receipt] != r.Mark || got.None() {
		t.Errorf("without the file, left are %+v", got)
	}
}
