package change_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// expiring makes a table whose items expire by "ttl", with two accounts and their
// locks.
func expiring(t *testing.T, account, lock item) (*fixture, *dynamo.Table, attr.Key) {
	t.Helper()
	f := start(t)
	f.create("odd")
	if err := sdk.Expire(t.Context(), f.App(), "odd", "ttl"); err != nil {
		t.Fatal(err)
	}
	f.put("odd", more(row("ACCT#1", "PROFILE", "email", "a@x.io"), account))
	f.put("odd", more(row("UNIQ#EMAIL#a@x.io", "LOCK", "note", "kept"), lock))
	f.put("odd", more(row("ACCT#2", "PROFILE", "email", "b@x.io"), item{"ttl": num("5")}))
	f.put("odd", more(emailLock("b@x.io"), item{"ttl": num("5")}))
	table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}))
	return f, table, f.value(table, "email", "a@x.io").Account.Key
}

// planExpire plans the repair of an expiring account, as after a check.
func (f *fixture) planExpire(t *dynamo.Table, account attr.Key) (*plan.Plan, error) {
	f.t.Helper()
	return f.changer.PlanMend(f.t.Context(), t, finding.Finding{Kind: finding.ExpiringAccount, Table: t.Name, TableID: t.ID, Accounts: []attr.Item{account.Item()}}, nil)
}

func TestLocksExpireAsTheirAccountDoes(t *testing.T) {
	t.Parallel()
	later := num("33333333333")
	for name, tc := range map[string]struct {
		account, lock item
		want          types.AttributeValue
		code          string
	}{
		"the lock never does":          {account: item{"ttl": later}, want: later},
		"the lock's is no number":      {account: item{"ttl": later}, lock: strs("ttl", "never"), want: later},
		"the lock does earlier":        {account: item{"ttl": later}, lock: item{"ttl": num("1")}, code: plan.InOrder}, // no finding
		"the account never does":       {lock: item{"ttl": num("1")}},
		"both do":                      {account: item{"ttl": later}, lock: item{"ttl": later}, code: plan.InOrder},
		"neither does":                 {code: plan.InOrder},
		"the account's is no number":   {account: item{"ttl": str("tomorrow")}, code: plan.NotANumber},
		"the lock names somebody else": {account: item{"ttl": later}, lock: strs("userId", "2"), code: plan.InOrder},
		"the account is past its time": {account: item{"ttl": num("7")}, want: num("7")},
	} {
		t.Run(name, func(t *testing.T) {
			f, table, key := expiring(t, tc.account, tc.lock)
			before := f.dump("odd")
			p, err := f.planExpire(table, key)
			if tc.code != "" {
				f.refused(tc.code, p, err)
				return
			}
			f.apply(p, err)
			want := maps.Clone(before["UNIQ#EMAIL#a@x.io/LOCK"])
			delete(want, "ttl")
			if tc.want != nil {
				want["ttl"] = text(tc.want)
			}
			after := f.dump("odd")
			if !maps.Equal(after["UNIQ#EMAIL#a@x.io/LOCK"], want) || !maps.Equal(after["ACCT#1/PROFILE"], before["ACCT#1/PROFILE"]) {
				t.Errorf("the table is %v, and was %v", after, before)
			}
			if ends := p.Title == "Stop the expiry of locks"; ends != (tc.want == nil) {
				t.Errorf("the title is %q", p.Title)
			}
			if past := strings.Contains(p.Sentence, "which is in the past"); past != (name == "the account is past its time") {
				t.Errorf("it says %q", p.Sentence)
			}
		})
	}
}

// The locks of an adopted constraint get no TTL: its writers do not keep a TTL up to date.
func TestAdoptedLocksGetNoTTL(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]item{
		"the lock of a backfill":         strs(schema.AdoptAttribute, "run", "userId", "1"),
		"the lock of a printed writer":   strs("userId", "1"),
		"the missing lock of an account": nil,
	} {
		f, _, _ := expiring(t, item{"ttl": num("33333333333")}, lock)
		f.put("odd", row("ACCT#3", "PROFILE", "email", "c@x.io"), more(emailLock("c@x.io"), strs("userId", "3", schema.AdoptAttribute, "run")))
		if lock == nil {
			f.delete("odd", row("UNIQ#EMAIL#a@x.io", "LOCK"))
		}
		table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}))
		rel := f.value(table, "email", "a@x.io")
		if lock == nil {
			p, err := mend.Repair(t.Context(), table, rel)
			f.apply(p, err)
			if got := f.get("odd", row("UNIQ#EMAIL#a@x.io", "LOCK")); got["ttl"] != nil || text(got["userId"]) != "1" {
				t.Errorf("%s is %v", name, got)
			}
			continue
		}
		p, err := f.planExpire(table, rel.Account.Key)
		f.refused(plan.ByHand, p, err)
	}
}

