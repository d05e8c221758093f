package change_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/verdict"
)

// record returns the journal's record of a receipt.
func (f *fixture) record(receipt string) *journal.Record {
	f.t.Helper()
	r, err := f.changer.Journal.Record(receipt)
	if err != nil || r == nil {
		f.t.Fatalf("%s is not in the journal: %v", receipt, err)
	}
	return r
}

// undo plans to undo a receipt.
func (f *fixture) undo(t *dynamo.Table, r change.Receipt) (*plan.Plan, error) {
	f.t.Helper()
	return planner.Undo(f.t.Context(), t.Connection(), f.record(r.ID))
}

// mustNot is like refused, but it ignores earlier writes.
func (f *fixture) mustNot(code string, p *plan.Plan, err error) string {
	f.t.Helper()
	sent := f.writes()
	f.sent = nil
	text := f.refused(code, p, err)
	for range sent {
		f.sent = append(f.sent, "TransactWriteItems")
	}
	return text
}

// plainly removes the versions of accounts from a dump.
func plainly(all map[string]map[string]string) map[string]map[string]string {
	for _, i := range all {
		delete(i, "rev")
	}
	return all
}

// An undo restores the items of a change. The undo of this undo makes the change again.
func TestUndo(t *testing.T) {
	t.Parallel()
	for _, tc := range changes() {
		t.Run(tc.name, func(t *testing.T) {
			f, table := versioned(t)
			if tc.begin != nil {
				tc.begin(f)
			}
			before := plainly(f.dump("odd"))
			p, err := tc.plan(t, f, table)
			done := f.apply(p, err)
			after := plainly(f.dump("odd"))
			back, err := f.undo(table, done)
			if tc.name == "recreate" {
				// An account holds the value, so the lock must not be released again.
				f.mustNot(plan.Held, back, err)
				return
			}
			undone := f.apply(back, err)
			if got := plainly(f.dump("odd")); !reflect.DeepEqual(got, before) {
				t.Errorf("taken back, the table is %v; want %v", got, before)
			}
			if r := f.record(done.ID); r.Undone != undone.ID || r.Outcome != journal.Applied {
				t.Errorf("the journal says it was taken back by %q; want %s", r.Undone, undone.ID)
			}
			again, err := f.undo(table, done)
			if text := f.mustNot(plan.NotUndone, again, err); !strings.Contains(text, undone.ID) {
				t.Errorf("a second time it says %q", text)
			}
			f.apply(f.undo(table, undone))
			if got := plainly(f.dump("odd")); !reflect.DeepEqual(got, after) {
				t.Errorf("done again, the table is %v; want %v", got, after)
			}
		})
	}
}

// An undo raises the version of an account, so the account never has a version twice.
func TestUndoRaisesTheVersion(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	done := f.apply(planner.ChangeValue(t.Context(), table, f.value(table, "email", "ada@x.io"), "new@x.io"))
	// The application writes another attribute, so the version differs, too.
	f.put("odd", more(user("ada", "new@x.io"), item{"rev": num("20"), "note": str("keep me")}))
	f.apply(f.undo(table, done))
	if now := f.get("odd", at(user("ada", ""))); text(now["rev"]) != "21" || text(now["email"]) != "ada@x.io" || text(now["note"]) != "keep me" {
		t.Errorf("the account is %v", now)
	}
}

