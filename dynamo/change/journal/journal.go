// Package journal is the log of all changes: a file of JSON lines, each with a hash of the line before it. The line
// about a step is synced to the disk before the step is sent.
//
// The package decodes the fields of a line that show whether a change is open. It does not decode the plan. It
// imports no other package of change.
//
// Start reading at Journal and Entry; parse.go reads lines, and record.go derives the outcome of a change from them.
package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/adrg/xdg"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/durable"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// Journal is the log of all changes. A line is appended and fsynced before a step is sent, and another one after
// its answer. Several processes may write one journal. The journal contains values from tables, so only its owner
// may read it.
type Journal struct {
	path string
	// writing is a semaphore of size one. In this process, only its holder may write or use dirSynced.
	writing   chan struct{}
	dirSynced bool // the journal's directory was synced
	trusted   bool // a broken chain is accepted
	readOnly  bool // no file is written: neither the journal nor a lock
}

// Default returns the default path of the journal, in the user's state directory (XDG Base Directory
// Specification).
func Default() string {
	return filepath.Join(xdg.StateHome, "tallylock", "journal.jsonl")
}

// Open opens a journal. It refuses a journal that others can write or replace, since such a journal cannot be trusted.
// It creates nothing: the first change creates the file with mode 0600, and its directory with mode 0700.
func Open(path string) (*Journal, error) {
	j := &Journal{path: path, writing: make(chan struct{}, 1)}
	if err := checkPrivate(j.path); err != nil {
		return nil, j.wrap("writing", err)
	}
	// A symbolic link is resolved once. So processes that open the link and processes that open the file use
	// the same lock, and pruning keeps the link.
	file, err := filepath.EvalSymlinks(path)
	switch _, broken := os.Readlink(path); {
	case err == nil && file != path:
		j.path = file
		err = checkPrivate(j.path)
	case errors.Is(err, fs.ErrNotExist) && broken != nil:
		err = nil // the first change creates the file
	}
	if err != nil {
		return nil, j.wrap("writing", err)
	}
	return j, nil
}

// OpenReadOnly opens a journal for reading. The file may belong to another user. Append returns an error.
func OpenReadOnly(path string) *Journal {
	j := &Journal{path: path, writing: make(chan struct{}, 1), readOnly: true}
	if file, err := filepath.EvalSymlinks(path); err == nil {
		j.path = file
	}
	return j
}

// checkPrivate returns an error if others can write the journal or its directory. It removes the permission of
// others to read the journal. On Windows it does not check modes, which mean nothing there.
func checkPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch {
	case info != nil && info.IsDir():
		return errors.New("this path is a directory")
	case info != nil && isPipe(info):
		return errPipe
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	const others = 0o022
	dir := filepath.Dir(path)
	if in, err := os.Stat(dir); err == nil && in.Mode().Perm()&others != 0 && in.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("other users can write the journal's directory (mode %04o); run: chmod go-w %s", in.Mode().Perm(),
			phrase.ShellWord(dir))
	}
	if info == nil {
		return nil
	}
	mode := info.Mode()
	if mode.Perm()&others != 0 {
		return fmt.Errorf("other users can write the journal (mode %04o); run: chmod 600 %s", mode.Perm(), phrase.ShellWord(path))
	}
	if !mode.IsRegular() || mode.Perm()&0o077 == 0 {
		return nil
	}
	if err := checkJournal(path); err != nil {
		return err // the file is no journal, so its mode stays: the path may be a mistake
	}
	return os.Chmod(path, 0o600) // the journal contains values of the table
}

// errPipe is the error for a pipe. Opening a pipe blocks until its other end is opened.
var errPipe = errors.New("this path is a pipe; a journal must be a file")

func isPipe(info fs.FileInfo) bool { return info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 }

// openFile opens a journal's file for reading. It refuses a pipe.
func openFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && isPipe(info) {
		return nil, errPipe
	}
	return os.Open(path)
}

// Path returns the path of the journal.
func (j *Journal) Path() string { return j.path }

// FileOf returns the path of the file that a change of many transactions keeps beside the journal, by its receipt.
func (j *Journal) FileOf(receipt string) string {
	return filepath.Join(filepath.Dir(j.path), "adopt", filepath.Base(receipt)+".jsonl")
}

func (j *Journal) wrap(doing string, err error) error {
	if known, ok := errors.AsType[*client.Error](err); ok {
		return known
	}
	if errors.Is(err, context.Canceled) {
		return &client.Error{
			Kind: client.Cancelled,
			Op:   doing + " the journal " + j.path,
			Why:  "stopped before it was finished",
			Err:  err,
		}
	}
	kind := client.Usage
	if no, ok := errors.AsType[syscall.Errno](err); ok && no != syscall.ENOTDIR {
		kind = client.Failed // the path is correct, but the system refuses it
	}
	do := remedy.OtherJournal
	if doing == "writing" {
		do = remedy.OtherJournalPlace
	}
	return &client.Error{
		Kind:   kind,
		Op:     doing + " the journal " + j.path,
		Why:    cause(err).Error(),
		Remedy: remedy.Of(do),
		Err:    err,
	}
}

// Append writes one line and fsyncs it. If an earlier crash tore the last line, Append terminates that line
// first. If Append cannot write the whole line, as on a full disk, it removes the part that it wrote.
func (j *Journal) Append(ctx context.Context, e Entry) error {
	if err := j.appendLine(ctx, e); err != nil {
		return j.wrap("writing", err)
	}
	return nil
}

func (j *Journal) appendLine(ctx context.Context, e Entry) error {
	line, err := attr.JSON(e)
	if err != nil {
		return err
	}
	unlock, err := j.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return durable.Append(j.path, func(f *os.File, size int64, torn bool) ([]byte, error) {
		if !j.dirSynced {
			if err := durable.SyncDir(filepath.Dir(j.path)); err != nil {
				return nil, err
			}
			j.dirSynced = true
		}
		before, err := lastContent(f, size)
		if line = withHash(before, line); torn {
			line = append([]byte{'\n'}, line...)
		}
		return line, err
	})
}

// VisitSends calls visit with each EventSend entry whose line contains one of the texts. It decodes only such
// lines.
func (j *Journal) VisitSends(ctx context.Context, texts [][]byte, visit func(Entry)) error {
	f, err := openFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return j.wrap("reading", err)
	}
	defer f.Close()
	for line, err := range lines(f) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return j.wrap("reading", err)
		}
		has := func(text []byte) bool { return bytes.Contains(line, text) }
		if !slices.ContainsFunc(texts, has) { // skips nearly every line
			continue
		}
		if e, ok := parseEntry(line); ok && e.Event == EventSend {
			visit(e)
		}
	}
	return nil
}
