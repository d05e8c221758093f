package ui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Typing or pasting replaces a prefilled text. A cursor key edits it.
func TestTypingReplacesAPrefilledText(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"25":             "Reserve 25 numbers",
		"2<backspace>25": "Reserve 25 numbers",
		"<end>25":        "Reserve 125 numbers",
		"<home>25":       "Reserve 251 numbers",
		"<left>2<end>5":  "Reserve 215 numbers",
		"<backspace>25":  "Reserve 25 numbers",
		"paste":          "Reserve 25 numbers",
	} {
		t.Run(keys, func(t *testing.T) {
			term := drawn(t).run(t)
			term.onCounter("order_id")
			term.press("+")
			term.see("goes from 5,000 up to 5,001", "▸ No, leave it")
			term.press("<shift+tab><shift+tab><shift+tab><right><tab>") // from bump to reserve, then to the field
			term.see("Reserve numbers")
			if keys == "paste" {
				term.p.Send(tea.PasteMsg{Content: "25"})
			} else {
				term.press(keys)
			}
			term.see(want)
		})
	}
}

// A second query replaces the first query, and a second filter the first filter. Recalled and completed texts are not
// prefilled: typing continues them, as in a shell.
func TestASecondQuestionReplacesTheFirst(t *testing.T) {
	term := drawn(t).run(t)
	term.see("confirmed")
	term.press("/alan<enter>")
	term.see("answered in", "/ alan")
	term.press("/")
	term.see("enter ask", "/ alan")
	term.press("grace<enter>")
	term.see("answered in", "/ grace ")
	term.press("/<up>x")
	term.see("/ alanx")
	term.press("<esc><esc>")
	term.see("ACCOUNT", "VALUE")
	term.press("Fada<enter>Fgrace")
	if frame := term.see("F grace", "found, of 72"); strings.Contains(frame, "adagrace") {
		t.Errorf("the filter joins two texts:\n%s", frame)
	}
}
