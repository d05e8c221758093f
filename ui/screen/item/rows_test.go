package item

import (
	"strings"
	"testing"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// The entry "b.c" of a map differs from the entry "c" of its entry "b", although their paths look the same. Each shows
// its own whole value, and only the value that the layout names is protected.
func TestANameWithADotIsNoPath(t *testing.T) {
	text := func(s string) attr.Value { return attr.Value{Kind: attr.S, Text: s} }
	long := strings.Repeat("long ", 40)
	in := &browse.Inspection{
		Key: attr.Key{Hash: attr.Attribute{Name: "pk", Value: text("1")}},
		Item: attr.Item{"pk": text("1"), "a": {Kind: attr.M, Map: map[string]attr.Value{
			"b":   {Kind: attr.M, Map: map[string]attr.Value{"c": text("nested " + long)}},
			"b.c": text("dotted " + long),
		}}},
		Values: []*verdict.Relation{{Constraint: &layout.Constraint{Attribute: "a.b.c"}}},
	}
	lines := func(open map[string]bool) (all []line, whole, locked []string) {
		all = linesOf(in, time.Time{}, 80, open)
		for _, l := range all {
			kind, _, _ := strings.Cut(l.value.Text, " ")
			if l.text != "" {
				whole = append(whole, kind)
			} else if l.rel != nil {
				locked = append(locked, kind)
			}
		}
		return all, whole, locked
	}
	all, _, locked := lines(nil)
	if len(locked) != 1 || locked[0] != "dotted" {
		t.Errorf("protected are %q; want the value that %q is in Item.At", locked, "a.b.c")
	}
	for _, l := range all {
		if l.value.Kind != attr.S || l.name == "pk" {
			continue
		}
		kind, _, _ := strings.Cut(l.value.Text, " ")
		_, whole, _ := lines(map[string]bool{l.path: true})
		if len(whole) == 0 {
			t.Errorf("the %s value is not shown whole", kind)
		}
		for _, other := range whole {
			if other != kind {
				t.Errorf("the %s value is shown whole with the %s one", other, kind)
			}
		}
	}
}
