package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
)

// If a part of a table is unread, no text calls values correct that were not judged: neither the heading of a group of
// locks, nor the list of problems.
func TestOnlyWhatWasJudgedIsCalledSound(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true })
	s.withTable(t, 400, 3)
	term := s.run(t)
	term.see("% read · provisional")
	term.press("2g")
	frame := term.see("locks begin with UNIQ#", "so far", "checked is broken", "are not checked yet")
	if strings.Contains(frame, "none of them is broken") {
		t.Errorf("locks that were not judged are called sound:\n%s", frame)
	}
	term.press("f")
	frame = term.see("checked values is broken", "with unknown holders", "% of the table is read; the rest is unchecked.")
	if strings.Contains(frame, "Nothing that was read is broken") {
		t.Errorf("what was not judged is called sound:\n%s", frame)
	}
}

// A counter whose ids are in unknown places is not called healthy. A counter whose ids are in a small table is compared
// with them at once.
func TestOnlyAComparedCounterIsHealthy(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("3")
	frame := term.see("order_id", "· ids unknown", "● ok")
	for name, health := range map[string]string{"order_id": "· ids unknown", "posts": "● ok", "donation-data": "● ok"} {
		if !strings.Contains(row(frame, name), health) {
			t.Errorf("%s is not %s:\n%s", name, health, frame)
		}
	}
}
