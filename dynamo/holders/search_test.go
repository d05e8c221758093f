package holders_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// search searches the table "accounts" for the lock that keeps a value by the first constraint of the accounts.
func search(t *testing.T, value string, accounts ...config.Account) (*holders.Search, *verdict.Relation) {
	t.Helper()
	l, err := config.Layout{Name: "mine", Accounts: accounts}.Build()
	if err != nil {
		t.Fatal(err)
	}
	keys := attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}
	c := l.Constraints()[0]
	rel := &verdict.Relation{Constraint: c, Value: c.Normalised(value), Typed: value}
	rel.Lock.Table = "accounts"
	if rel.Lock.Key, err = c.LockKey(keys, rel.Value, nil); err != nil {
		t.Fatal(err)
	}
	view := schema.NewView(l, "accounts", map[string]attr.Schema{"accounts": keys})
	return holders.NewSearch(view, nil, func(string, string) {}, slices.Values([]*verdict.Relation{rel})), rel
}

// A search keeps the keys of the first claimants of a lock, and no items.
func TestASearchKeepsFewClaimants(t *testing.T) {
	scan, rel := search(t, "n/a", config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
		{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK"}, {Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"},
	}})
	reader := scan.Reader()
	for n := range 60_000 {
		id := fmt.Sprint("ACCT#", n)
		reader.See("accounts", attr.Item{
			"PK": attr.String(id), "SK": attr.String("PROFILE"), "email": attr.String("n/a"), "username": attr.String(id),
		})
	}
	reader.Close()
	first, more := scan.Of(rel).Claimants()
	if len(first) != 100 || more != 59_900 || first[0].Item != nil {
		t.Errorf("%d claimants and %d more; the first one is %+v", len(first), more, first[0])
	}
}

// An item that holds the value of an encoded lock in any spelling is found. An item with another value is not found,
// even if the two encoded values differ only in case.
func TestClaimsOfEncodedValues(t *testing.T) {
	for _, tc := range []struct {
		chain      []string
		lock, held string
		doubt      bool
	}{
		{[]string{"base64"}, "ada", "ADA", true},
		{[]string{"base64"}, "Ada", "ada", true},
		{[]string{"base64"}, "ada", "adG", false}, // the encoded values YWRh and YWRH differ only in case
		{[]string{"base64"}, "ada", "YWRh", true}, // the item holds the encoded value
		{[]string{"lower", "base64"}, "ada", "ADA", true},
		{[]string{"percent"}, "a@x", "A@x ", true},
		{[]string{"percent"}, "a@x", "a%40x", true},
		{[]string{"base64", "lower"}, "ada", "ada", true},
		{[]string{"sha256", "base64"}, "ada", "ada", true},
		{[]string{"percent"}, "a@x", "b@x", false},
		{[]string{"dynamoflow"}, "a#b", "A#B ", true},
		{[]string{"dynamoflow"}, "a#b", `a\#b`, true},
		{[]string{"dynamoflow"}, strings.Repeat("x", 110), strings.Repeat("X", 120), true}, // both have the same lock key
		{[]string{"dynamoflow"}, "a#b", "a#c", false},
	} {
		scan, rel := search(t, tc.lock, config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Attribute: "email", PK: "UNIQ#EMAIL#{v}", SK: "LOCK", Normalise: tc.chain},
		}})
		reader := scan.Reader()
		reader.See("accounts", attr.Item{"PK": attr.String("INVITE#1"), "SK": attr.String("META"), "to": attr.String(tc.held)})
		reader.Close()
		claimants, _ := scan.Of(rel).Claimants()
		if doubt := scan.Of(rel).Holders().Keeps(); (doubt != "") != tc.doubt || len(claimants) > 0 {
			t.Errorf("%v: the lock of %q, and an item with %q: %q", tc.chain, tc.lock, tc.held, doubt)
		}
	}
}

