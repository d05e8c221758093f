package ui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A key gives the focus to a truncated detail. The detail then grows and scrolls, and another key gives the focus back
// to the list.
func TestTheWholeDetail(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.resize(76, 24)
	term.press("jj")
	frame := term.see("▸ ACCT#c0de41", "tab more")
	if strings.Contains(frame, "which is correct") {
		t.Fatalf("nothing is cut here:\n%s", frame)
	}
	term.press("<tab>")
	term.see("tab to the list", "▸ ACCT#c0de41", "└ username  kjohnson")
	term.press("G")
	term.see(`gets "already in use", which is`, "correct.", "▸ ACCT#c0de41")
	term.press("n")
	term.see("No account holds the username \"alan\"", "▸ no account", "tab to the list")
	term.press("<esc>j")
	term.see("▸ ACCT#e0c4a9", "   read ")

	term.press("<tab>2")
	term.gone("tab to the list")
	term.press("?")
	term.see("tab      the whole detail")
}

// The detail shows the whole of a value that is longer than a row.
func TestTheWholeOfALongValue(t *testing.T) {
	s := onDemo(t)
	long := strings.Repeat("long-", 60) + "end"
	term := s.run(t)
	term.see("confirmed")
	term.press("/")
	term.p.Send(tea.PasteMsg{Content: long})
	term.press("<enter>")
	term.see("□ free", "tab more")
	term.press("<tab>G")
	joined := strings.Join(strings.Fields(term.see("every account")), "")
	if !strings.Contains(joined, "long-end/PROFILE") {
		t.Errorf("the end of the key that was read is nowhere:\n%s", term.shown())
	}
}
