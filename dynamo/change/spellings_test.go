package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout/config"
)

// A lock without an account and an account without a lock are one finding if they have two spellings of one value. Its
// repair replaces the lock. Findings that wait for an answer stay.
func TestFindingsOfOtherSpellingsAreMended(t *testing.T) {
	t.Parallel()
	account := func(id, email string) item { return row("ACCT#"+id, "PROFILE", "email", email) }
	ada, lock := account("a", "Ada@x.io"), emailLock("ada@x.io")
	owned := func(id string) item { return more(lock, strs("userId", "ACCT#"+id)) }
	for name, of := range map[string]struct {
		owner  string // the layout's owner
		broken []item
		found  []string
		left   string
	}{
		"no owner":           {"", []item{ada, lock}, []string{"unnormalised-value Ada@x.io"}, ""},
		"its own":            {"userId", []item{ada, owned("a")}, []string{"unnormalised-value Ada@x.io"}, ""},
		"of another account": {"userId", []item{ada, owned("1")}, []string{"unnormalised-value Ada@x.io"}, ""},
		"of nobody":          {"userId", []item{ada, owned("gone")}, []string{"unnormalised-value Ada@x.io"}, ""},
		"of the first of two accounts": {
			"userId",
			[]item{ada, account("b", "ADA@x.io"), owned("a")},
			[]string{"missing-lock ADA@x.io", "unnormalised-value Ada@x.io"},
			"missing-lock Asked, unnormalised-value Asked",
		},
		"of the second of two accounts": {
			"userId",
			[]item{ada, account("b", "ADA@x.io"), owned("b")},
			[]string{"missing-lock Ada@x.io", "unnormalised-value ADA@x.io"},
			"missing-lock Asked, unnormalised-value Asked",
		},
		"two locks": {
			"",
			[]item{ada, lock, emailLock("ADA@x.io")},
			[]string{"orphaned-lock ada@x.io", "unnormalised-value Ada@x.io"},
			"orphaned-lock Asked",
		},
		"two values of one account": {
			"",
			[]item{more(ada, item{"email": &types.AttributeValueMemberSS{Value: []string{"Ada@x.io", "ADA@x.io"}}}), lock},
			[]string{"missing-lock Ada@x.io", "unnormalised-value ADA@x.io"},
			"missing-lock Asked",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.create("odd")
			f.put("odd", of.broken...)
			for n := range 30 {
				id := fmt.Sprint(n)
				v := "Name" + id + "@x.io"
				f.put("odd", account(id, v), more(emailLock(v), strs("userId", "ACCT#"+id)))
			}
			table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: of.owner}))
			var found []string
			all := f.checked(table)
			for _, one := range all {
				found = append(found, string(one.Kind)+" "+one.Value)
			}
			if slices.Sort(found); !slices.Equal(found, of.found) {
				t.Errorf("found %v, want %v", found, of.found)
			}
			mends, err := f.changer.PlanMends(t.Context(), table, all...)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, m := range mends {
				if m.Plan == nil {
					left = append(left, string(m.Finding.Kind)+" "+codes(m.Refused))
					continue
				}
				f.apply(m.Plan, nil)
			}
			if slices.Sort(left); strings.Join(left, ", ") != of.left {
				t.Errorf("left %v, want %s", left, of.left)
			}
			if got := f.get("odd", emailLock("Ada@x.io")); of.left == "" && of.owner != "" && text(got["userId"]) != "ACCT#a" {
				t.Errorf("the lock is %v", texts(got))
			}
			if now := f.checked(table); len(now) != len(left) {
				t.Errorf("a check finds %v", kinds(now))
			}
		})
	}
}

// If few locks name the account that holds their value, the layout's owner attribute may be wrong. So the value has to
// be typed before a misspelt lock that names another account is replaced.
func TestAMisspeltLockIsReplacedUnaskedOnlyIfOwnersAreRight(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("odd")
	f.put("odd", row("ACCT#root", "PROFILE"), row("ACCT#a", "PROFILE", "email", "Ada@x.io"),
		more(emailLock("ada@x.io"), strs("madeBy", "ACCT#root")))
	for n := range 30 {
		v := fmt.Sprint(n, "@x.io")
		f.put("odd", row("ACCT#"+fmt.Sprint(n), "PROFILE", "email", v), more(emailLock(v), strs("madeBy", "ACCT#root")))
	}
	table := f.open("odd", configured(config.Constraint{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Owner: "madeBy"}))
	found := slices.DeleteFunc(f.checkedAnyhow(table), func(one finding.Finding) bool { return one.Kind != finding.UnnormalisedLock })
	if len(found) != 1 {
		t.Fatalf("found %v", kinds(found))
	}
	p, err := f.changer.PlanMend(t.Context(), table, found[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Typed != "Ada@x.io" || !strings.Contains(lines(p, "note"), "owner attribute may be wrong") {
		t.Errorf("typed %q, and noted %q", p.Typed, lines(p, "note"))
	}
}
