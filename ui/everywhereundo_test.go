package ui_test

import (
	"strings"
	"testing"
)

// Two connections may have counters with the same Region and name. The undo of a change uses the value of the counter
// that was changed.
func TestCountersOfTwoConnectionsAreToldApart(t *testing.T) {
	s := onServices(t)
	term := s.toOrders(t)
	term.press("gj")
	term.until("demo's", func(f string) bool { return strings.Contains(row(f, "▸"), "5,000") })
	term.press("+")
	term.see("goes from 5,000 up to 5,001")
	term.agree("Bump to 5,001")
	term.press("<enter>")
	term.until("the new value", func(f string) bool { return strings.Contains(row(f, "▸"), "5,001") })
	term.press("u")
	term.see("order_id", "the name to enable Lower", "▸ No, leave it")
	term.press("<esc>")
	term.gone("No, leave it")
	s.count(t)
	term.until("the counted value", func(f string) bool { return strings.Contains(row(f, "▸"), "5,002") })
	term.press("u")
	term.see("is now at 5,002")
}

// The undo of a change of another connection is in the journal, which names that connection. On other screens, u only
// names the connection.
func TestUndoOfAChangeOfAnotherConnection(t *testing.T) {
	s := onServices(t)
	term := s.toOrders(t)
	term.press("<enter>")
	term.see("This is support now")
	term.until("the counter", func(f string) bool { return strings.Contains(row(f, "▸"), "7,777") })
	term.press("+")
	term.see("goes from 7,777 up to 7,778")
	term.press("<shift+tab>order_id<tab><tab>")
	term.see("▸ Bump to 7,778")
	term.press("<enter>")
	term.see("✓ Applied")
	term.press("<enter><esc><esc>")
	term.see("demo › embedded")
	term.press("u")
	term.see("The last change was made on support")
	term.press("5")
	term.see("✓ applied", "7,777 → 7,778")
	term.press("u")
	term.see(" on support in PRODUCTION", "order_id", "7,777", "▸ No, leave it")
	term.press("<shift+tab>order_id<tab><tab><enter>")
	term.see("✓ Applied")
	if here, there := orders(t, s.demo), orders(t, s.support); here != "5000" || there != "7777" {
		t.Errorf("order_id of demo says %s, and of support %s", here, there)
	}
}
