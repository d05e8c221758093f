package answers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
)

// The file of the answers cannot be locked: another process hangs with the lock, or the lock file cannot be opened. The
// error names the file, and nothing is written.
func TestAnswersThatCannotBeLocked(t *testing.T) {
	t.Parallel()
	for want, obstruct := range map[string]func(t *testing.T, lock string){
		"another process holds the lock %": func(t *testing.T, lock string) {
			t.Helper()
			other := flock.New(lock)
			if err := other.Lock(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = other.Unlock() })
		},
		"cannot open the lock file %: is a directory": func(t *testing.T, lock string) {
			t.Helper()
			if err := os.Mkdir(lock, 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "answers.jsonl")
			obstruct(t, path+".lock")
			_, err := answers.Open(path).Add(answers.Entry{Tables: people, Place: place("ORDER#*"), Answer: layout.Hold})
			if want := strings.ReplaceAll(want, "%", path+".lock"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nwant %s", err, want)
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("the file exists: %v", err)
			}
		})
	}
}
