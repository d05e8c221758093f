package ui_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// If a person goes to another connection while a table is opening, esc leads back to this table.
func TestBackToATableThatWasOnItsWay(t *testing.T) {
	s, d, _ := besideAnother(t)
	d.hold(`"accounts"`)
	term := s.run(t)
	term.see("Reading accounts at")
	term.meanwhile("3A")
	term.see("7,777")
	term.meanwhile("Forder_id<enter>G")
	term.until("support's", func(f string) bool { return strings.Contains(row(f, "▸"), "7,777") })
	term.meanwhile("<enter>")
	term.see("This is support now")
	term.press("<esc>")
	term.gone("show all")
	term.press("<esc>")
	term.see("demo › embedded › all tables")
	d.release(`"accounts"`)
	term.see("of 16")
	term.press("1")
	term.see("demo › embedded › accounts", "● held")
}

// Marks belong to a table. When a person leaves it for another connection, a message says that the marks are gone.
func TestMarksAreGoneOnAnotherConnection(t *testing.T) {
	s := onServices(t)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("2")
	term.see("HOLDS")
	for !strings.Contains(row(term.screen(), "▸"), "orphaned") {
		term.press("n")
	}
	term.press("<space>")
	term.see("1 marked")
	term.press("3")
	term.see("of 8")
	term.press("A")
	term.see("of 16")
	term.press("Forder_id<enter>")
	term.see("of 2", "7,777")
	term.press("G<enter>")
	term.see("This is support now; unmarked 1 row")
}

// A saved list of several connections has the time when each connection was read.
func TestCountersOfAllConnectionsAreSaved(t *testing.T) {
	term := onServices(t).toOrders(t)
	term.press("w")
	term.see("Saves 2 counters, as read of demo at", "of support at")
	file := filepath.Join(t.TempDir(), "f.jsonl")
	term.press("<ctrl+u>" + file + "<enter>")
	term.gone("Save the")
	if saved := read(t, file); strings.Count(saved, "\n") != 2 || !strings.Contains(saved, `"connection":"support"`) {
		t.Errorf("it holds %s", saved)
	}
}
