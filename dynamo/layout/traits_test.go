package layout_test

import (
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// What tells an item from others is what none of them has, says, or lacks.
func TestTraits(t *testing.T) {
	text := func(s string) attr.Value { return attr.Value{Kind: attr.S, Text: s} }
	var traits layout.Traits
	if got := traits.Unlike(attr.Item{"a": text("x")}); got != "" {
		t.Errorf("of no items: %q", got)
	}
	for n := range 16 {
		traits.Add(attr.Item{"email": text(string(rune('a' + n))), "status": text([]string{"OPEN", "TRIAL"}[n%2])})
	}
	for want, item := range map[string]attr.Item{
		"":                     {"email": text("z"), "status": text("OPEN")},
		"with deletedAt":       {"email": text("z"), "status": text("OPEN"), "deletedAt": text("2026")},
		"with status = CLOSED": {"email": text("z"), "status": text("CLOSED")},
		"without status":       {"email": text("z")},
	} {
		if got := traits.Unlike(item); got != want {
			t.Errorf("%v: %q, want %q", item, got, want)
		}
	}
}
