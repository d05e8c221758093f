package ui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
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