// An account that claims a lock is found by the exact lock key, even if none of its texts is like the value in any
// spelling. There are two cases: combining marks change how a letter folds, or two constraints with the same lock keys
// normalise values differently.
func TestAClaimIsFoundByItsKey(t *testing.T) {
	for name, tc := range map[string]struct {
		mine, theirs []string // the normalisers of the searched constraint, and of the account's constraint
		held, locked string
	}{
		"the same, with marks that do not fold":  {[]string{"lower"}, nil, "\u03aa\u0301", "\u03ca\u0301"},
		"the other constraint hashes its values": {nil, []string{"sha256"}, "ada", ""},
	} {
		t.Run(name, func(t *testing.T) {
			attribute := "email"
			accounts := []config.Account{{Model: "user", PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
				{Name: "email", Attribute: attribute, PK: "UNIQ#{v}", SK: "LOCK", Normalise: tc.mine, Shared: len(tc.theirs) > 0},
			}}}
			if len(tc.theirs) > 0 {
				attribute = "handle"
				tc.locked = layout.Normalise([]layout.Normaliser{layout.SHA256}, tc.held)
				accounts = append(accounts, config.Account{Model: "member", PK: "MEMBER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
					{Name: "handle", Attribute: attribute, PK: "UNIQ#{v}", SK: "LOCK", Normalise: tc.theirs, Shared: true},
				}})
			}
			owner := "USER#1"
			if attribute == "handle" {
				owner = "MEMBER#1"
			}
			scan, rel := search(t, tc.locked, accounts...)
			reader := scan.Reader()
			reader.See("accounts", attr.Item{"PK": attr.String(owner), "SK": attr.String("PROFILE"), attribute: attr.String(tc.held)})
			reader.Close()
			if got, _ := scan.Of(rel).Claimants(); len(got) != 1 || got[0].Key.Hash.Value.Text != owner {
				t.Errorf("claimants of %q: %+v; want %s", tc.locked, got, owner)
			}
		})
	}
}

// A malformed lock with the value in an attribute is a holder of the value. It is not an account, so it is not a
// claimant.
func TestAMalformedLockClaimsNothing(t *testing.T) {
	scan, rel := search(t, "ada", config.Account{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{
		{Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK"},
	}})
	reader := scan.Reader()
	reader.See("accounts", attr.Item{
		"PK": attr.String("UNIQ#undefined"), "SK": attr.String("LOCK"), "email": attr.String("ada"),
	})
	reader.Close()
	found := scan.Of(rel)
	if first, more := found.Claimants(); len(first) != 0 || more != 0 {
		t.Errorf("claimants %+v and %d more", first, more)
	}
	if all := found.Holders().All; len(all) != 1 || all[0].Attribute != "email" {
		t.Errorf("holders %+v", all)
	}
}

// An item with the lock's whole key holds the value, even if the template has no separator beside the value.
func TestTheWholeKeyOfALockHoldsItsValue(t *testing.T) {
	for _, tc := range []struct {
		pk, sk, held string
		holds        bool
	}{
		{"UNIQ#{v}", "LOCK", "UNIQ#ada", true},
		{"{v}@x.io", "LOCK", "ada@x.io", true},
		{"{v}@x.io", "LOCK", "by ADA@x.io, 2026", true},
		{"UNIQ#{v}@x.io", "LOCK", "UNIQ#ada@x.io", true},
		{"UNIQ", "user-{v}", "user-ada", true},
		{"UNIQ#x{v}x", "LOCK", "UNIQ#xadax", true},
		{"UNIQ#x{v}x", "LOCK", "UNIQ#xadamx", false},
		{"{v}@x.io", "LOCK", "bob@x.io", false},
		{"{v}@x.io", "LOCK", "ada@x.iota", false},
		{"{v}", "of-adam", "of-adam", false}, // the sort key is the same in all locks
	} {
		scan, rel := search(t, "ada", config.Account{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
			{Attribute: "name", PK: tc.pk, SK: tc.sk},
		}})
		reader := scan.Reader()
		reader.See("accounts", attr.Item{"PK": rel.Lock.Key.Hash.Value, "SK": rel.Lock.Key.Range.Value})
		reader.See("accounts", attr.Item{"PK": attr.String("JOB#1"), "SK": attr.String("META"), "lock": attr.String(tc.held)})
		reader.Close()
		all := scan.Of(rel).Holders().All
		if holds := len(all) > 0; holds != tc.holds || holds && all[0].Attribute != "lock" {
			t.Errorf("%s / %s: an item with %q holds the value: %+v", tc.pk, tc.sk, tc.held, all)
		}
	}
}
