package session_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"tallylock/ui/session"
)

func TestFreeNameCountsUp(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"accounts-plan.json", "accounts-plan-2.json", "accounts-plan-3.json"} {
		got := session.FreeName(filepath.Join(dir, session.PlanName("arn:aws:dynamodb:eu-west-1:1:table/accounts")))
		if got != filepath.Join(dir, want) {
			t.Errorf("%s, want %s", got, want)
		}
		if err := os.WriteFile(got, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A file is replaced as a whole and keeps its mode. After an error, the folder has only the old file.
func TestUpdateFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.jsonl")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	for _, fails := range []error{full, nil} {
		err := session.UpdateFile(file, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, "new")
			return errors.Join(err, fails)
		})
		text, _ := os.ReadFile(file)
		info, _ := os.Stat(file)
		want := "new"
		if fails != nil {
			want = "old"
		}
		if !errors.Is(err, fails) || string(text) != want || info.Mode().Perm() != 0o640 {
			t.Errorf("%v: %q, %v, %v", fails, text, info.Mode(), err)
		}
		if all, _ := os.ReadDir(filepath.Dir(file)); len(all) != 1 {
			t.Errorf("%v: there is more: %v", fails, all)
		}
	}
}

// A full disk leaves the old file as it is.
func TestUpdateFileOnAFullDisk(t *testing.T) {
	dir := smallDisk(t)
	file := filepath.Join(dir, "known.jsonl")
	for _, replace := range []func(data []byte) error{
		func(data []byte) error { return session.WriteFile(file, data, true) },
		func(data []byte) error {
			return session.UpdateFile(file, 0o600, func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
		},
	} {
		if err := replace([]byte("old")); err != nil {
			t.Fatal(err)
		}
		if err := replace(make([]byte, 1<<20)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the error is %v", err)
		}
		text, _ := os.ReadFile(file)
		if all, _ := os.ReadDir(dir); string(text) != "old" || len(all) != 1 {
			t.Errorf("there is %q, in %v", text, all)
		}
	}
}

// A process that is killed while it writes a file leaves nothing beside that file, because the new file has no name yet.
func TestAFileHasNoNameWhileItIsWritten(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no files without a name")
	}
	file := filepath.Join(t.TempDir(), "known.jsonl")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := session.UpdateFile(file, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		if all, _ := os.ReadDir(filepath.Dir(file)); len(all) != 1 {
			t.Errorf("there is more: %v", all)
		}
		return err
	})
	text, _ := os.ReadFile(file)
	if all, _ := os.ReadDir(filepath.Dir(file)); err != nil || string(text) != "new" || len(all) != 1 {
		t.Errorf("%q, %v, %v", text, all, err)
	}
}

// Where temporary files have names, the next write removes the files of killed processes, but only old ones.
func TestOldTemporaryFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{".tallylock-1": 2 * time.Hour, ".tallylock-2": time.Minute, "other-1": 2 * time.Hour} {
		at := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name), nil, 0o600), os.Chtimes(filepath.Join(dir, name), at, at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := session.WriteFile(filepath.Join(dir, "report.html"), nil, true); err != nil {
		t.Fatal(err)
	}
	all, _ := os.ReadDir(dir)
	var names []string
	for _, one := range all {
		names = append(names, one.Name())
	}
	if got := strings.Join(names, " "); got != ".tallylock-2 other-1 report.html" {
		t.Error(got)
	}
}
