//go:build unix

package queue_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe with the name of an entry does not block the queue.
func TestAPipeInTheFolder(t *testing.T) {
	w := start(t)
	if err := syscall.Mkfifo(filepath.Join(w.dir, "P-"+strings.Repeat("a", 16)+".json"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, problems, err := w.queue.List(sam)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Why, "no ordinary file") &&
		!strings.Contains(problems[0].Why, "not an ordinary file") {
		t.Errorf("%+v, %v", problems, err)
	}
}
