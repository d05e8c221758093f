package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
)

// The screen of counters shows the findings of a check about a counter, and can mend them.
func TestTheHighestIDStandsByItsCounter(t *testing.T) {
	s := onDemo(t)
	s.options.Table = "posts"
	s.put(t, "posts", sdk.Item{
		"id": sdk.N("45"), "title": sdk.S("too early"),
	})
	term := s.run(t)
	term.see("of 8", "posts")
	term.press("4")
	term.see("✓ Checked", "counter-behind")
	term.press("3G")
	term.see("▼ behind by 3", "It says 42, but 45 is in use and will be handed out again.", "highest id 45 in use", "m mend")
	term.press("m")
	term.see("Raise a counter", "goes from 42 up to 45")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see("45 is the last number handed out", "highest id 45 in use")
	term.resize(140, 40)
	if frame := term.see("HIGHEST ID", "45 in use, checked"); !strings.Contains(row(frame, "events"), "unknown") || strings.Count(row(frame, "posts  "), "45") != 2 {
		t.Errorf("the list does not say what is known of ids:\n%s", frame)
	}
}

// If other programs change a counter, its number may change before a person confirms. The dialog says so.
func TestABumpOfAMovingCounterSaysWhereItStarts(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("3")
	term.see("order_id", "5,000")
	term.press("Gk")
	for n := range 3 {
		s.put(t, "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.N(fmt.Sprint(5001 + n))})
		term.see(fmt.Sprint("5,00", 1+n))
	}
	term.press("+")
	term.see("Bump a counter", "The counter is in use: your numbers start where it")
}
