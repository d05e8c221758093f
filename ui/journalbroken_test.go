package ui_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// An edited journal is shown, but a person must type the receipt before the program acts on it.
func TestResolveFromAnEditedJournal(t *testing.T) {
	f := &faults{}
	s := onDemo(t, withFaults(f))
	term := lose(t, f, s)
	term.see("5 journal (1)")
	term.end()
	text, err := os.ReadFile(s.journal())
	if err != nil {
		t.Fatal(err)
	}
	receipt := regexp.MustCompile(`R-\d{8}-\d{6}-[a-z0-9]{8}`).Find(text)
	edited := bytes.Replace(text, []byte(`"who":"`), []byte(`"who":"not `), 1)
	if bytes.Equal(edited, text) || receipt == nil {
		t.Fatalf("nothing to edit in %s", text)
	}
	if err := os.WriteFile(s.journal(), append([]byte("x\n"), edited...), 0o600); err != nil {
		t.Fatal(err)
	}
	term = s.run(t)
	term.see("5 journal (1)")
	term.press("5")
	term.see("1 line cannot be read", "m resolve")
	term.press("m")
	term.see("does not match the line before it:", "▸ Leave it open", "Type the receipt")
	term.press("<tab><tab><enter>")
	term.see("Resolve an open change", "▸ Send it again", "Type the receipt")
	term.press("<shift+tab>")
	term.press(string(receipt))
	term.until("typed", func(frame string) bool { return !strings.Contains(frame, "Type the receipt first") })
	term.press("<tab><enter>")
	term.see("✓ Resolved", "it is applied")
}
