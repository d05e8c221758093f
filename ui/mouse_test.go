package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/embedded/sdk"
)

func (term *terminal) click(x, y int) {
	term.p.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// clickOn clicks on the first letter of a text on the screen.
func (term *terminal) clickOn(text string) {
	term.t.Helper()
	for y, line := range strings.Split(term.see(text), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			term.click(len([]rune(before)), y)
			return
		}
	}
}

func TestMouse(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.clickOn("alan   ")
	term.see("▸ no account", "✗ orphaned  No account")
	term.p.Send(tea.MouseWheelMsg{X: 4, Y: 8, Button: tea.MouseWheelDown})
	term.until("three rows on", func(s string) bool { return strings.Contains(row(s, "▸"), "grace@navy.mil") })
	term.p.Send(tea.MouseWheelMsg{X: 4, Y: 8, Button: tea.MouseWheelUp})
	term.see("▸ no account")
	term.clickOn("2 locks")
	term.see("HOLDS")
	term.clickOn("1 accounts")
	term.see("ACCOUNT", "▸ no account")
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.clickOn("No, leave it")
	term.see("Nothing was changed.")
}

// A click on a hint runs its action, and a double click opens a row.
func TestHintsAndRowsAreClicked(t *testing.T) {
	s := onDemo(t)
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	s.clock = func() time.Time { return noon } // so two clicks are a double click, even on a slow machine
	term := s.run(t)
	term.see("● held", "confirmed")
	term.clickOn("n next problem")
	term.until("the next problem", func(frame string) bool { return strings.Contains(row(frame, "▸"), "alan") })
	term.clickOn("? help")
	term.see("─ Keys")
	term.press("<esc>")
	term.clickOn("grace@navy.mil")
	term.until("the row", func(frame string) bool { return strings.Contains(row(frame, "▸"), "grace@navy.mil") })
	if frame := term.screen(); !strings.Contains(frame, "1 accounts") {
		t.Errorf("one click opens the row:\n%s", frame)
	}
	term.clickOn("grace@navy.mil")
	term.see("ATTRIBUTE")
	term.press("<esc>")
	term.see("1 accounts")
}

// Two clicks on one line of the screen do not open a row if another row moved there between the clicks.
func TestRowsThatMoveBetweenTwoClicks(t *testing.T) {
	s := onDemo(t)
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	s.clock = func() time.Time { return noon } // so two clicks are a double click
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("3")
	term.see("of 8")
	term.press("s")
	line := func(frame, text string) int {
		return slices.IndexFunc(strings.Split(frame, "\n"), func(l string) bool { return strings.Contains(l, text+" ") })
	}
	y := line(term.see("problems first"), "donation-data")
	term.click(4, y)
	term.until("the row", func(f string) bool { return strings.Contains(row(f, "▸"), "donation-data") })
	s.put(t, "order_id", sdk.Item{"id": sdk.N("0"), "order_number": sdk.S("A-5")})
	term.until("the rows below it", func(f string) bool { return line(f, "donation-data") == y+1 })
	term.click(4, y)
	if f := term.until("another row", func(f string) bool { return !strings.Contains(row(f, "▸"), "donation-data") }); !strings.Contains(f, "problems first") {
		t.Errorf("it was opened:\n%s", f)
	}
	term.click(4, y)
	term.see("ATTRIBUTE")
}
