package ui_test

import (
	"strings"
	"testing"
)

// In the field of find, the keys up and down show earlier queries, and come back to the typed text.
func TestFindRemembersWhatWasAsked(t *testing.T) {
	term := onDemo(t).run(t)
	field := func() string { return strings.TrimSpace(strings.TrimPrefix(row(term.screen(), "/ "), " / ")) }
	is := func(want string) {
		t.Helper()
		if got := field(); got != want {
			t.Errorf("the field says %q, not %q", got, want)
		}
	}
	term.see("confirmed")
	term.press("/")
	if frame := term.see("then press enter", "enter ask"); strings.Contains(frame, "asked before") {
		t.Error("it offers what was asked before nothing was")
	}
	term.press("<esc>")
	for _, value := range []string{"alan", "grace", "alan"} {
		term.press("/<ctrl+u>" + value + "<enter>")
		term.see("answered in")
	}
	term.press("<esc>")
	term.see("ACCOUNT", "VALUE")
	term.press("/gr")
	term.see("↑↓ asked before")
	term.press("<up>")
	is("alan")
	term.press("<up>")
	is("grace") // the history has alan only once
	term.press("<up>")
	is("grace")
	term.press("<down>")
	is("alan")
	term.press("<down>")
	is("gr")
	term.press("<down>")
	is("gr")
	term.press("<up><up><enter>")
	term.see("answered in", "/ grace")
	term.press("/<up>") // the field already has grace
	is("alan")
}
