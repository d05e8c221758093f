package ui_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tallylock/dynamo"
)

// A filter shows only the rows with the typed letters, among the rows that were read. The filtered rows can be saved,
// and esc shows all rows again.
func TestLettersNarrowAList(t *testing.T) {
	s := drawn(t)
	term := s.run(t)
	term.see("1 of 72", "confirmed")
	term.press("FADA")
	frame := term.see("1 of 2 found, of 72 that were read", "ada@lovelace.io", "enter done")
	if strings.Contains(frame, "grace") {
		t.Errorf("a row that does not hold the letters is listed:\n%s", frame)
	}
	term.press("<enter>")
	term.see("esc show all")
	file := filepath.Join(t.TempDir(), "left.csv")
	term.press("w")
	term.see("Save the", "2 values of accounts")
	term.press("<ctrl+u>" + file + "<enter>")
	term.gone("Save the")
	if saved := read(t, file); strings.Count(saved, "\n") != 3 || !strings.Contains(saved, "ada@lovelace.io") {
		t.Errorf("the list was saved as\n%s", saved)
	}
	term.press("F<right>x")
	term.see("No matching rows.", "show all again")
	term.press("<esc>")
	term.see("1 of 72")

	term.press("Fgrace@")
	match := selectedRow(term.see("1 of 1 found", "grace@navy.mil"))
	term.press("<esc>")
	if frame := term.gone("that were read"); selectedRow(frame) != match {
		t.Errorf("esc left the match %q:\n%s", match, frame)
	}

	term.press("2")
	term.see("HOLDS")
	term.press("Fhandle#ada<enter>")
	term.see("found, of ", "that were read", "UNIQ#HANDLE#")
	term.press("<esc>")
	term.gone("that were read")

	term.press("3")
	term.see("order_id", "us-east-1")
	term.press("Fgh")
	term.see("No matching counters.")
	term.press("<ctrl+u>ORDER<enter>")
	if frame := term.see("order_id", "found, of"); strings.Contains(frame, "us-east-1") {
		t.Errorf("a counter that does not hold the letters is listed:\n%s", frame)
	}
	term.press("<esc>")
	term.see("us-east-1")

	term.press("1Fmel<enter>f")
	if frame := term.see("1 of 1 found, of 7 with problems"); strings.Contains(frame, "that were read") {
		t.Errorf("of the problems it is said that no more was read:\n%s", frame)
	}
	term.press("<esc>f")

	term.press("1:filter ada<enter>")
	term.see("F ada", "esc show all", "that were read")
}

// On the counters, the key for find filters the list, because counters have no values to find. The command line finds
// values there, too.
func TestFindFiltersCounters(t *testing.T) {
	term := drawn(t).run(t)
	term.see("confirmed")
	term.press("3")
	term.see("order_id", "us-east-1", "/ filter")
	term.press("/ORDER")
	term.see("/ ORDER", "enter done")
	term.press("<enter>")
	if frame := term.see("/ ORDER", "1 of 1 found", "esc show all"); strings.Contains(frame, "us-east-1") {
		t.Errorf("a counter without the letters is listed:\n%s", frame)
	}
	term.press("?")
	term.see("/ F      filter rows")
	term.press("<esc><esc>")
	term.see("us-east-1")
	term.press(":find alan<enter>")
	term.see("No account holds the username")
}

// A filter that makes a list short does not start further reads of the table.
func TestLettersReadNothing(t *testing.T) {
	term := large(t).run(t)
	term.see("% read")
	term.quiet()
	all := row(term.see("1 of ", "% read · provisional"), "% read")
	term.press("Fno such row")
	term.see("No matching rows.")
	term.press("<enter>jGj")
	term.quiet()
	term.press("<esc>")
	if now := row(term.see("1 of ", "% read · provisional"), "% read"); now != all {
		t.Errorf("more was read for letters:\n%s\n%s", all, now)
	}
}

// A journal without changes cannot be filtered, and the reason is about changes.
func TestNothingToLookThrough(t *testing.T) {
	term := drawn(t).run(t)
	term.see("confirmed")
	term.press("5")
	term.see("No changes yet.")
	term.press("F")
	term.see("There are no changes yet.")
}

// In a long list, a filter shows the first matching rows at once, and the others after a search in the background. The
// cursor stays on its row.
func TestLettersNarrowALongList(t *testing.T) {
	t.Parallel()
	s := alone(t, func(o *dynamo.Options) { o.AutoReadUnits = 1_000 })
	s.withAccounts(t, 700)
	for _, tab := range []string{"1", "2"} {
		term := s.run(t)
		term.see("% read")
		term.press(tab + "GG")
		at := selected(term.see("confirmed"))
		for at == "" {
			term.press("<ctrl+u>")
			at = selected(term.screen())
		}
		term.press("Fmore")
		if frame := term.see("of 1,400 found, of "); selected(frame) != at {
			t.Errorf("the cursor was on %q, and is on another row:\n%s", at, frame)
		}
		term.press("<esc>")
		if frame := term.gone("that were read"); selected(frame) != at {
			t.Errorf("the cursor was on %q, and is on another row:\n%s", at, frame)
		}
		term.press("F")
		term.press("no such row")
		term.see("No matching rows.")
		term.end()
	}
}

// selectedRow returns the value and the verdict of the selected row.
func selectedRow(frame string) string {
	for line := range strings.Lines(frame) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "▸") {
			return strings.Join(fields[len(fields)-3:], " ")
		}
	}
	return ""
}

// selected returns the value of the selected row.
func selected(frame string) string {
	for line := range strings.Lines(frame) {
		if strings.HasPrefix(line, "▸") {
			return value.FindString(line)
		}
	}
	return ""
}

var value = regexp.MustCompile(`more\d+`)

// A filter finds a value with control characters by the text that the list shows.
func TestAFilterFindsAnEscapedText(t *testing.T) {
	term := drawn(t).run(t)
	term.see("1 of 72", "confirmed")
	term.press(`F\x1b]0;owned`)
	term.see("of 1 found", `username \x1b]0;owned`)
}
