package ui_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lists are saved in their present order and filter. The extension of the file decides between CSV and lines of JSON.
// An existing file is replaced only after a question.
func TestListsAreSaved(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	dir := t.TempDir()
	save := func(what, name string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		term.press("w")
		term.see("Save the", what)
		term.press("<ctrl+u>" + file + "<enter>")
		term.gone("Save the")
		return read(t, file)
	}
	table := func(text string) (heads map[string]int, rows [][]string) {
		t.Helper()
		all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		heads = map[string]int{}
		for n, name := range all[0] {
			heads[name] = n
		}
		return heads, all[1:]
	}
	frame := term.see("confirmed")
	heads, rows := table(save("of accounts", "all.csv"))
	if !strings.Contains(frame, fmt.Sprintf("1 of %d ", len(rows))) {
		t.Errorf("%d values were saved", len(rows))
	}
	for _, r := range rows {
		if r[heads["value"]] == "alan" && (r[heads["verdict"]] != "orphaned" || r[heads["account"]] != "" || r[heads["lock"]] != `{"PK":{"S":"UNIQ#HANDLE#alan"},"SK":{"S":"LOCK"}}`) {
			t.Errorf("alan is %q", r)
		}
	}
	term.press("f")
	term.see("only problems")
	_, problems := table(save("of accounts", "problems.csv"))
	if len(problems) == 0 || len(problems) >= len(rows) {
		t.Errorf("%d problems of %d values", len(problems), len(rows))
	}
	term.press("f2")
	term.see("HOLDS")
	lines := strings.Split(strings.TrimSpace(save("locks of accounts", "locks.jsonl")), "\n")
	for _, line := range lines {
		var lock struct {
			Lock    map[string]any
			Verdict string
		}
		if err := json.Unmarshal([]byte(line), &lock); err != nil || lock.Lock == nil || lock.Verdict == "" {
			t.Errorf("%s: %v", line, err)
		}
	}
	for !strings.Contains(row(term.screen(), "▸"), "orphaned") {
		term.press("n")
	}
	term.press("<space>")
	term.see("1 marked")
	if marked := save("1 marked lock", "marked.jsonl"); strings.Count(marked, "\n") != 1 || !strings.Contains(strings.Join(lines, "\n"), strings.TrimSpace(marked)) {
		t.Errorf("the marked lock was saved as %s", marked)
	}
	term.press("3")
	term.see("HEALTH", "order_id")
	heads, rows = table(save("counters, as read at", "counters.csv"))
	found := false
	for _, r := range rows {
		found = found || r[heads["name"]] == "order_id" && r[heads["table"]] != "" && r[heads["value"]] != "" && !strings.Contains(r[heads["value"]], ",")
	}
	if !found {
		t.Errorf("order_id is not among %q", rows)
	}
	term.press("w<ctrl+u>" + filepath.Join(dir, "all.csv") + "<enter>")
	term.see("This file already exists.", "▸ No, leave it")
	if info, err := os.Stat(filepath.Join(dir, "all.csv")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// With a filter, only the matching findings are saved, without the summary of the check.
func TestSomeFindingsAreSaved(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked")
	file := filepath.Join(t.TempDir(), "f")
	term.press("Forphaned<enter>w")
	term.see("Saves 3 of the 6 findings of accounts")
	term.press("<ctrl+u>" + file + ".jsonl<enter>")
	term.gone("Save the")
	if saved := read(t, file+".jsonl"); strings.Count(saved, `"orphaned-lock"`) != 3 || strings.Count(saved, "\n") != 3 {
		t.Errorf("it holds %s", saved)
	}
	term.press("<esc>w<ctrl+u>" + file + ".csv<enter>")
	term.gone("Save the")
	saved, err := csv.NewReader(strings.NewReader(read(t, file+".csv"))).ReadAll()
	if err != nil || len(saved) != 7 || saved[0][0] != "finding" {
		t.Errorf("it holds %q, %v", saved, err)
	}
}

// Without a layout, the items of a table are saved as DynamoDB JSON.
func TestItemsAreSaved(t *testing.T) {
	s := onDemo(t)
	s.withSessions(t)
	term := s.run(t)
	term.see("! no layout")
	file := filepath.Join(t.TempDir(), "items")
	for _, ext := range []string{".jsonl", ".csv"} {
		term.press("w")
		term.see("Saves 30 items of sessions")
		term.press("<ctrl+u>" + file + ext + "<enter>")
		term.gone("Save the items")
	}
	for line := range strings.Lines(read(t, file+".jsonl")) {
		var item struct {
			N struct{ N string } `json:"n"`
		}
		if err := json.Unmarshal([]byte(line), &item); err != nil || item.N.N == "" {
			t.Errorf("%s: %v", line, err)
		}
	}
	if saved := read(t, file+".csv"); strings.Count(saved, "\n") != 31 || !strings.Contains(saved, ",123") {
		t.Errorf("the CSV holds %s", saved)
	}
}
