package change_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// If the table is too large to be read unasked, the plan says that another account may hold the value. If an index
// shows another account, the repair is refused.
func TestWhoElseHoldsAValueIsSaidOrFound(t *testing.T) {
	t.Parallel()
	for name, indexed := range map[string]bool{"no index": false, "an index": true} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			con := config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}
			if indexed {
				f.create("odd", "email")
				con.Index = "email-index"
			} else {
				f.create("odd")
			}
			f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io"))
			f.put("odd", row("ACCT#2", "PROFILE", "email", "a@x.io"))
			table := f.open("odd", configured(con), func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })
			rel := f.value(table, "email", "a@x.io")
			rel.Claimants, rel.Verdict = rel.Claimants[:1], verdict.Missing // a screen may have read only one claimant
			p, err := mend.Repair(t.Context(), table, rel)
			if indexed {
				f.refused(plan.Duplicate, p, err)
				return
			}
			if err != nil || !strings.Contains(lines(p, "not known"), `another account that holds "a@x.io", too`) {
				t.Errorf("%v, %v", p, err)
			}
		})
	}
}

// A missing lock gets the attributes that five held locks of different accounts share, and no attributes of single
// accounts. The plan says which attributes it leaves out.
func TestWhatHeldLocksShareIsPut(t *testing.T) {
	t.Parallel()
	shared := item{
		"kind": str("unique"), "version": num("1"), "active": &types.AttributeValueMemberBOOL{Value: true},
		"importedAt": str("2026-03-01T10:00:00Z"), "batch": str("0d7c4b6e-8f0a-4a53-9a53-6f1f6f4f2c11"), "tenant": str("acme"),
		"heldFor": str("ACCT#z"), "ownerName": str("Ops"), "createdBy": str("root"), "series": num("40231"), "ttl": num("33333333333"), "contact": str("root@x.io"),
		"detail": mapOf("userId", str("u")), schema.MarkAttribute: str("a mark"), "tallylock_other": str("a"),
		"aws:rep:deleting": &types.AttributeValueMemberBOOL{Value: false},
	}
	const individual = "batch, contact, createdBy, detail, heldFor, importedAt, madeFor, note, ownerName, series, tenant, ttl"
	for name, of := range map[string]struct {
		held, orphans int
		owner         string // the owner attribute of the layout
		sameAccount   bool
		want, leftOut string
	}{
		"five":                     {held: 5, want: "active email kind version", leftOut: individual},
		"five, and orphans":        {held: 5, orphans: 30, want: "active email kind version", leftOut: individual},
		"five, with an owner":      {held: 5, owner: "madeFor", want: "active email kind madeFor version", leftOut: "batch, contact"},
		"four":                     {held: 4, leftOut: "active, batch, contact"},
		"four, and orphans":        {held: 4, orphans: 30, leftOut: "active, batch, contact"},
		"four, with an owner":      {held: 4, owner: "madeFor", want: "madeFor", leftOut: "active, batch, contact"},
		"none":                     {leftOut: "everything"},
		"five, but of one account": {held: 5, sameAccount: true, leftOut: "active, batch, contact"},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			f.put("odd", row("ACCT#a", "PROFILE", "email", "a@x.io"))
			lock := func(v, id string) item {
				return more(shared, row("UNIQ#EMAIL#"+v, "LOCK", "email", v, "madeFor", "ACCT#"+id, "note", "of "+id))
			}
			var addresses []string
			for n := range of.held {
				id := fmt.Sprint(n)
				v := id + "@x.io"
				addresses = append(addresses, v)
				f.put("odd", lock(v, id))
				if !of.sameAccount {
					f.put("odd", row("ACCT#"+id, "PROFILE", "email", v))
				}
			}
			if of.sameAccount {
				f.put("odd", more(row("ACCT#0", "PROFILE"), item{"email": &types.AttributeValueMemberSS{Value: addresses}}))
			}
			for n := range of.orphans {
				f.put("odd", more(lock(fmt.Sprint("gone", n, "@x.io"), "gone"), strs("kind", "old")))
			}
			table := f.open("odd", configured(config.Constraint{
				Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: of.owner,
			}))
			p, err := mend.Repair(t.Context(), table, f.value(table, "email", "a@x.io"))
			f.apply(p, err)
			got := f.get("odd", emailLock("a@x.io"))
			var names []string
			for _, name := range slices.Sorted(maps.Keys(got)) {
				if name != "PK" && name != "SK" {
					names = append(names, name)
				}
			}
			if strings.Join(names, " ") != of.want {
				t.Errorf("the lock has %v; want %s", names, of.want)
			}
			if of.owner != "" && text(got["madeFor"]) != "ACCT#a" || of.held >= 5 && !of.sameAccount && text(got["email"]) != "a@x.io" {
				t.Errorf("the lock is %v", texts(got))
			}
			said := lines(p, "left out")
			if few := strings.Contains(said, "fewer than 5"); !strings.HasPrefix(said, of.leftOut) || few != (of.held < 5 || of.sameAccount) {
				t.Errorf("left out: %q", said)
			}
		})
	}
}

