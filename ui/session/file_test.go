package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"tallylock/ui/session"
)

// Whether a file could be replaced is told without touching it, and leaves nothing behind.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{there, filepath.Join(dir, "new")} {
		if err := session.Writable(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "nowhere", "new"), os.DevNull} {
		if session.Writable(path) == nil {
			t.Errorf("%s can be replaced", path)
		}
	}
	left, err := os.ReadDir(dir)
	if data, _ := os.ReadFile(there); err != nil || len(left) != 1 || string(data) != "before" {
		t.Errorf("%v are left, %q, %v", left, data, err)
	}
}
