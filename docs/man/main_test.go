package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/ui/cli"
)

// TestPages compares the page of each command with its help.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "1795392000")
	if err := run([]string{dir}); err != nil {
		t.Fatal(err)
	}
	root, _ := cli.Manual()
	for _, c := range root.Commands() {
		file := filepath.Join(dir, "tallylock-"+c.Name()+".1")
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"2026-11-23"`, "\n.SH EXIT STATUS\n0 done", `\-\-endpoint\-url URL`, text(c.Short)} {
			if !strings.Contains(string(page), part) {
				t.Errorf("%s does not say %q", file, part)
			}
		}
	}
}