func TestExpiryIsRefusedWhenItsFactsChange(t *testing.T) {
	t.Parallel()
	account, lock := more(row("ACCT#1", "PROFILE", "email", "a@x.io"), item{"ttl": num("9")}), row("UNIQ#EMAIL#a@x.io", "LOCK", "note", "kept")
	for want, meddle := range map[string]func(*fixture){
		"ttl is now 10, and was 9":             there(more(account, item{"ttl": num("10")})),
		"email is now c@x.io, and was a@x.io":  set(account, "email", "c@x.io"),
		"ttl is now 1, and was missing":        there(more(lock, item{"ttl": num("1")})),
		"note is gone":                         unset(lock, "note"),
		"UNIQ#EMAIL#a@x.io / LOCK was deleted": gone(lock),
		"ACCT#1 / PROFILE was deleted":         gone(account),
	} {
		f, table, key := expiring(t, item{"ttl": num("9")}, nil)
		p, err := f.planExpire(table, key)
		if err != nil {
			t.Fatal(err)
		}
		meddle(f)
		r := f.changer.Apply(t.Context(), p, nil)
		if r.Outcome != journal.Refused || len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0].Text, want) {
			t.Errorf("%s: %s %v %v", want, r.Outcome, r.Reasons, r.Err)
		}
	}
}

func TestNothingExpiresWhereTheTableHasNoTimeToLive(t *testing.T) {
	t.Parallel()
	f, table := versioned(t)
	p, err := f.planExpire(table, f.value(table, "email", "ada@x.io").Account.Key)
	f.refused(plan.Absent, p, err)
}

// A lock that is put expires with its account, if other locks expire with their accounts.
func TestAPutLockExpiresWithItsAccount(t *testing.T) {
	f, _, _ := expiring(t, item{"ttl": num("9")}, nil)
	for _, id := range []string{"3", "4", "5", "6", "7"} {
		f.put("odd", more(row("ACCT#"+id, "PROFILE", "email", id+"@x.io"), item{"ttl": num("6")}))
		f.put("odd", more(emailLock(id+"@x.io"), item{"ttl": num("6")}))
	}
	table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}))
	f.delete("odd", emailLock("a@x.io"))
	p, err := mend.Repair(t.Context(), table, f.value(table, "email", "a@x.io"))
	f.apply(p, err)
	if got := f.get("odd", emailLock("a@x.io")); text(got["ttl"]) != "9" || len(got) != 3 {
		t.Errorf("the lock is %v", got)
	}
}

// The TTL attribute of the table is read once for all findings, even if this read is denied.
func TestWhatExpiresIsAskedOnce(t *testing.T) {
	t.Parallel()
	for _, denied := range []bool{false, true} {
		f, table, _ := expiring(t, item{"ttl": num("9")}, nil)
		var findings []finding.Finding
		for _, id := range []string{"1", "2"} {
			key := f.value(table, "email", map[string]string{"1": "a@x.io", "2": "b@x.io"}[id]).Account.Key
			findings = append(findings, finding.Finding{Kind: finding.ExpiringAccount, Table: table.Name, TableID: table.ID, Accounts: []attr.Item{key.Item()}})
		}
		asked := 0
		f.before = func(operation string, _ []byte) error {
			if operation != "DescribeTimeToLive" {
				return nil
			}
			if asked++; denied {
				return &smithy.GenericAPIError{Code: "AccessDeniedException", Fault: smithy.FaultClient}
			}
			return nil
		}
		_, err := f.changer.PlanMends(t.Context(), table, findings...)
		if asked != 1 || (client.KindOf(err) == client.Denied) != denied {
			t.Errorf("denied %v: it was asked %d times: %v", denied, asked, err)
		}
	}
}
