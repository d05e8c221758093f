package change_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
)

// owners makes a table of locks that name their accounts with "userId". name returns the owner attribute for an
// account. wrong is the owner attribute in the lock of the account with the given id. If wrong is nil, this account has
// no lock.
func owners(t *testing.T, id string, name func(id string) item, wrong item) (*fixture, *dynamo.Table) {
	t.Helper()
	f := start(t)
	f.create("odd")
	for n := range 3 {
		other := fmt.Sprint(n + 1)
		mail := other + "@y.io"
		f.put("odd", row("ACCT#"+other, "PROFILE", "email", mail))
		f.put("odd", more(emailLock(mail), name(other)))
	}
	f.put("odd", row("ACCT#"+id, "PROFILE", "email", "a@x.io"))
	if wrong != nil {
		f.put("odd", more(emailLock("a@x.io"), wrong))
	}
	return f, f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "userId"}))
}

// A lock gets its owner with the type that the owners of other locks have. If the account's id cannot have this type,
// or would change its digits, the repair is refused, and nothing is sent.
func TestAnOwnerIsWrittenAsOtherLocksHaveIt(t *testing.T) {
	t.Parallel()
	number := func(id string) item { return item{"userId": num(id)} }
	text := func(id string) item { return item{"userId": str(id)} }
	for name, tc := range map[string]struct {
		id    string
		name  func(string) item
		wrong item // the lock's owner before the repair; nil if there is no lock
		want  item // the lock's owner afterwards; nil if the repair is refused
		says  string
	}{
		"a number":                            {"17", number, number("99"), number("17"), ""},
		"a number, of a lock that is missing": {"17", number, nil, number("17"), ""},
		"leading zeros":                       {"0017", number, number("99"), nil, `DynamoDB would change "0017" of ACCT#0017 / PROFILE to 17`},
		"leading zeros, and no lock":          {"0017", number, nil, nil, `DynamoDB would change "0017"`},
		"no number":                           {"ada", number, number("99"), nil, `"ada" of ACCT#ada / PROFILE is not a number`},
		"no number, and no lock":              {"ada", number, nil, nil, `"ada" of ACCT#ada / PROFILE is not a number`},
		"a number among texts":                {"0017", text, number("99"), text("0017"), ""},
		"a text among numbers":                {"17", number, text("99"), number("17"), ""},
		"a text, and no lock":                 {"0017", text, nil, text("0017"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, table := owners(t, tc.id, tc.name, tc.wrong)
			rel, writes := f.value(table, "email", "a@x.io"), f.writes()
			planned := planner.Give
			if tc.wrong == nil {
				planned = mend.Repair
			}
			p, err := planned(t.Context(), table, rel)
			if tc.want == nil {
				if said := f.mustNot(plan.Incomplete, p, err); !strings.Contains(said, tc.says) || f.writes() != writes {
					t.Errorf("it says %q, and %d were sent; want %q", said, f.writes()-writes, tc.says)
				}
				return
			}
			f.apply(p, err)
			if got := f.get("odd", emailLock("a@x.io"))["userId"]; fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", tc.want["userId"]) {
				t.Errorf("the lock names %#v; want %#v", got, tc.want["userId"])
			}
			// After the repair, everything is in order.
			p, err = planner.Give(t.Context(), table, f.value(table, "email", "a@x.io"))
			f.mustNot(plan.InOrder, p, err)
		})
	}
}

// A lock that is put expires when its account does, whether other locks expire or not, and never at the time of other
// locks.
func TestALockThatIsPutBackExpiresAsItsAccountDoes(t *testing.T) {
	t.Parallel()
	later := num("33333333333")
	for name, tc := range map[string]struct {
		account, others item
		want            string
	}{
		"no other does":             {item{"ttl": later}, nil, "33333333333"},
		"others do at another time": {item{"ttl": later}, item{"ttl": num("5")}, "33333333333"},
		"only others do":            {nil, item{"ttl": num("5")}, ""},
		"nobody does":               {nil, nil, ""},
		"it is no time":             {item{"ttl": str("tomorrow")}, item{"ttl": num("5")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, table, _ := expiring(t, nil, nil)
			for _, id := range []string{"b", "c", "d"} {
				f.put("odd", more(row("ACCT#"+id, "PROFILE", "email", id+"@x.io"), tc.others))
				f.put("odd", more(emailLock(id+"@x.io"), tc.others))
			}
			f.put("odd", more(row("ACCT#z", "PROFILE", "email", "z@x.io"), tc.account))
			f.apply(mend.Repair(t.Context(), table, f.value(table, "email", "z@x.io")))
			got := f.get("odd", emailLock("z@x.io"))["ttl"]
			if (got == nil) != (tc.want == "") || got != nil && text(got) != tc.want {
				t.Errorf("it expires %v; want %q", got, tc.want)
			}
		})
	}
}

// Everything was read, and an item in the table of the locks holds the value. The lock's owner then proves too little:
// the release reads every item again, and asks what this item is.
func TestAnOwnerIsNotBelievedAgainstAnItemThatHoldsTheValue(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.createTable("people", "id", "")
	f.createTable("taken", "key", "")
	for n := range 5 {
		id := fmt.Sprint("u", n)
		f.put("people", strs("id", id, "email", id+"@x.io"))
		f.put("taken", strs("key", "EMAIL#"+id+"@x.io", "by", id))
	}
	held := strs("key", "EMAIL#held@x.io", "by", "u98")
	f.put("taken", held)
	f.put("taken", strs("key", "card1", "contact", "held@x.io"))
	table := f.open("people", func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "mine", Tables: []string{"people"}, Accounts: []config.Account{{
			PK: "{id}", Constraints: []config.Constraint{{Attribute: "email", Table: "taken", PK: "EMAIL#{v}", Owner: "by"}},
		}}}}
	})
	r := f.changer.Apply(t.Context(), f.mustPlan(table, "email", "held@x.io"), nil)
	if r.Outcome != journal.Refused || codes(r.Reasons) != plan.Asked || !strings.Contains(r.Reasons[0].Text, "card1") {
		t.Errorf("%s %v; want it held by card1", r.Outcome, r.Reasons)
	}
	if f.get("taken", strs("key", "EMAIL#held@x.io")) == nil {
		t.Error("the lock of a value that an item holds is gone")
	}
}
