package schema_test

import (
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// row is an item with the keys PK and SK and more attributes of text, as name and text.
func row(pk, sk string, more ...string) attr.Item {
	item := attr.Item{"PK": attr.String(pk), "SK": attr.String(sk)}
	for n := 0; n < len(more); n += 2 {
		item[more[n]] = attr.String(more[n+1])
	}
	return item
}

var keys = attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}

// shop binds a layout to the table "shop": users and teams have the same lock keys for their handles, the lock keys of
// e-mails contain the tenant, and the locks of names are in the table "names".
func shop(t *testing.T) *schema.View {
	t.Helper()
	handle := config.Constraint{Name: "handle", Attribute: "handle", PK: "HANDLE#{v}", SK: "LOCK", Owner: "by"}
	email := config.Constraint{Attribute: "email", PK: "TENANT#{tenant}#EMAIL#{v}", SK: "LOCK", Normalise: []string{"lower"}, Owner: "by"}
	name := config.Constraint{Attribute: "name", Table: "names", PK: "{v}", SK: "NAME"}
	team := handle
	team.Name = "team"
	l, err := config.Layout{Name: "mine", Accounts: []config.Account{
		{Model: "user", PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{handle, email, name}},
		{Model: "team", PK: "TEAM#{id}", SK: "PROFILE", Constraints: []config.Constraint{team}},
	}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return schema.NewView(l, "shop", map[string]attr.Schema{"shop": keys, "names": keys})
}

func TestClassify(t *testing.T) {
	t.Parallel()
	v := shop(t)
	for _, tc := range []struct {
		table string
		item  attr.Item
		want  string
	}{
		{"shop", row("USER#1", "PROFILE", "handle", "ada"), "user 1"},
		{"shop", row("TEAM#1", "PROFILE"), "team 1"},
		{"shop", row("HANDLE#ada", "LOCK"), "lock of ada"},
		{"shop", row("TENANT#acme#EMAIL#ada@x.io", "LOCK"), "lock of ada@x.io"},
		{"shop", row("HANDLE#", "LOCK"), "malformed lock of "},
		{"shop", row("TENANT##EMAIL#ada@x.io", "LOCK"), "malformed lock of "},
		{"shop", row("HANDLE#undefined", "LOCK"), "malformed lock of undefined"},
		{"shop", row("ORDER#1", "META"), ""},
		{"shop", row("ada", "NAME"), ""}, // locks of names are in the other table
		{"names", row("ada", "NAME"), "lock of ada"},
		{"names", row("USER#1", "PROFILE"), ""},
		{"shop", attr.Item{"PK": attr.String("USER#1")}, ""},
	} {
		role, got := v.Classify(tc.table, tc.item), ""
		switch {
		case role.Constraint != nil && role.Malformed:
			got = "malformed lock of " + role.Value
		case role.Constraint != nil:
			got = "lock of " + role.Value
		case role.Account != nil:
			got = role.Account.Model + " " + role.ID
		}
		if got != tc.want {
			t.Errorf("%s: %v is %q, want %q", tc.table, tc.item, got, tc.want)
		}
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	v := shop(t)
	for _, tc := range []struct {
		item attr.Item
		want string
	}{
		{row("USER#1", "PROFILE", "handle", "Ada"), "shop HANDLE#Ada"},
		{row("USER#1", "PROFILE", "email", "Ada@X.io", "tenant", "acme"), "shop TENANT#acme#EMAIL#ada@x.io"},
		{row("USER#1", "PROFILE", "email", "ada@x.io"), "no lock"}, // its tenant is unknown
		{row("USER#1", "PROFILE", "name", "ada"), "names ada"},
		{row("USER#1", "PROFILE"), ""},
		{row("TEAM#1", "PROFILE", "handle", "ada", "name", "ada"), "shop HANDLE#ada"},
		{row("ORDER#1", "META", "handle", "ada"), ""},
		{nil, ""},
	} {
		var got []string
		for _, c := range v.ClaimsOf(tc.item) {
			lock := schema.Lock{Table: v.LockTable(c.Constraint), Key: c.Key}
			switch {
			case c.Err != nil:
				got = append(got, "no lock")
			case !v.Claims(tc.item, lock):
				t.Errorf("%v does not claim the lock %s that it claims", tc.item, lock.Key)
			default:
				got = append(got, lock.Table+" "+lock.Key.Hash.Value.Text)
				if lock.Table = "another"; v.Claims(tc.item, lock) {
					t.Errorf("%v claims a lock of another table", tc.item)
				}
			}
		}
		if got := strings.Join(got, ", "); got != tc.want {
			t.Errorf("%v claims %q, want %q", tc.item, got, tc.want)
		}
	}
}

// A lock of a handle may name a user or a team.
func TestOwnerKeys(t *testing.T) {
	t.Parallel()
	v := shop(t)
	user, team := row("USER#7", "PROFILE"), row("TEAM#7", "PROFILE")
	for _, tc := range []struct {
		constraint string
		lock       attr.Item
		keys       string
		names      string
	}{
		{"handle", row("HANDLE#ada", "LOCK", "by", "7"), "USER#7 TEAM#7", "user team"},
		{"handle", row("HANDLE#ada", "LOCK", "by", "TEAM#7"), "TEAM#7", "team"},
		{"handle", row("HANDLE#ada", "LOCK", "by", "8"), "USER#8 TEAM#8", ""},
		{"handle", row("HANDLE#ada", "LOCK"), "", ""},
		{"email", row("TENANT#acme#EMAIL#a@x.io", "LOCK", "by", "7"), "USER#7", "user"},
	} {
		_, c := v.Layout.Constraint(tc.constraint)
		key, _ := keys.KeyOf(tc.lock)
		lock := schema.LockOf(c, "shop", key, tc.lock)
		var got, names []string
		for _, k := range v.OwnerKeys(c, lock) {
			got = append(got, k.Hash.Value.Text)
		}
		for _, item := range []attr.Item{user, team} {
			if kind, a := v.AccountOf(item); slices.Contains(v.KindsOf(c), kind) && v.Names(c, lock, a) {
				names = append(names, kind.Model)
			}
		}
		if strings.Join(got, " ") != tc.keys || strings.Join(names, " ") != tc.names {
			t.Errorf("the owner of %v: %q, but it names %q; want %q and %q", tc.lock, got, names, tc.keys, tc.names)
		}
	}
}

// An account with an unreadable value proves nothing if this value may be equal to the given value.
func TestObscure(t *testing.T) {
	t.Parallel()
	v := shop(t)
	nested := row("USER#1", "PROFILE")
	nested["email"] = attr.Value{Kind: attr.M, Map: map[string]attr.Value{"first": attr.String("ADA@x.io")}}
	for _, tc := range []struct {
		item attr.Item
		want bool
	}{
		{nested, true},
		{row("USER#1", "PROFILE", "email", "Ada@x.io"), true}, // its tenant is unknown
		{row("USER#1", "PROFILE", "email", "ada@x.io", "tenant", "acme"), false},
		{row("USER#1", "PROFILE", "email", "bob@x.io"), false},
		{row("ORDER#1", "META", "email", "ada@x.io"), false},
	} {
		_, c := v.Layout.Constraint("email")
		if got := v.Obscure(tc.item, c, "ada@x.io"); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.item, got, tc.want)
		}
	}
}

// Users and teams have the same lock keys for their handles, so each kind may hold the value of a lock.
func TestKindsThatShareALock(t *testing.T) {
	t.Parallel()
	v := shop(t)
	for constraint, want := range map[string][]string{"handle": {"user", "team"}, "email": {"user"}, "name": {"user"}} {
		_, c := v.Layout.Constraint(constraint)
		var got []string
		for _, kind := range v.KindsOf(c) {
			got = append(got, kind.Model)
			if !v.HoldsValuesIn(kind, c, c.Attribute) || !v.HoldsValuesIn(kind, c, c.Attribute+".first") || v.HoldsValuesIn(kind, c, c.Attribute+"s") {
				t.Errorf("%s: the attribute of a %s does not hold its values, or another does", constraint, kind.Model)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", constraint, got, want)
		}
	}
}

// An attribute of a lock is plain if it is a key, an attribute that the layout describes, or a release mark.
func TestPlainAttributes(t *testing.T) {
	t.Parallel()
	v := shop(t)
	_, c := v.Layout.Constraint("handle")
	for name, want := range map[string]bool{"PK": true, "SK": true, "by": true, schema.MarkAttribute: true, "note": false} {
		if got := v.PlainAttribute(c, "shop", name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
