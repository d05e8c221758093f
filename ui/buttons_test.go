package ui_test

import "testing"

// The arrow keys move among the buttons and stop at the last one. Tab also goes through the fields, and starts again
// after the last.
func TestArrowsStayAmongTheButtons(t *testing.T) {
	term := drawn(t).run(t)
	term.onCounter("order_id")
	term.press("+")
	term.see("▸ No, leave it", "  Bump to 5,001", "price")
	term.press("<left>")
	term.see("▸ No, leave it")
	term.press("<right>")
	term.see("▸ Bump to 5,001")
	term.press("<right><right>")
	term.see("▸ Bump to 5,001")
	term.press("<left><left>")
	term.see("▸ No, leave it")
	term.press("<esc>")
	term.press("1w")
	term.see("Save the", "enter save")
	term.press("<tab>")
	term.see("▸ No, leave it")
	term.press("<right><right>")
	term.see("▸ Save ")
	term.press("<tab>")
	term.see("enter save")
}

// The brackets move between the tabs, and continue at the other end. For a key without an action, one line says so, and
// the next key closes this line.
func TestBracketsMoveBetweenTabs(t *testing.T) {
	term := drawn(t).run(t)
	term.see("confirmed")
	term.press("]")
	term.see("HOLDS")
	term.press("[[")
	term.see("No changes yet")
	term.press("]")
	term.see("ACCOUNT", "VALUE")
	term.press("/alan<enter>")
	term.see("answered in")
	term.press("]")
	term.see("HOLDS")
	term.press("X")
	term.see("X does nothing here. ? shows the keys.")
	term.press("j")
	term.gone("does nothing here")
}
