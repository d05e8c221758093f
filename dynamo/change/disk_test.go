//go:build linux || darwin

package change_test

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// If the disk is full before the first byte of a journal line, the change is not sent.
func TestAFullDiskSendsNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	f := start(t)
	if err := os.MkdirAll(filepath.Dir(f.journal), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", f.journal); err != nil {
		t.Fatal(err)
	}
	r := f.bump()
	if r.Outcome != journal.Refused || client.KindOf(r.Err) != client.Failed || !strings.Contains(r.Err.Error(), "no space left") {
		t.Errorf("%s %v; want refused, with a word on the space, and nobody blamed", r.Outcome, r.Err)
	}
	if f.writes() != 0 {
		t.Error("it was sent all the same")
	}
}

// If the disk gets full in the middle of a journal line, the change is not sent, and the next line is complete. The
// test sets a limit of the operating system, which holds for all files of this process.
func TestADiskThatFillsUpSpoilsNoLine(t *testing.T) { // not parallel: the limit is for the process
	f := start(t)
	f.bump()
	whole, err := os.ReadFile(f.journal)
	if err != nil {
		t.Fatal(err)
	}
	// Make the journal longer than any other file of the test, so that only the journal reaches the limit.
	whole = append(append(whole, bytes.Repeat([]byte(" "), 8<<20)...), '\n')
	if err := os.WriteFile(f.journal, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // the write then fails, and does not kill the process
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	limit := was
	limit.Cur = uint64(len(whole) + 100)
	p := f.planBump()
	writes := f.writes()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	r := f.changer.Apply(t.Context(), p, nil)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if r.Outcome != journal.Refused || r.Err == nil || f.writes() != writes {
		t.Errorf("%s %v, %d sent; want nothing sent", r.Outcome, r.Err, f.writes()-writes)
	}
	if now, err := os.ReadFile(f.journal); err != nil || !bytes.Equal(now, whole) {
		t.Errorf("the journal has %d bytes; it had %d (%v)", len(now), len(whole), err)
	}
	f.bump()
	if n := f.closed()[journal.Applied]; n != 2 {
		t.Errorf("%d changes are applied; want 2", n)
	}
}

// The answer cannot be written into the journal: the receipt has the true outcome, and says that the journal lacks it.
func TestAnAnswerThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.after = func(operation string, _ []byte) error {
		if operation == "TransactWriteItems" {
			if err := os.Chmod(f.journal, 0o400); err != nil {
				t.Error(err)
			}
			if err := os.Rename(f.journal, f.journal+".away"); err != nil {
				t.Error(err)
			}
			if err := os.Mkdir(f.journal, 0o700); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	if r := f.bump(); r.Outcome != journal.Applied || codes(r.Reasons) != "Journal" {
		t.Errorf("%s %v; want applied, with a word on the journal", r.Outcome, r.Reasons)
	}
}

// A journal is refused if other users can replace it with another file.
func TestADirectoryThatOthersCanWriteIsRefused(t *testing.T) {
	dir := t.TempDir()
	for mode, fine := range map[os.FileMode]bool{0o777: false, 0o770: false, 0o755: true, 0o777 | os.ModeSticky: true} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		_, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
		if (err == nil) != fine || (err != nil && !strings.Contains(err.Error(), "chmod go-w "+phrase.ShellWord(dir))) {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
}

// Opening a journal removes other users' permission to read it.
func TestAJournalIsMadePrivate(t *testing.T) {
	path := filepath.Join(private(t), "journal.jsonl")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
