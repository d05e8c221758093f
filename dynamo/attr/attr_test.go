package attr

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestCanonicalNumber(t *testing.T) {
	for in, want := range map[string]string{
		"1.500": "1.5", "1": "1", "-0": "0", "0.0": "0", "007": "7", "1E2": "100", "1e-3": "0.001", "-1.0": "-1",
		"12345678901234567890123456789012345678": "12345678901234567890123456789012345678",
		"9007199254740993.0":                     "9007199254740993",
		"no number":                              "no number", "": "", "NaN": "NaN",
		strings.Repeat("9", 1000): strings.Repeat("9", 1000),
	} {
		if got := CanonicalNumber(in); got != want {
			t.Errorf("%q is %q; want %q", in, got, want)
		}
	}
}

func TestInteger(t *testing.T) {
	for _, s := range []string{"0", "-7", "1E2", "5.0", strings.Repeat("9", 38)} {
		if _, ok := Integer(s); !ok {
			t.Errorf("%q is a whole number", s)
		}
	}
	for _, s := range []string{"", "1.5", "x", "1e130", strings.Repeat("9", 39), "Infinity"} {
		if n, ok := Integer(s); ok {
			t.Errorf("%q was read as %s", s, n)
		}
	}
}

// Every value that is written as DynamoDB JSON reads back as an equal value.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"S":"ada"}`, `{"N":"1.50"}`, `{"B":"AAH/"}`, `{"BOOL":true}`, `{"NULL":true}`, `{"SS":["a","b"]}`, `{"NS":["1"]}`,
		`{"BS":["AA=="]}`, `{"L":[{"S":"x"},{"L":[]}]}`, `{"M":{"a":{"N":"1"},"b":{"M":{}}}}`, `{"S":"\u001b[2J"}`, `{}`, `{"X":1}`, `null`, `{"S":null}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var v Value
		if json.Unmarshal([]byte(s), &v) != nil || !v.Exists() {
			return
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		var back Value
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%s became %s: %v", s, data, err)
		}
		if !v.Equal(back) {
			t.Fatalf("%s became %s", s, data)
		}
		_ = v.Display()
		_ = Item{"a": v}.Size()
	})
}

func TestEqual(t *testing.T) {
	alike := func(a, b Value) bool { // alike also compares the canonical bytes of both values inside a document
		deep := func(v Value) Item { return Item{"a": {Kind: M, Map: Item{"b": {Kind: L, List: []Value{v}}}}} }
		equal := a.Equal(b)
		if canonical := bytes.Equal(deep(a).AppendCanonical(nil), deep(b).AppendCanonical(nil)); canonical != equal {
			t.Errorf("%v and %v: equal is %t, and of their bytes %t", a, b, equal, canonical)
		}
		return equal
	}
	set := func(kind Kind, s ...string) Value { return Value{Kind: kind, Set: s} }
	for _, pair := range [][2]Value{
		{Number("1.0"), Number("1")},
		{set(NS, "1", "2.0"), set(NS, "2", "1.0")},
		{set(SS, "a", "b"), set(SS, "b", "a")},
	} {
		if !alike(pair[0], pair[1]) {
			t.Errorf("%v is %v", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]Value{
		{Number("1"), String("1")},
		{String("1.0"), String("1")},
		{set(SS, "a"), set(SS, "a", "b")},
		{set(SS, "ab", "c"), set(SS, "a", "bc")},
		{set(NS, "1"), set(SS, "1")},
		{{Kind: L, List: []Value{String("a")}}, {Kind: L, List: []Value{String("a"), String("")}}},
		{{Kind: M, Map: Item{"ab": String("c")}}, {Kind: M, Map: Item{"a": String("bc")}}},
		{{Kind: BOOL, Bool: true}, {Kind: BOOL}},
	} {
		if alike(pair[0], pair[1]) {
			t.Errorf("%v is not %v", pair[0], pair[1])
		}
	}
}

// No two keys of a table share an ID.
func TestKeyIDs(t *testing.T) {
	key := func(hash, rng Value) Key { return Key{Hash: Attribute{"PK", hash}, Range: Attribute{"SK", rng}} }
	ids := map[string]Key{}
	for _, k := range []Key{
		key(String("a"), String("bc")), key(String("ab"), String("c")), key(String("abc"), String("")),
		key(Number("1"), String("x")), key(String("1"), String("x")), key(Binary("1"), String("x")),
		key(String("a\x00"), String("b")), key(String("a"), String("\x00b")),
	} {
		if other, taken := ids[k.ID()]; taken {
			t.Errorf("%v and %v share an ID", other, k)
		}
		ids[k.ID()] = k
	}
	if a, b := key(Number("1.0"), String("x")), key(Number("1"), String("x")); a.ID() != b.ID() || !a.Equal(b) {
		t.Error("1.0 and 1 are one key")
	}
}

func TestAt(t *testing.T) {
	item := Item{"contact": {Kind: M, Map: map[string]Value{"email": String("a@b.c"), "x.y": String("z")}}, "a.b": String("whole")}
	for path, want := range map[string]string{"contact.email": "a@b.c", "contact.x.y": "z", "a.b": "whole", "contact.no": "", "no.no": ""} {
		if got := item.At(path).Text; got != want {
			t.Errorf("%s is %q; want %q", path, got, want)
		}
	}
}

// An empty list, map or set is not written as null: nobody could read null as a value.
func TestEmptyValuesAsJSON(t *testing.T) {
	for want, v := range map[string]Value{`{"L":[]}`: {Kind: L}, `{"M":{}}`: {Kind: M}, `{"SS":[]}`: {Kind: SS}, `{"BS":[]}`: {Kind: BS}} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
