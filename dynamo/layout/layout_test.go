package layout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

var text = attr.Schema{HashName: "PK", HashKind: attr.S, RangeName: "SK", RangeKind: attr.S}

func constraint(t testing.TB, c config.Constraint) *layout.Constraint {
	t.Helper()
	if c.Attribute == "" {
		c.Attribute = "email"
	}
	con, err := buildConstraint(c)
	if err != nil {
		t.Fatal(err)
	}
	return con
}

// The key of a value reads back as the same value. If that is impossible, there is no key.
func FuzzLockKeysReadBack(f *testing.F) {
	for _, v := range []string{
		"ada@lovelace.io", "a#b#c", "a:b", "joan+clarke@x.test", " ", "a b", "李明@例子.测试", "#", "##", "LOCK", "a#LOCK",
		"\x00", "\x1b]0;x\x07", "x#", "unique#", strings.Repeat("x", 3000), "{v}", "1.50", "-0", "e5", "ẞ", "İ",
	} {
		f.Add(v, "acme")
	}
	f.Add("v", "a#b")
	templates := []config.Constraint{
		{PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
		{PK: "EMAIL_LOCK#{v}", SK: "{pk}"},
		{PK: "{v}", SK: "EmailConstraint"},
		{PK: "coll_unique_email#{v}#", SK: "coll_unique_email#"},
		{PK: "TENANT#{tenant}#EMAIL#{v}", SK: "LOCK"},
		{PK: "TENANT#{tenant}", SK: "EMAIL#{v}"},
		{PK: "{v}#{tenant}", SK: "{v}"},
		{PK: "DRM_GEN_USER.EMAIL#{v}", SK: "{pk}"},
		{PK: "{{literal}}#{v}", SK: "x"},
	}
	schemas := []attr.Schema{
		text,
		{HashName: "pk", HashKind: attr.S},
		{HashName: "pk", HashKind: attr.B, RangeName: "sk", RangeKind: attr.S},
		{HashName: "pk", HashKind: attr.N},
	}
	f.Fuzz(func(t *testing.T, v, tenant string) {
		for _, cfg := range templates {
			c := constraint(t, cfg)
			for _, s := range schemas {
				k, err := c.LockKey(s, v, map[string]string{"tenant": tenant})
				if err != nil {
					if !errors.Is(err, layout.ErrValue) {
						t.Fatalf("%q in %s: %v is no ErrValue", v, c.PK, err)
					}
					continue
				}
				if v == "" || len(k.Hash.Value.Text) > 2048 || len(k.Range.Value.Text) > 1024 {
					t.Fatalf("%q in %s made the key %v", v, c.PK, k)
				}
				back, vars, ok := c.ParseLock(s, k)
				if s.HashKind == attr.N {
					ok = ok && attr.CanonicalNumber(v) == back
				} else {
					ok = ok && back == v
				}
				if !ok || (c.PK.Uses("tenant") && vars["tenant"] != tenant) {
					t.Fatalf("%q of %q in %s: the key %v reads back as %q of %q", v, tenant, c.PK, k, back, vars["tenant"])
				}
			}
		}
	})
}

// Every common value has a key, with each form of templates in the presets. An empty or too long value has none.
func TestEveryReasonableValueHasAKey(t *testing.T) {
	for _, cfg := range []config.Constraint{
		{PK: "UNIQ#EMAIL#{v}", SK: "LOCK"},
		{PK: "EMAIL_LOCK#{v}", SK: "{pk}"},
		{PK: "_unique#User#email#{v}", SK: "_unique#"},
		{PK: "coll_unique_email#{v}#", SK: "x"},
	} {
		c := constraint(t, cfg)
		for _, v := range []string{"ada@lovelace.io", "a#b:c+d e", "##", "李明", "a#LOCK", "\x1b[2J"} {
			k, err := c.LockKey(text, v, nil)
			if err != nil {
				t.Errorf("%s: %v", c.PK, err)
			}
			if back, _, ok := c.ParseLock(text, k); !ok || back != v {
				t.Errorf("%s: %q reads back as %q", c.PK, v, back)
			}
		}
		for _, v := range []string{"", strings.Repeat("x", 2048)} {
			if _, err := c.LockKey(text, v, nil); !errors.Is(err, layout.ErrValue) {
				t.Errorf("%s: a value of %d bytes: %v; want an error", c.PK, len(v), err)
			}
		}
	}
}

func TestTemplatesThatCannotWork(t *testing.T) {
	for _, bad := range []string{"{", "}", "{}", "a{b", "a}b", "{a}{b}", "x{v}{w}"} {
		if _, err := layout.ParseTemplate(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestNormalise(t *testing.T) {
	for _, tc := range []struct {
		steps   []layout.Normaliser
		in, out string
	}{
		{nil, " Ada ", " Ada "},
		{[]layout.Normaliser{layout.Trim}, " Ada ", "Ada"},
		{[]layout.Normaliser{layout.Trim, layout.Lower}, " ADA@Lovelace.IO ", "ada@lovelace.io"},
		// The results of JavaScript's toLowerCase.
		{[]layout.Normaliser{layout.Lower}, "İ", "i̇"},
		{[]layout.Normaliser{layout.Lower}, "ΟΔΟΣ", "οδος"},
		{[]layout.Normaliser{layout.NFKC}, "ﬁ①", "fi1"},
		{[]layout.Normaliser{layout.Lower, layout.SHA256}, "A", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
	} {
		if got := layout.Normalise(tc.steps, tc.in); got != tc.out {
			t.Errorf("%v of %q is %q; want %q", tc.steps, tc.in, got, tc.out)
		}
	}
}

// An account claims one lock for each of its values. A set may have several values. Two spellings with the same
// normalised value share one lock. An empty value needs no lock.
func TestClaims(t *testing.T) {
	a, err := buildAccount(config.Account{PK: "TENANT#{tenant}#ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
		{Attribute: "contact.emails", Name: "email", PK: "T#{tenant}#{v}", SK: "LOCK", Normalise: []string{"lower"}},
		{Attribute: "username", PK: "U#{v}", SK: "LOCK"},
		{Attribute: "badge", PK: "B#{v}", SK: "{pk}"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	item := attr.Item{
		"PK": attr.String("TENANT#acme#ACCT#1"), "SK": attr.String("PROFILE"),
		"contact": {Kind: attr.M, Map: map[string]attr.Value{"emails": {Kind: attr.SS, Set: []string{"Ada@x.io", "ada@x.io", "b@x.io", ""}}}},
		"badge":   attr.Number("1.50"),
	}
	var got []string
	for _, c := range a.AppendClaims(nil, "t", func(string) attr.Schema { return text }, item) {
		got = append(got, fmt.Sprint(c.Constraint.Name, " ", c.Key, " ", c.Err))
	}
	want := []string{"email T#acme#ada@x.io / LOCK <nil>", "email T#acme#b@x.io / LOCK <nil>", "badge B#1.5 / B#1.5 <nil>"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("claims:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestConfigsThatCannotWork(t *testing.T) {
	lock := func(change func(*config.Constraint)) config.Layout {
		c := config.Constraint{Attribute: "email", PK: "U#{v}", SK: "LOCK"}
		change(&c)
		return config.Layout{Name: "mine", Accounts: []config.Account{{PK: "A#{id}", Constraints: []config.Constraint{c}}}}
	}
	counter := func(change func(*config.Counter)) config.Layout {
		c := config.Counter{PK: "C", Attribute: "n"}
		change(&c)
		return config.Layout{Name: "mine", Counters: []config.Counter{c}}
	}
	for want, cfg := range map[string]config.Layout{
		"has no name":        {},
		"neither an account": {Name: "mine"},
		" have no {v}: write {v} in place of the value": lock(func(c *config.Constraint) { c.PK = "U" }),
		"unknown normaliser":                            lock(func(c *config.Constraint) { c.Normalise = []string{"rot13"} }),
		"attribute is missing":                          lock(func(c *config.Constraint) { c.Attribute = "" }),
		"brace":                                         lock(func(c *config.Constraint) { c.PK = "U#{v" }),
		"unknown semantics":                             counter(func(c *config.Counter) { c.Semantics = "previous" }),
		"step is 0":                                     counter(func(c *config.Counter) { c.Step = "0" }),
		"not a whole number":                            counter(func(c *config.Counter) { c.Start = "1.5" }),
		"pk is m":                                       counter(func(c *config.Counter) { c.PK = "" }),
	} {
		if _, err := cfg.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want a word on %q", cfg, err, want)
		}
	}
}

func TestCounterNumbers(t *testing.T) {
	build := func(c config.Counter) *layout.Counter {
		c.PK, c.Attribute = "C", "n"
		counter, err := buildCounter(c)
		if err != nil {
			t.Fatal(err)
		}
		return counter
	}
	for _, tc := range []struct {
		cfg      config.Counter
		v, next  string
		findings string
	}{
		{config.Counter{}, "5000", "5001", ""},
		{config.Counter{Semantics: "next"}, "5000", "5000", ""},
		{config.Counter{Semantics: "tally"}, "5000", "", ""},
		{config.Counter{Step: "9"}, "80388161", "80388170", "counter-off-step"},
		{config.Counter{Step: "2", Offset: "1"}, "4611", "4613", ""},
		{config.Counter{}, "9007199254740991", "9007199254740992", ""},
		{config.Counter{}, "9007199254740992", "9007199254740993", "counter-unsafe-integer"},
		{config.Counter{}, "-1", "0", "counter-not-a-number"},
		{config.Counter{}, "1.5", "", "counter-not-a-number"},
		{config.Counter{}, "1e2", "101", ""},
	} {
		c := build(tc.cfg)
		next, _ := c.NextOf(tc.v)
		if got := strings.Trim(fmt.Sprint(c.Faults(attr.Number(tc.v))), "[]"); next != tc.next || got != tc.findings {
			t.Errorf("%+v at %s: next %q, %q; want %q, %q", tc.cfg, tc.v, next, got, tc.next, tc.findings)
		}
	}
	if got := build(config.Counter{}).Faults(attr.String("7")); len(got) != 1 {
		t.Errorf("text that looks like a number: %v; ADD fails on it", got)
	}
}
