package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
)

// Esc undoes one step.
func TestEscTakesBackOneThing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		setup  func(t *testing.T, s *setup)
		do     func(term *terminal)
		shows  string // a text on the screen only before esc
		sees   string // a text on the screen after esc
		others string // a text that is still on the screen after esc
	}{
		"a field": {
			do: func(term *terminal) { term.press("/") }, shows: "then press enter", sees: "VERDICT",
		},
		"the detail": {
			do: func(term *terminal) { term.press("/alan<enter>"); term.see("READ AS"); term.press("<tab>") }, shows: "tab to the list",
			others: "READ AS",
		},
		"a screen on top": {
			do: func(term *terminal) { term.press("<enter>") }, shows: "ATTRIBUTE", sees: "VERDICT",
		},
		"the choice of a table": {
			do: func(term *terminal) { term.press(":") }, shows: "↑↓ choose", sees: "VERDICT",
		},
		"letters": {
			do: func(term *terminal) { term.press("Fada<enter>") }, shows: "esc show all", sees: "of 72",
		},
		"letters on the counters": {
			do: func(term *terminal) { term.press("3"); term.see("order_id"); term.press("Forder<enter>") }, shows: "esc show all",
			others: "3 counters",
		},
		"letters on the journal": {
			do: func(term *terminal) {
				term.asksRelease()
				term.agree("Release the lock")
				term.press("<enter>5")
				term.see("release username")
				term.press("Falan<enter>")
			},
			shows: "F alan", others: "WHEN",
		},
		"only problems": {
			do: func(term *terminal) { term.press("f") }, shows: "1 of 7 ", sees: "of 72",
		},
		"marks": {
			do:    func(term *terminal) { term.press("2"); term.see("HOLDS"); term.to("orphaned"); term.press("<space>") },
			shows: "1 marked", others: "HOLDS",
		},
		"marks on the findings": {
			do:    func(term *terminal) { term.press("4"); term.see("✓ Checked"); term.press("gj<space>") },
			shows: "1 marked", others: "✓ Checked",
		},
		"the other side": {
			do: func(term *terminal) { term.to("hopper"); term.press("gno") }, shows: "HOLDS", sees: "VERDICT",
		},
		"another table": {
			do: func(term *terminal) { term.press(":NextIdTable<enter>") }, shows: "embedded › all tables",
			sees: "embedded › accounts",
		},
		"the tip": {
			setup: func(_ *testing.T, s *setup) { s.options.Tip = true }, do: func(*terminal) {}, shows: tip, sees: "VERDICT",
		},
		"watching": {
			do: func(term *terminal) {
				term.asksRelease()
				term.agree("Release the lock")
				term.see("w watch")
				term.press("w")
			},
			shows: "esc stops watching", sees: "Stopped watching", others: "READ AS",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := onDemo(t)
			if tc.setup != nil {
				tc.setup(t, s)
			}
			term := s.run(t)
			term.see("● held", "confirmed")
			tc.do(term)
			term.see(tc.shows)
			term.press("<esc>")
			if frame := term.gone(tc.shows); !strings.Contains(frame, tc.others) {
				t.Errorf("%q is gone, too:\n%s", tc.others, frame)
			}
			if tc.sees != "" {
				term.see(tc.sees)
			}
		})
	}
}

// Esc stops a running task, and does nothing else.
func TestEscStopsATask(t *testing.T) {
	d := &doors{shut: map[string]chan struct{}{}}
	s := onDemo(t, func(o *dynamo.Options) { d.next, o.Transport = o.Transport, d })
	term := s.run(t)
	term.see("● held", "confirmed")
	d.hold("UNIQ#HANDLE#zed")
	term.press("/zed")
	term.meanwhile("<enter><esc>")
	term.see("Stopped.")
	d.release("UNIQ#HANDLE#zed")
	term.press("<esc>")
	term.see("VERDICT")
}

// Esc undoes several steps in turn, the last step first.
func TestEscTakesBackOneThingAfterTheOther(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("● held", "confirmed")
	term.press("f") // only problems
	term.see("1 of 7 ")
	term.press("2")
	term.see("HOLDS")
	term.to("orphaned")
	term.press("<space>")
	term.see("1 marked")
	term.press("Falan<enter>")
	term.see("esc show all")
	term.press("G<enter>")
	term.see("ATTRIBUTE")
	for _, gone := range []string{"ATTRIBUTE", "esc show all", "1 marked"} {
		frame := term.see(gone)
		if gone != "ATTRIBUTE" && !strings.Contains(frame, "HOLDS") {
			t.Errorf("the locks are gone before %s:\n%s", gone, frame)
		}
		term.press("<esc>")
		term.gone(gone)
	}
	term.press("<esc>") // the filter "only problems" of both lists
	term.press("1")
	term.see("of 72")
}
