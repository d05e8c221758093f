package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A journal with invalid plans, edited by hand, is shown. No key on such a change crashes the program.
func TestAJournalEditedByHandIsShown(t *testing.T) {
	plans := []string{
		``, `,"plan":null`, `,"plan":{}`, `,"plan":{"kind":"release","steps":null,"images":null,"lines":null}`, `,"plan":{"steps":[{}],"images":[{}],"lines":[{}]}`,
		`,"plan":{"kind":"bump","counter":"order_id","before":"-5","after":"x","steps":[{"name":"bump","writes":[{}]}]}`,
		`,"plan":{"kind":"release","constraint":"username","value":"\u001b[2J\u202e","steps":[{"name":"mark","writes":[]},{"name":"unmark"}],"price":{"write_units":-1}}`,
		`,"plan":{"kind":"delete-account","tables":{"":""},"steps":[{"writes":[{"verb":"put","item":{"a":{"M":{}}}},{"verb":"x","key":{"b":{"N":"1"}}}]}],"images":[{"table":"x","key":null,"item":{}}]}`,
	}
	s := onDemo(t)
	var journal strings.Builder
	n := 0
	for _, plan := range plans {
		for _, step := range []string{"mark", "bump", ""} {
			n++
			fmt.Fprintf(&journal, `{"event":"send","receipt":"R-%d","step":"%s","at":"2026-01-01T00:00:00Z","run":"../x","connection":"%s","endpoint":"%s","region":"%s"%s}`+"\n", n, step, s.conn.Name(), s.conn.Endpoint(), s.conn.Region(), plan)
			if answer := []string{"", `,"outcome":"applied"`, `,"outcome":7`, `,"outcome":"refused"`}[n%4]; answer != "" {
				fmt.Fprintf(&journal, `{"event":"answer","receipt":"R-%d","step":"%s","at":"2026-01-01T00:00:01Z"%s}`+"\n", n, step, answer)
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.journal()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.journal(), []byte(journal.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	term := s.run(t)
	term.see("confirmed")
	term.press("5")
	for row := range n {
		term.see(fmt.Sprintf("%d of %d", row+1, n))
		for _, key := range []string{"<enter>", "Y", "<esc>", "u", "<esc>", "m", "<esc>"} {
			term.press(key)
			term.screen()
		}
		term.press("5j")
	}
	term.see(fmt.Sprintf("%d of %d", n, n))
}