// The items have changed since the change: the undo is refused.
func TestUndoIsRefusedWhenTheTableMovedOn(t *testing.T) {
	t.Parallel()
	ada := user("ada", "new@x.io")
	for name, tc := range map[string]struct {
		meddle func(*fixture)
		says   string
	}{
		"the value changed again": {set(ada, "email", "third@x.io"), "email of USER#ada / USER"},
		"the tenant changed":      {set(ada, "tenant", "globex"), "tenant of USER#ada / USER was changed"},
		"the account is gone":     {gone(ada), "USER#ada / USER was changed or deleted after this change"},
		"the new lock is gone":    {gone(ownedMail("new@x.io", "ada")), freshMail},
		"the old value was taken": {there(ownedMail("ada@x.io", "bob")), adaMail},
	} {
		t.Run(name, func(t *testing.T) {
			f, table := versioned(t)
			done := f.apply(planner.ChangeValue(t.Context(), table, f.value(table, "email", "ada@x.io"), "new@x.io"))
			planned, err := f.undo(table, done)
			if err != nil {
				t.Fatal(err)
			}
			tc.meddle(f)
			before := f.dump("odd")
			p, err := f.undo(table, done)
			if text := f.mustNot(plan.Changed, p, err); !strings.Contains(text, tc.says) {
				t.Errorf("it says %q", text)
			}
			// An undo that was planned earlier is refused, too.
			if r := f.changer.Apply(t.Context(), planned, nil); r.Outcome != journal.Refused {
				t.Errorf("the plan of before: %s", r.Outcome)
			}
			if after := f.dump("odd"); !reflect.DeepEqual(after, before) {
				t.Errorf("the table is %v, and was %v", after, before)
			}
		})
	}
}

// The clock was set back before the undo, so the undo looks older than its change. Pruning still keeps the undo as long
// as the change. Otherwise a person could undo the change twice.
func TestAnUndoIsForgottenWithItsChange(t *testing.T) {
	f := start(t)
	table := f.open("order_id")
	done := f.bump()
	f.later(-time.Hour)
	f.apply(f.undo(table, done))
	if n, err := f.changer.Journal.Prune(t.Context(), time.Now().Add(-time.Minute)); n != 0 || err != nil {
		t.Errorf("%d forgotten, %v", n, err)
	}
	f.bump() // the counter has the number of the first change again
	p, err := f.undo(table, done)
	f.mustNot(plan.NotUndone, p, err)
}

