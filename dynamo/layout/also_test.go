package layout_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout/config"
)

// Impossible settings of a lock or a counter are errors that name the mistake.
func TestLockWordsThatCannotBeMeant(t *testing.T) {
	for says, change := range map[string]func(*config.Constraint){
		"pk is missing: the template of the lock's partition key": func(c *config.Constraint) { c.Also = []config.LockKey{{SK: "{v}"}} },
		" have no {v}: write {v} in place of the value":           func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "MAIL", SK: "LOCK"}} },
		"also: each form needs the same variables as pk":          func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "T#{tenant}#{v}", SK: "LOCK"}} },
		"are given twice": func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "UNIQ#{v}", SK: "LOCK"}} },
		"also: a lock with {sha256:…} can have only one form, because its value cannot be read from the digest": func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "{sha256:a{v}}", SK: "LOCK"}} },
		"bad key template": func(c *config.Constraint) { c.Also = []config.LockKey{{PK: "{v}{id}", SK: "LOCK"}} },
		"owner_form needs owner: the lock's attribute that names the account": func(c *config.Constraint) { c.OwnerForm = "user#{id}" },
		"write {id} once":       func(c *config.Constraint) { c.Owner, c.OwnerForm = "owner", "user#" },
		"and no other variable": func(c *config.Constraint) { c.Owner, c.OwnerForm = "owner", "{tenant}#{id}" },
		"scope needs unique = true. For locks, write the attribute into pk or sk, as in TENANT#": func(c *config.Constraint) { c.Scope = []string{"tenant"} },
	} {
		c := config.Constraint{Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK"}
		change(&c)
		_, err := config.Layout{Name: "ours", Accounts: []config.Account{{PK: "USER#{id}", Constraints: []config.Constraint{c}}}}.Build()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which does not say %q", err, says)
		}
	}
	for says, counter := range map[string]config.Counter{
		"use hourly, daily, weekly, monthly or yearly": {PK: "C", Attribute: "n", Resets: "dayly"},
		`did you mean "daily"`:                         {PK: "C", Attribute: "n", Resets: "dayly"},
	} {
		_, err := config.Layout{Name: "ours", Counters: []config.Counter{counter}}.Build()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, which does not say %q", err, says)
		}
	}
}

// The program reads both forms of a lock's key, and converts each form into the other.
func TestFormsOfALocksKey(t *testing.T) {
	s := attr.Schema{HashName: "PK", RangeName: "SK", HashKind: attr.S, RangeKind: attr.S}
	key := func(hash, sort string) attr.Key { return s.KeyFrom(hash, sort) }
	l, err := config.Layout{Name: "ours", Accounts: []config.Account{{PK: "USER#{id}", SK: "PROFILE", Constraints: []config.Constraint{{
		Attribute: "email", PK: "UNIQ#{tenant}#{v}", SK: "LOCK", Also: []config.LockKey{{PK: "MAIL#{v}", SK: "T#{tenant}"}},
	}}}}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := l.Accounts[0].Constraints[0]
	first, second := key("UNIQ#t1#Ada", "LOCK"), key("MAIL#Ada", "T#t1")
	for _, k := range []attr.Key{first, second} {
		role := l.Classify("t", "t", s, k.Item())
		if v, vars, ok := c.ParseLock(s, k); !ok || v != "Ada" || vars["tenant"] != "t1" || role.Constraint != c || role.Value != "Ada" {
			t.Errorf("%s: %q %v %v %+v", k, v, vars, ok, role)
		}
		if got := c.FirstForm(k); !got.Equal(first) {
			t.Errorf("the first form of %s is %s", k, got)
		}
		if c.FoldKey(k) != c.FoldKey(key("MAIL#ADA", "T#t1")) || c.FoldKey(k) == c.FoldKey(key("MAIL#ADA", "T#t2")) {
			t.Errorf("%s folds to %q", k, c.FoldKey(k))
		}
	}
	for _, k := range []attr.Key{first, second} {
		if got := c.Forms(k); len(got) != 2 || !got[0].Equal(first) || !got[1].Equal(second) {
			t.Error(got)
		}
	}
	if got := c.Forms(key("ORDER#1", "X")); len(got) != 1 || !got[0].Equal(key("ORDER#1", "X")) {
		t.Error(got)
	}
	if role := l.Classify("t", "t", s, key("MAIL#", "T#t1").Item()); !role.Malformed {
		t.Errorf("a lock of the second form without a value is %+v", role)
	}
}

// The program writes and reads the owner of a lock in the form of owner_form.
func TestOwnersInTheirForm(t *testing.T) {
	l, err := config.Layout{Name: "ours", Accounts: []config.Account{{PK: "USER#{id}", Constraints: []config.Constraint{
		{Attribute: "email", PK: "UNIQ#{v}", Owner: "by", OwnerForm: "user#{id}"}, {Attribute: "name", PK: "NAME#{v}", Owner: "by"},
	}}}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	a := l.Accounts[0]
	formed, plain := a.Constraints[0], a.Constraints[1]
	k := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String("USER#7")}}
	if got := a.OwnerLike(formed, "USER#1", "7", k); got != "user#7" {
		t.Error(got)
	}
	if got := a.OwnerLike(plain, "USER#1", "7", k); got != "USER#7" {
		t.Error(got)
	}
	for owner, want := range map[string]string{"user#7": "7", "USER#7": "", "7": "", "user#": "", "": ""} {
		if id, ok := formed.OwnerForm.ID(owner); id != want || ok != (want != "") {
			t.Errorf("%q means %q, %v", owner, id, ok)
		}
	}
	if id, ok := plain.OwnerForm.ID("USER#7"); id != "USER#7" || !ok {
		t.Error(id, ok)
	}
}
