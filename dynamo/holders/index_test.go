package holders_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// constraint builds an e-mail constraint with normalisers.
func constraint(t testing.TB, normalise ...string) *layout.Constraint {
	t.Helper()
	l, err := config.Layout{Name: "mine", Accounts: []config.Account{{
		PK: "USER#{id}", SK: "PROFILE",
		Constraints: []config.Constraint{{Attribute: "email", PK: "UNIQ#{v}", SK: "LOCK", Normalise: normalise}},
	}}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return l.Constraints()[0]
}

// holds reports whether a text holds a value. If whole is true, it compares only the whole text.
func holds(t testing.TB, value, text string, whole bool, normalise ...string) bool {
	t.Helper()
	c, x, found := constraint(t, normalise...), holders.NewIndex(), false
	x.Add(c, c.Normalised(value), value)
	f := x.Finder(func(int32) { found = true })
	if whole {
		f.Whole(text)
	} else {
		f.Anywhere(text)
	}
	return found
}

func TestTextsThatHoldAValueAnywhere(t *testing.T) {
	for _, tc := range []struct {
		value, text string
		want        bool
	}{
		{"ada@x.io", "ada@x.io", true},
		{"ada@x.io", "  ADA@X.IO\n", true},
		{"ada@x.io", "a@x.io;ada@x.io", true},
		{"ada@x.io", "email:ada@x.io", true},
		{"ada@x.io", "$app#email_ada@x.io", true},
		{"ada@x.io", "Please write to ada@x.io.", true},
		{"ada@x.io", "mailto:ada@x.io?subject=x", true},
		{"ada@x.io", "ada@x.iota", false},
		{"ada@x.io", "xada@x.io", false},
		{"ada@x.io", "Ada.@x.io", true}, // dots in the local part of an address do not count
		{"adalove@x.io", "Ada.Love+home@x.io", true},
		{"alan", "Alan Turing", true},
		{"alan", "user/alan", true},
		{"alan", "the_alan", true},
		{"alan", `{"by":"alan"}`, true},
		{"alan", `C:\home\alan`, true},
		{"alan", "alana", false},
		{"alan", "alan2", false},
		{"the_alan", "USER#the_alan", true},
		{"a#b", "X#a#b#Y", true},
		{"+1 (555) 123-4567", "15551234567", true},
		{"15551234567", "call +1 (555) 123-4567 now", true},
		{"15551234567", "call 555 1234 now", false},
		{"1234567", "123-4567", true},
		{"+4930555181", "030 555181", true},
		{"405551813", "305551813", false},
		{"+49301234567", "Tel. 030 1234567 (24/7)", true},
		{"+49301234567", "+49 30 1234567 / +49 171 7654321", true},
		{"+491717654321", "+49 30 1234567 +49 171 7654321", true},
		{"4111111111111111", "card 4111 1111 1111 1111 7", true},
		{"3456", "2024-01-02T12:34:56Z", false}, // 34:56 is part of a time, not a number
		{"adalove", "bob; Ada_Love", true},
		{"adalove", "bob; Ada Love", true},
		{"ada lovelace", "known: Ada  Lovelace", true},
		{"DE89370400440532013000", "IBAN: DE89 3704 0044 0532 0130 00, ok", true},
		{"Müller", "by mueller, 2024", true},
		{"ada.io", "see https://www.ada.io today", true},
		{"740", "no 00740", true},
		{"alan", "al; anna", false},
		{"Zoë", "zoe", true},
		{"", "", false},
		{"", "anything", false},
	} {
		if got := holds(t, tc.value, tc.text, false); got != tc.want {
			t.Errorf("%q holds %q: %v, want %v", tc.text, tc.value, got, tc.want)
		}
	}
}

func TestTextsThatAreAValueAsAWhole(t *testing.T) {
	for _, tc := range []struct {
		value, text string
		want        bool
	}{
		{"alan", "Alan ", true},
		{"alan", "the_alan", false},
		{"alan", "Alan Turing", false},
		{"alan", "ada; alan", true},
		{"alan", "ada\nalan", true},
		{"ada@x.io", "Ada <ada@x.io>", true},
		{"ada@x.io", "ada@x.io", true},
		{"", "  ", true},
		{"", "x", false},
	} {
		if got := holds(t, tc.value, tc.text, true); got != tc.want {
			t.Errorf("%q is %q: %v, want %v", tc.text, tc.value, got, tc.want)
		}
	}
}

func TestDigestsAreFoundByTheirTexts(t *testing.T) {
	for _, text := range []string{"ada@x.io", "Ada@X.io", "a=ada@x.io", "write to ada@x.io."} {
		if !holds(t, "ada@x.io", text, false, "lower", "sha256") {
			t.Errorf("%q does not hold the digest's text", text)
		}
	}
	if holds(t, "ada@x.io", "bob@x.io", false, "lower", "sha256") {
		t.Error("another address is found")
	}
}

func TestShapes(t *testing.T) {
	key := func(hash, sort string) attr.Key {
		k := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(hash)}}
		if sort != "" {
			k.Range = attr.Attribute{Name: "SK", Value: attr.String(sort)}
		}
		return k
	}
	binary := func(hash string) attr.Key {
		return attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.Binary(hash)}}
	}
	for _, tc := range []struct {
		key  attr.Key
		want string
	}{
		{binary("SETTING#theme"), "SETTING#theme"},
		{binary("HANDLE#alan"), "HANDLE#*"},
		{binary("\xff\x00SETTING#theme"), "*"},
		{key("SETTING#theme", ""), "SETTING#theme"},
		{key("SETTING#backupEmail", ""), "SETTING#backupEmail"},
		{key("ORDER#5512", "META"), "ORDER#*/META"},
		{key("CUSTOMER#C10037", "ORDER#2024-01-01T10:00:00Z#01HXABC"), "CUSTOMER#*/ORDER#*#*"},
		{key("$app#user#v#0000001", ""), "$app#user#v#*"},
		{key("$app#user#deleted#u17", ""), "$app#user#deleted#*"},
		{key("f47ac10b-58cc-4372-a567-0e02b2c3d479", "email#ada@x.io"), "*/email#*"},
		{key("HANDLE#alan", "LOCK"), "HANDLE#*/LOCK"}, // alan is the searched value
		{key("a#alan#b", ""), "a#*#b"},
		{key("12#13", ""), "*#*"}, // each part is an id
		{key("v:1:7", ""), "v:*:*"},
		{key("LOG#2026-11-26 10:30:05", "10:30"), "LOG#*/*"},
		{key("#", ""), "#"},
	} {
		if got := holders.Shape(tc.key, func(text string) bool { return text == "alan" }); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.key, got, tc.want)
		}
	}
}