// An account without a lock now holds the value that the undo would bring back: the undo is refused.
func TestUndoTakesNoValueFromAnybody(t *testing.T) {
	t.Parallel()
	for name, planned := range map[string]func(*dynamo.Table, *verdict.Relation) (*plan.Plan, error){
		"value": func(table *dynamo.Table, rel *verdict.Relation) (*plan.Plan, error) {
			return planner.ChangeValue(t.Context(), table, rel, "new@x.io")
		},
		"account": func(table *dynamo.Table, rel *verdict.Relation) (*plan.Plan, error) {
			return planner.DeleteAccount(t.Context(), table, rel.Account.Key)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, table := versioned(t)
			done := f.apply(planned(table, f.value(table, "email", "ada@x.io")))
			f.put("odd", user("eve", "ada@x.io"))
			p, err := f.undo(table, done)
			if said := f.mustNot(plan.Held, p, err); !strings.Contains(said, "USER#eve") {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// A lock that was put for an account can be deleted by an undo after the account is gone. Each further undo puts or
// deletes the lock, whether locks name their owners or not.
func TestUndoOfARecreatedLock(t *testing.T) {
	t.Parallel()
	owned, table := versioned(t)
	owned.delete("odd", at(ownedMail("ada@x.io", "ada")))
	nameless := start(t)
	nameless.put("accounts", row("ACCT#new", "PROFILE", "email", "n@x.io", "username", "newcomer"))
	for _, tc := range []struct {
		*fixture
		table                *dynamo.Table
		constraint, v, where string
		account, lock        item
	}{
		{owned, table, "email", "ada@x.io", "odd", user("ada", "ada@x.io"), ownedMail("ada@x.io", "ada")},
		{nameless, nameless.open("accounts"), "username", "newcomer", "accounts", row("ACCT#new", "PROFILE"), handle("newcomer")},
	} {
		p, err := mend.Repair(t.Context(), tc.table, tc.value(tc.table, tc.constraint, tc.v))
		last := tc.apply(p, err)
		put := tc.get(tc.where, at(tc.lock))
		held, err := tc.undo(tc.table, last)
		tc.mustNot(plan.Held, held, err)
		tc.delete(tc.where, at(tc.account))
		for n := range 3 {
			last = tc.apply(tc.undo(tc.table, last))
			want := put
			if n%2 == 0 {
				want = nil
			}
			if got := tc.get(tc.where, at(tc.lock)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: after %d undos the lock is %v; want %v", tc.where, n+1, got, want)
			}
		}
	}
}

// undoes undoes a change, and checks that the table has its former items. Then it undoes the undo.
func (f *fixture) undoes(what string, table *dynamo.Table, done change.Receipt, before map[string]map[string]string) {
	f.t.Helper()
	after := f.dump(table.Name)
	back := f.apply(f.undo(table, done))
	if got := f.dump(table.Name); !reflect.DeepEqual(got, before) {
		f.t.Errorf("%s: the table is %v; want %v", what, got, before)
	}
	f.apply(f.undo(table, back))
	if got := f.dump(table.Name); !reflect.DeepEqual(got, after) {
		f.t.Errorf("%s, done again: the table is %v; want %v", what, got, after)
	}
}

func TestUndoOfAReplacedLock(t *testing.T) {
	for _, owner := range []string{"1", ""} { // in one transaction, and with a mark
		f, table := misspelt(t, owner)
		before := f.dump("odd")
		p, err := f.planReplace(table)
		done := f.apply(p, err)
		f.undoes("owner "+owner, table, done, before)
	}
}

// Only an applied change can be undone, and only in its own table.
func TestWhatCannotBeUndone(t *testing.T) {
	t.Parallel()
	f := start(t)
	table := f.open("order_id")
	f.before = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			return errCut
		}
		return nil
	}
	open := f.bump()
	p, err := f.undo(table, open)
	f.mustNot(plan.NotUndone, p, err)
	f.before = nil

	done := f.bump()
	for name, o := range map[string]func(*dynamo.Options){
		"another endpoint": func(o *dynamo.Options) { o.Endpoint = "http://127.0.0.1:1" },
	} {
		other := f.open("order_id", o)
		if p, err := f.undo(other, done); client.KindOf(err) != client.Usage {
			t.Errorf("%s: %v, %v; want it refused", name, p, err)
		}
	}
	f.remake("order_id", item{"id": num("0"), "order_number": num(done.After)})
	if p, err := f.undo(table, done); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "created again") {
		t.Errorf("the table is another: %v, %v", p, err)
	}
}

// remake deletes a table of counters, and creates it again with one item.
func (f *fixture) remake(table string, i item) {
	f.t.Helper()
	if _, err := f.App().DeleteTable(f.t.Context(), &dynamodb.DeleteTableInput{TableName: &table}); err != nil {
		f.t.Fatal(err)
	}
	if err := sdk.Fill(f.t.Context(), f.App(), sdk.Table(table, "id:N"), i); err != nil {
		f.t.Fatal(err)
	}
}

func TestUndoOfExpiry(t *testing.T) {
	later := item{"ttl": num("33333333333")}
	for name, of := range map[string]struct{ account, lock item }{
		"it had a time": {lock: later}, "it had none": {account: later}, "it had a text": {later, strs("ttl", "never")},
	} {
		f, table, key := expiring(t, of.account, of.lock)
		before := f.dump("odd")
		done := f.apply(f.planExpire(table, key))
		f.undoes(name, table, done, before)
	}
}

func TestUndoOfAConversion(t *testing.T) {
	f, c := holdingCounter(t, str(" 0041 "))
	done := f.apply(planner.Convert(t.Context(), c, nil))
	p, err := f.undo(c.Open(), done)
	if err != nil || p.Typed != "orders" {
		t.Fatalf("%+v, %v; want its name typed", p, err)
	}
	after := f.get("ours", item{"id": str("n")})
	back := f.apply(p, nil)
	if now := f.get("ours", item{"id": str("n")}); text(now["val"]) != " 0041 " || text(now["note"]) != "kept" {
		t.Errorf("it holds %v", now)
	}
	f.apply(f.undo(c.Open(), back))
	if now := f.get("ours", item{"id": str("n")}); !reflect.DeepEqual(now, after) {
		t.Errorf("done again, it holds %v; want %v", now, after)
	}
}
