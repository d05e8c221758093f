package adopt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"

	"tallylock/dynamo/adopt"
	"tallylock/internal/fixture"
)

// The record of an adoption cannot be locked: another process hangs with the lock, or the lock file cannot be opened.
// The error names the file and what to do, and nothing is recorded.
func TestARecordThatCannotBeLocked(t *testing.T) {
	t.Parallel()
	for want, obstruct := range map[string]func(t *testing.T, lock string){
		"another process holds the lock %; wait until that process has finished; if it hangs, end it": func(t *testing.T, lock string) {
			t.Helper()
			other := flock.New(lock)
			if err := other.Lock(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = other.Unlock() })
		},
		"cannot open the lock file %: is a directory; make its folder readable and writable for you": func(t *testing.T, lock string) {
			t.Helper()
			if err := os.Mkdir(lock, 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := fixture.New(t)
			f.Create("people", "PK:S", "SK:S")
			f.Put("people", fixture.Account("1", "ada@x.io", "ada"))
			r := open(t, f.Open("people", fixture.Described(fixture.Layout("people", rule()))))
			record := adopt.OpenRecord(filepath.Join(t.TempDir(), "journal.jsonl"), r, "sam")
			if err := os.MkdirAll(record.Folder(), 0o700); err != nil {
				t.Fatal(err)
			}
			lock := record.Path() + ".lock"
			obstruct(t, lock)
			err := record.Append(t.Context(), adopt.Event{})
			if want := strings.ReplaceAll(want, "%", lock); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nwant %s", err, want)
			}
			if _, err := os.Stat(record.Path()); !os.IsNotExist(err) {
				t.Errorf("the record exists: %v", err)
			}
		})
	}
}
