package ui_test

import (
	"slices"
	"strings"
	"testing"
)

// The frame and the fields of a dialog stay in their rows while the plan is made.
func TestADialogStaysInItsPlace(t *testing.T) {
	t.Parallel()
	reads := []string{"TransactGetItems", "BatchGetItem", "GetItem", "Query", "Scan"}
	for name, walk := range map[string]struct{ ask, keys string }{
		"release": {"alan", "r"},
		"delete":  {"ada", "D"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &faults{}
			s := drawn(t, withFaults(f))
			s.h = 40
			term := s.run(t)
			term.ask(walk.ask)
			rowOf := func(frame, text string) int {
				return slices.IndexFunc(strings.Split(frame, "\n"), func(row string) bool { return strings.Contains(row, text) })
			}
			gate := make(chan struct{})
			f.set(func(f *faults) {
				f.hold = map[string]chan struct{}{}
				for _, op := range append(reads, "TransactWriteItems") {
					f.hold[op] = gate
				}
			})
			term.meanwhile(walk.keys)
			before := term.until("the dialog that reads again", func(frame string) bool {
				return strings.Contains(frame, "Reading the present state")
			})
			f.set(func(f *faults) { f.hold = nil })
			close(gate)
			after := term.see("price", "undo")
			for _, text := range []string{"╭─ ", "│  reason ", "No, leave it", "╰─"} {
				if was, is := rowOf(before, text), rowOf(after, text); was != is {
					t.Errorf("%q goes from row %d to row %d:\n%s\n%s", text, was, is, before, after)
				}
			}
		})
	}
}
