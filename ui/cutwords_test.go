package ui_test

import (
	"regexp"
	"strings"
	"testing"

	"tallylock/dynamo"
)

// statusWords are the words in columns that the program chooses. They are not values of a table.
var statusWords = []string{
	"held", "free", "in use", "orphaned?", "missing?", "stale?", "foreign?", "duplicate?", "malformed?", "misspelt?",
	"expiring", "reserved?", "no account", "no lock", "none by design", "not read", "not known", "not checked",
	"not a number", "unknown", "off step", "past 2^53", "same id", "in order", "behind", "drifted", "confirmed",
	"not confirmed", "applied", "refused", "undone", "planned", "skipped", "stopped", "not applied",
}

// cutWords returns the status words that a screen cuts.
func cutWords(frame string) (cut []string) {
	for _, found := range regexp.MustCompile(`(?m)(?:^|  |[^\w\s] )([a-z]+(?: [a-z]+)*) ?…`).FindAllStringSubmatch(frame, -1) {
		for _, word := range statusWords {
			if strings.HasPrefix(word, found[1]) {
				cut = append(cut, found[1]+"…")
			}
		}
	}
	return cut
}

// No column cuts its status words, neither on the narrowest screen nor at 80 columns.
func TestNoColumnCutsItsStatus(t *testing.T) {
	t.Parallel()
	if cut := cutWords("a  not re… \n▸ ○ misspe…  LOCK#x…"); len(cut) != 2 {
		t.Fatalf("it finds %q", cut)
	}
	for name, open := range map[string]func(t *testing.T) *setup{
		"demo":     func(t *testing.T) *setup { return drawn(t) },
		"lockless": func(t *testing.T) *setup { return drawn(t, withoutLocks) },
		"large":    large,
		"every":    func(t *testing.T) *setup { s := drawn(t); s.withEveryKind(t); return s },
		"guessed":  func(t *testing.T) *setup { return drawn(t, func(o *dynamo.Options) { o.Layouts = nil }) },
	} {
		for _, width := range []int{60, 80} {
			t.Run(name, func(t *testing.T) {
				s := open(t)
				s.w, s.h = width, 24
				term := s.run(t)
				term.see("VERDICT")
				for _, keys := range []string{"1", "2", "3", "4", "4<enter>", "5", "1/alan<enter>", "<esc>1<enter>", "<esc>:"} {
					term.press(keys)
					term.quiet()
					if cut := cutWords(term.screen()); len(cut) > 0 {
						t.Errorf("at %d columns %q cuts %q:\n%s", width, keys, cut, term.screen())
					}
				}
			})
		}
	}
}

// At 80 columns, the help does not cut its text for copying, also on a connection for which it copies commands.
func TestTheHelpNamesBothCopies(t *testing.T) {
	term := onServer(t).run(t)
	term.see("confirmed")
	term.press("?")
	term.see("c C      copy the key, a command")
}
