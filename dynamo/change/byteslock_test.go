package change_test

import (
	"reflect"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// tokens opens a table whose values are bytes. A lock has the value as its key. One lock has no account.
func (f *fixture) tokens(lost string) *dynamo.Table {
	f.t.Helper()
	users, locks := sdk.Table("users", "id:S"), sdk.Table("tokens", "token:B")
	var accounts, held []item
	for _, id := range []string{"1", "2", "3"} {
		accounts = append(accounts, item{"id": str(id), "token": sdk.B("\x00\xff" + id)})
		held = append(held, item{"token": sdk.B("\x00\xff" + id), "owner": str(id)})
	}
	held = append(held, item{"token": sdk.B(lost), "owner": str("9")})
	if err := sdk.Fill(f.t.Context(), f.App(), users, accounts...); err != nil {
		f.t.Fatal(err)
	}
	if err := sdk.Fill(f.t.Context(), f.App(), locks, held...); err != nil {
		f.t.Fatal(err)
	}
	return f.open("users", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"users"}, Accounts: []config.Account{{
			PK: "{id}",
			Constraints: []config.Constraint{
				{Attribute: "token", Table: "tokens", PK: "{v}", Owner: "owner", AlsoIn: &[]string{}},
			},
		}}}}
	})
}

// The journal cannot store a value that is invalid UTF-8 exactly. A release of its lock can still be undone, and
// finished after an interruption.
func TestALockOfBytes(t *testing.T) {
	t.Parallel()
	const lost = "\xde\xad\xbe\xef"
	f := start(t)
	table := f.tokens(lost)
	key := item{"token": sdk.B(lost)}
	want := f.get("tokens", key)
	released := f.apply(f.plan(table, "token", lost))
	if f.get("tokens", key) != nil {
		t.Fatal("the lock is still there")
	}
	f.apply(f.undo(table, released))
	if got := f.get("tokens", key); !reflect.DeepEqual(got, want) {
		t.Fatalf("the lock is %v; want %v", got, want)
	}
	f.killed(f.mustPlan(table, "token", lost), "wait")
	f.resolve(table, change.Finish, journal.Applied)
	if f.get("tokens", key) != nil {
		t.Error("the lock is still there")
	}
}