// An item with the key of a lock is not deleted if it is no lock.
func TestAnItemThatIsNoLockStays(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#1", "PROFILE", "email", "a@x.io"))
	f.put("odd", row("UNIQ#EMAIL#a@x.io", "LOCK", "kind", "invitation"))
	table := f.open("odd", configured(config.Constraint{
		Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Is: &config.Discriminator{Attribute: "kind", Value: "lock"},
	}))
	p, err := planner.DeleteAccount(t.Context(), table, f.value(table, "email", "a@x.io").Account.Key)
	f.apply(p, err)
	if f.get("odd", emailLock("a@x.io")) == nil || f.get("odd", row("ACCT#1", "PROFILE")) != nil {
		t.Error("the account must be gone, and what is no lock be there")
	}
	if said := lines(p, "stays"); !strings.Contains(said, `its kind is not "lock"`) {
		t.Errorf("it says %q", said)
	}
}

// An item with the key of a lock is no lock if it lacks the attribute of "is". It is never released, and no lock replaces
// it. Here it is another account.
func TestAnItemThatIsNoLockIsNotReleased(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	for n := range 12 {
		f.put("odd", row(fmt.Sprint("USER#", n), "A", "kind", "user", "name", fmt.Sprint("n", n)), row(fmt.Sprint("USER#n", n), "A", "kind", "lock"))
	}
	f.put("odd", row("USER#zed", "A", "kind", "user", "name", "z"), row("USER#z", "A", "kind", "lock"), row("USER#12", "A", "kind", "user", "name", "3"))
	is := func(value string) *config.Discriminator {
		return &config.Discriminator{Attribute: "kind", Value: value}
	}
	table := f.describedAs("odd", config.Layout{Name: "odd", Accounts: []config.Account{{
		PK: "USER#{id}", SK: "A", Is: is("user"),
		Constraints: []config.Constraint{{Attribute: "name", PK: "USER#{v}", SK: "A", Is: is("lock")}},
	}}})
	p, err := f.plan(table, "name", "zed")
	if said := f.refused(plan.Absent, p, err); !strings.Contains(said, `its kind is not "lock"`) {
		t.Errorf("the release says %q", said)
	}
	missing := f.value(table, "name", "3")
	if missing.Verdict != verdict.Missing || missing.Lock.Exists {
		t.Errorf("the account lacks a lock: %s, %+v", missing.Verdict, missing.Lock)
	}
	p, err = mend.Repair(t.Context(), table, missing)
	f.refused(plan.Held, p, err)
	answer, err := find.Find(t.Context(), table, "zed", find.Options{Scan: true})
	if err != nil || len(answer.Locks) != 1 || answer.Locks[0].Verdict != verdict.Unknown {
		t.Errorf("%+v %v", answer, err)
	}
	if f.writes() != 0 {
		t.Error("something was written")
	}
}

// All locks in the sample of a table may belong to one tenant. An attribute with the name of this tenant is not put
// into the lock of another tenant.
func TestAPutLockNamesNoOtherTenant(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	lock := func(tenant, v string) item { return row("T#"+tenant+"#EMAIL#"+v, "LOCK") }
	for n := range 6 {
		v := fmt.Sprint(n, "@acme.io")
		f.put("odd", row("ACCT#"+fmt.Sprint(n), "PROFILE", "email", v, "tenant", "acme"),
			more(lock("acme", v), strs("GSI1PK", "TENANT#acme", "GSI1SK", "TENANT#acme#"+v, "kind", "unique", "text", v)))
	}
	f.put("odd", row("ACCT#z", "PROFILE", "email", "z@x.io", "tenant", "zeta"))
	table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "T#{tenant}#EMAIL#{v}", SK: "LOCK"}))
	p, err := mend.Repair(t.Context(), table, f.value(table, "email", "z@x.io"))
	f.apply(p, err)
	want := texts(more(lock("zeta", "z@x.io"), strs("kind", "unique", "text", "z@x.io")))
	if got := texts(f.get("odd", lock("zeta", "z@x.io"))); !maps.Equal(got, want) {
		t.Errorf("the lock is %v; want %v", got, want)
	}
	if said := lines(p, "left out"); !strings.HasPrefix(said, "GSI1PK, GSI1SK") {
		t.Errorf("left out: %q", said)
	}
}
