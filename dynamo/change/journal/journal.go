// Package journal is the file that knows of every change before the table does: JSON
// lines, each with a hash of the one before it, synced to the disk.
//
// It knows the fields of a line that it needs to tell what is open, and no plan: those
// are bytes to it. It imports client, for errors, and phrase; nothing of change.
// Start reading at Journal and Entry; parse.go reads lines, and record.go tells from them
// what became of a change.
package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/adrg/xdg"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Journal is the record of every change: JSON lines, appended and synced to the
// disk before a step is sent and after its answer. Two processes may write one
// journal. Values of the table stand in it, so only its owner may read it.
type Journal struct {
	path   string
	parser parser
	// writing holds one token: whoever has put it in writes, within this process.
	// named is set by that writer once the file's name is on the disk, too.
	writing chan struct{}
	named   bool
	// trusted: it is acted on although its chain is broken.
	trusted bool
	// toRead: nothing is written, to it or beside it.
	toRead bool
}

// Describe says of a plan in the lines of older versions, which had nothing but the
// plan, what it does, to which table, and why.
type Describe func(plan json.RawMessage) (what, table, reason string)

// Default is where the journal is unless it is said otherwise: in the user's state
// directory (XDG Base Directory Specification).
func Default() string {
	return filepath.Join(xdg.StateHome, "tallylock", "journal.jsonl")
}

// Open opens a journal. Its directory is made if need be, for the user alone. A journal
// that others can write, or put another in the place of, could be made to tell lies: it
// is refused. Nothing is created before the first change.
func Open(path string, describe Describe) (*Journal, error) {
	j := &Journal{path: path, parser: parser{describe}, writing: make(chan struct{}, 1)}
	if err := private(j.path); err != nil {
		return nil, j.wrap("writing", err)
	}
	// A link is followed once and for all: whoever comes by it and whoever comes by
	// the file itself keep to one lock, and pruning leaves the link where it is.
	file, err := filepath.EvalSymlinks(path)
	switch _, broken := os.Readlink(path); {
	case err == nil && file != path:
		j.path = file
		err = private(j.path)
	case errors.Is(err, fs.ErrNotExist) && broken != nil:
		err = nil // it is made with the first change
	}
	if err != nil {
		return nil, j.wrap("writing", err)
	}
	return j, nil
}

// OpenToRead opens a journal for somebody who only looks: it may be anybody's, and is left as
// it is. Nothing can be written to it.
func OpenToRead(path string, describe Describe) *Journal {
	j := &Journal{path: path, parser: parser{describe}, writing: make(chan struct{}, 1), toRead: true}
	if file, err := filepath.EvalSymlinks(path); err == nil {
		j.path = file
	}
	return j
}

// private refuses a journal at a path that is not the user's own, and takes from others the
// right to read it. On Windows the modes say nothing.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info != nil && info.IsDir() {
		return errors.New("it is a directory")
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	const others = 0o022
	dir := filepath.Dir(path)
	if in, err := os.Stat(dir); err == nil && in.Mode().Perm()&others != 0 && in.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others can write its directory (mode %04o); run: chmod go-w %s", in.Mode().Perm(), phrase.ShellWord(dir))
	}
	if info == nil {
		return nil
	}
	mode := info.Mode()
	if mode.Perm()&others != 0 {
		return fmt.Errorf("others can write it (mode %04o); run: chmod 600 %s", mode.Perm(), phrase.ShellWord(path))
	}
	if mode.IsRegular() && mode.Perm()&0o077 != 0 {
		return os.Chmod(path, 0o600) // values of the table stand in it
	}
	return nil
}

// Path is where the journal is.
func (j *Journal) Path() string { return j.path }

func (j *Journal) wrap(doing string, err error) error {
	if errors.Is(err, context.Canceled) {
		return &client.Error{
			Kind: client.Cancelled,
			Op:   doing + " the journal " + j.path,
			Why:  "stopped before it was done",
			Err:  err,
		}
	}
	kind := client.Usage
	if no, ok := errors.AsType[syscall.Errno](err); ok && no != syscall.ENOTDIR {
		kind = client.Failed // the place can be one, and the system does not let us
	}
	return &client.Error{
		Kind: kind,
		Op:   doing + " the journal " + j.path,
		Why:  err.Error(),
		Do:   "nothing is sent that cannot be written there first; choose another place with --journal",
		Err:  err,
	}
}

// Append writes one line and syncs it. A line that an earlier crash tore is ended
// first; one that could not be written whole, since the disk is full, is taken
// back.
func (j *Journal) Append(ctx context.Context, e Entry) error {
	if err := j.append(ctx, e); err != nil {
		return j.wrap("writing", err)
	}
	return nil
}

func (j *Journal) append(ctx context.Context, e Entry) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	unlock, err := j.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if !j.named {
		if err := syncDir(filepath.Dir(j.path)); err != nil {
			return errors.Join(err, f.Close())
		}
		j.named = true
	}
	end, torn, err := ending(f)
	var before []byte
	if err == nil {
		before, err = lastContent(f, end)
	}
	if err == nil {
		if line = linked(before, line); torn {
			line = append([]byte{'\n'}, line...)
		}
		if _, err = f.Write(line); err == nil {
			err = f.Sync()
		}
		if err != nil {
			_ = f.Truncate(end) // where that fails, too, it is a torn line
		}
	}
	return errors.Join(err, f.Close())
}

// ending is how long a file is, and whether its last line has no end.
func ending(f *os.File) (size int64, torn bool, err error) {
	size, err = f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return size, false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], size-1)
	return size, last[0] != '\n', err
}

// Sent calls visit with what was written down before each step that was sent, of those
// lines that contain a text. It reads only these whole.
func (j *Journal) Sent(ctx context.Context, text []byte, visit func(Entry)) error {
	f, err := os.Open(j.path)
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
		if !bytes.Contains(line, text) { // spares nearly every line
			continue
		}
		if e, ok := j.parser.entry(line); ok && e.Event == EventSend {
			visit(e)
		}
	}
	return nil
}
