package kit_test

import (
	"testing"

	"tallylock/ui/kit"
)

// A line leads to its group and row, and a row leads to its line, whether the group is folded or not.
func TestGroups(t *testing.T) {
	g := kit.Groups{{Rows: 2}, {Rows: 3, Folded: true}, {Rows: 1}}
	for line, want := range [][3]int{{0, -1, 1}, {0, 0, 1}, {0, 1, 2}, {1, -1, 3}, {2, -1, 6}, {2, 0, 6}} {
		group, place, ok := g.At(line)
		number, of := g.Number(line)
		if !ok || [3]int{group, place, number} != want || of != 6 || g.Line(group, place) != line {
			t.Errorf("line %d: group %d, place %d, number %d of %d, line %d; want %v", line, group, place, number, of, g.Line(group, place), want)
		}
	}
	if _, _, ok := g.At(g.Len()); ok || g.Len() != 6 {
		t.Errorf("%d lines, and one more: %v", g.Len(), ok)
	}
	if line := g.Line(1, 2); line != 3 {
		t.Errorf("a row of a folded group is on line %d", line)
	}
	bare := kit.Groups{{Rows: 2, Bare: true}}
	if group, place, ok := bare.At(1); group != 0 || place != 1 || !ok || bare.Len() != 2 || bare.Line(0, 1) != 1 {
		t.Errorf("without a head: group %d, place %d, %v", group, place, ok)
	}
	l, folded := kit.List{Cursor: 4}, map[string]bool{"b": true}
	named := kit.GroupsOf([]string{"a", "b"}, func(name string) kit.Group { return kit.Group{Rows: 2, Folded: folded[name] && name == "a"} })
	kit.Fold(&l, named, folded, func(name string) string { return name })
	if l.Cursor != 3 || folded["b"] || folded["a"] {
		t.Errorf("a fold on line 4 leaves the cursor on line %d, and %v", l.Cursor, folded)
	}
	if name, place := named.Of(4); name != "b" || place != 0 {
		t.Errorf("line 4 is in group %q, at place %d", name, place)
	}
}
