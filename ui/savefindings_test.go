package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/check/finding"
)

// Findings are saved in the format of `check --output jsonl`, in a file that only its owner can read. An existing file
// is replaced only after a question.
func TestFindingsAreSaved(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked")
	file := filepath.Join(t.TempDir(), "f.jsonl")
	ask := func(path string) {
		term.press("w")
		term.see("Save the findings", "Saves 6 findings of accounts", "accounts-findings.jsonl")
		term.press("<ctrl+u>" + path + "<enter>")
	}
	ask(file)
	term.gone("Save the findings")
	saved := read(t, file)
	kinds := map[finding.Kind]int{}
	if err := finding.Read(strings.NewReader(saved), func(f finding.Finding) error {
		if f.Table != "accounts" || !f.Confirmed || f.Detail == "" {
			t.Errorf("a finding lacks something: %+v", f)
		}
		kinds[f.Kind]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(kinds) != 4 || kinds[finding.OrphanedLock] != 3 {
		t.Errorf("it holds %v", kinds)
	}
	lines := strings.Split(strings.TrimSpace(saved), "\n")
	if last := lines[len(lines)-1]; len(lines) != 7 || !strings.HasPrefix(last, `{"summary":{"table":"accounts"`) {
		t.Errorf("%d lines, the last of them %s", len(lines), last)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}

	const own = "somebody's own\n"
	if err := os.WriteFile(file, []byte(own), 0o640); err != nil {
		t.Fatal(err)
	}
	ask(file)
	term.see("This file already exists.", "▸ No, leave it", "Replace it")
	term.press("<enter>")
	term.gone("Save the findings")
	if got := read(t, file); got != own {
		t.Errorf("it was overwritten unasked: %s", got)
	}
	ask(file)
	term.see("This file already exists.")
	term.press("<tab><enter>")
	term.gone("Save the findings")
	if got := read(t, file); got != saved {
		t.Errorf("replaced, it holds %s", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("replaced, others may read it: %v, %v", info.Mode(), err)
	}

	ask(filepath.Join(t.TempDir(), "none", "f"))
	term.see("not saved", "No such file")
	term.press("<ctrl+u>  <enter>") // only blanks
	term.see("not saved", "Name a file")
	term.press("<esc>")
	term.gone("Save the findings")
	ask(filepath.Dir(file)) // a directory cannot be replaced
	term.see("not saved", "not an ordinary file")
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