func TestAWordOfAnAnswerMayCoverOthers(t *testing.T) {
	place := func(items string) layout.Place { return layout.Place{Table: "t", Items: items, Attribute: "value"} }
	for _, tc := range []struct {
		answer, items string
		want          bool
	}{
		{"SETTING#*", "SETTING#theme", true},
		{"SETTING#*", "SETTING#*", true},
		{"SETTING#theme", "SETTING#locale", false},
		{"SETTING#*", "SETTING#theme/x", false},
		{"*#theme", "SETTING#theme", true},
		{"ORDER#*/META", "ORDER#*/META", true},
	} {
		if got := place(tc.answer).Covers(place(tc.items)); got != tc.want {
			t.Errorf("%s covers %s: %v, want %v", tc.answer, tc.items, got, tc.want)
		}
	}
}

// FuzzFinder checks that a value between any two separators is found in any text, and that no text makes the search
// panic.
func FuzzFinder(f *testing.F) {
	f.Add("ada@x.io", "a;", ";b")
	f.Add("the_alan", "#", "/")
	f.Add("+1 555 1234567", " ", "")
	f.Add("é", "x=", "&")
	f.Add("'@ada", "www.", "e")
	f.Add("www.", "", "x")
	f.Add("#", "0", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Add("012 3456", "7 ", " 8")
	f.Fuzz(func(t *testing.T, value, before, after string) {
		c := constraint(t)
		x, found := holders.NewIndex(), false
		x.Add(c, value, "")
		finder := x.Finder(func(int32) { found = true })
		finder.Whole(before + value + after)
		finder.Anywhere(before + value + after)
		if strings.TrimSpace(value) == "" || len(value) > 500 {
			return
		}
		for _, text := range []string{value, before + "#" + value + "#" + after, "(" + value + ")"} {
			if found = false; layout.Fold(text) != "" {
				finder.Anywhere(text)
			}
			if !found && layout.Fold(value) != "" {
				t.Errorf("%q does not hold %q", text, value)
			}
		}
		holders.Shape(attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(before + value + after)}},
			func(text string) bool { return text == value })
	})
}
