package ui_test

import "testing"

// On each screen, one line says that a key has no effect, and the next key closes this line. The brackets go from each
// screen to a neighbouring tab, and the help lists them.
func TestDeadKeysAndBracketsOnEveryScreen(t *testing.T) {
	t.Parallel()
	const (
		accounts, locks, counters = "ACCOUNT       VALUE", "HOLDS", "LAST 60 S"
		findings, journal         = "✓ Checked", "No changes yet"
	)
	for name, at := range map[string]struct{ keys, shows, next, previous string }{
		"accounts": {"", accounts, locks, journal},
		"locks":    {"2", locks, counters, accounts},
		"counters": {"3", counters, findings, locks},
		"findings": {"4", findings, journal, counters},
		"journal":  {"5", journal, accounts, findings},
		"answer":   {"/alan<enter>", "answered in", locks, journal},
		"item":     {"<enter>", "PROFILE", locks, journal},
		"layout":   {"L", "ACCT#{id}", locks, journal},
		"query":    {":query ACCT#a1f9c3<enter>", "1 of 1", locks, journal},
	} {
		t.Run(name, func(t *testing.T) {
			term := onDemo(t).run(t)
			term.see("confirmed")
			term.press(at.keys)
			term.see(at.shows)
			for key, called := range map[string]string{"X": "X", "<backspace>": "backspace", "<left>": "left", "%": "%"} {
				term.press(key)
				term.see(called + " does nothing here. ? shows the keys.")
				term.press("<down>")
				term.gone("does nothing here")
			}
			term.press("?/previous screen")
			term.see("[")
			term.press("<esc><esc>")
			term.press("]")
			term.see(at.next)
			term.press("[")
			if name != "answer" && name != "item" && name != "layout" && name != "query" {
				term.see(at.shows)
			}
			term.press(at.keys)
			term.see(at.shows)
			term.press("[")
			term.see(at.previous)
		})
	}
}
