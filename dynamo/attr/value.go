// Package attr has the values of DynamoDB items, exactly as they arrive: a number stays a decimal
// string of up to 38 digits, never a float. It imports no other package of this program. Start at
// Value and Item. key.go has primary keys. number.go has exact arithmetic on decimal strings.
// json.go has DynamoDB JSON. visible.go has JSON for people.
package attr

import (
	"maps"
	"slices"
)

// Kind is the type of a Value, named as in DynamoDB JSON.
type Kind string

// The ten types of DynamoDB.
const (
	S    Kind = "S"
	N    Kind = "N"
	B    Kind = "B"
	BOOL Kind = "BOOL"
	NULL Kind = "NULL"
	SS   Kind = "SS"
	NS   Kind = "NS"
	BS   Kind = "BS"
	L    Kind = "L"
	M    Kind = "M"
)

// Value is one attribute value. The zero Value stands for a missing value: its Kind is empty, and
// Exists returns false.
type Value struct {
	Kind Kind
	Text string           // for S and N as it arrived; for B the raw bytes
	Bool bool             // for BOOL
	Set  []string         // for SS, NS, BS
	List []Value          // for L
	Map  map[string]Value // for M
}

// Item is an item or a part of an item. It maps attribute names to values.
type Item map[string]Value

// Fields is an item or a part of an item, in any representation. At works like Item.At.
type Fields interface{ At(path string) Value }

// String makes an S value.
func String(s string) Value { return Value{Kind: S, Text: s} }

// Number makes an N value from a decimal string.
func Number(s string) Value { return Value{Kind: N, Text: s} }

// Binary makes a B value from raw bytes.
func Binary(s string) Value { return Value{Kind: B, Text: s} }

// Exists reports whether there is a value. It returns false for the zero Value.
func (v Value) Exists() bool { return v.Kind != "" }

// Scalar reports whether the value is a string, a number or bytes. Only values of these types can
// be keys.
func (v Value) Scalar() bool { return v.Kind == S || v.Kind == N || v.Kind == B }

// Equal reports whether both values are the same. The numbers 1.0 and 1 are equal. Two sets are
// equal if they have the same members, in any order.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind {
		return false
	}
	switch v.Kind {
	case N:
		return CanonicalNumber(v.Text) == CanonicalNumber(w.Text)
	case BOOL:
		return v.Bool == w.Bool
	case NS:
		return slices.Equal(canonicalSet(v.Set), canonicalSet(w.Set))
	case SS, BS:
		return slices.Equal(sorted(v.Set), sorted(w.Set))
	case L:
		return slices.EqualFunc(v.List, w.List, Value.Equal)
	case M:
		return maps.EqualFunc(v.Map, w.Map, Value.Equal)
	}
	return v.Text == w.Text
}

// Equal reports whether both items have the same attributes with equal values.
func (i Item) Equal(other Item) bool { return maps.EqualFunc(i, other, Value.Equal) }

// Names lists the attribute names in byte order.
func (i Item) Names() []string { return slices.Sorted(maps.Keys(i)) }

// At returns the value at a path of names, such as "contact.email". A name may contain dots, so At
// first looks for an attribute whose name is the whole path. If there is no value at the path, At
// returns the zero Value.
func (i Item) At(path string) Value {
	if v, ok := i[path]; ok {
		return v
	}
	for n := range len(path) {
		if path[n] != '.' {
			continue
		}
		if v, ok := i[path[:n]]; ok && v.Kind == M {
			if found := Item(v.Map).At(path[n+1:]); found.Exists() {
				return found
			}
		}
	}
	return Value{}
}

// Columns returns the top-level attributes that must be read for the given paths, each attribute
// once. A name may contain dots, so the path a.b.c needs the attributes a, a.b and a.b.c.
func Columns(paths ...string) []string {
	var names []string
	for _, path := range paths {
		for n := range len(path) {
			if path[n] == '.' && n > 0 {
				names = append(names, path[:n])
			}
		}
		if path != "" {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func sorted(set []string) []string { return slices.Sorted(slices.Values(set)) }

func canonicalSet(set []string) []string {
	out := make([]string, len(set))
	for n, s := range set {
		out[n] = CanonicalNumber(s)
	}
	slices.Sort(out)
	return out
}
