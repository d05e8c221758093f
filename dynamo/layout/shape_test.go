package layout_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

func TestShapeOf(t *testing.T) {
	for _, c := range []struct{ hash, sort, want string }{
		{"ACCT#a1f9c3", "PROFILE", "ACCT#*/PROFILE"},
		{"ORDER#5512#LINE#3", "-", "ORDER#*#LINE#*/-"},
		{"UNIQ#EMAIL#a#b:c", "LOCK", "UNIQ#EMAIL#*/LOCK"},
		{"user#ada", "2024-01-02", "user#*/*"},
		{"ada@lovelace.io", "EMAIL_LOCK", "*/EMAIL_LOCK"},
		{"7f3c", "x", "*/*"},
		{"$mi6#value_x", "$constraint_1#name_y", "$mi6#*/$constraint_1#*"},
		{"#", "", "*/*"},
	} {
		k := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(c.hash)}, Range: attr.Attribute{Name: "SK", Value: attr.String(c.sort)}}
		if got := layout.ShapeOf(k); got != c.want {
			t.Errorf("the shape of %s / %s is %s, not %s", c.hash, c.sort, got, c.want)
		}
	}
}

func TestSegmentsHaveEachRunOfParts(t *testing.T) {
	var got []string
	layout.Segments("A#b:c", func(s string) { got = append(got, s) })
	for _, want := range []string{"A", "b", "c", "A#b", "b:c", "A#b:c"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is no segment: %q", want, got)
		}
	}
	got = nil
	layout.Segments("a#b#c#d#e#f#g#h#i#j#k", func(s string) { got = append(got, s) })
	for _, want := range []string{"b#c#d#e#f#g#h#i#j#k", "a", "c"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is no segment: %q", want, got)
		}
	}
}

func FuzzShape(f *testing.F) {
	f.Add("ACCT#1", "PROFILE")
	f.Add("::", "#|/")
	f.Fuzz(func(t *testing.T, hash, sort string) {
		k := attr.Key{Hash: attr.Attribute{Name: "PK", Value: attr.String(hash)}, Range: attr.Attribute{Name: "SK", Value: attr.String(sort)}}
		if layout.ShapeOf(k) == "" {
			t.Error("an item has no shape")
		}
		whole := false
		layout.Segments(hash, func(s string) { whole = whole || s == hash })
		if !whole {
			t.Errorf("%q is not among its own segments", hash)
		}
	})
}
