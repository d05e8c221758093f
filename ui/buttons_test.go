package ui_test

import "testing"

// The arrow keys move among the buttons and stop at the last one. Tab goes round, through the fields.
func TestArrowsStayAmongTheButtons(t *testing.T) {
	term := onDemo(t).run(t)
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

// The brackets move between the tabs, and go round. A key without an action says so in one line, which the next key
// closes.
func TestBracketsMoveBetweenTabs(t *testing.T) {
	term := onDemo(t).run(t)
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
