// Package durable locks and writes files that several processes share, so that a crash damages at most the last line.
package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// The timeout of Lock, and the interval between its attempts. A process holds such a lock only while it writes a line,
// or replaces the file.
const (
	lockTimeout = 10 * time.Second
	lockRetry   = 5 * time.Millisecond
)

// ErrHeld is the cause of an error of Lock if another process holds the lock for too long.
var ErrHeld = errors.New("another process holds the lock")

// LockError is the error of a file that cannot be locked. Its cause has no path.
type LockError struct {
	Path string
	Err  error // ErrHeld, or the system's error
}

func (e *LockError) Error() string {
	if errors.Is(e.Err, ErrHeld) {
		return e.Err.Error() + " " + e.Path
	}
	return fmt.Sprintf("cannot open the lock file %s: %s", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *LockError) Unwrap() error { return e.Err }

// Lock locks a file among all processes, and creates a missing file with mode 0600. It waits at most ten seconds, and
// then returns a *LockError. If ctx ends first, it returns the error of ctx. The lock also ends with its process. On
// some systems, two calls of one process do not exclude each other.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	within, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	l := flock.New(path, flock.SetPermissions(0o600))
	switch _, err := l.TryLockContext(within, lockRetry); {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &LockError{path, ErrHeld}
	case err != nil:
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return nil, &LockError{path, err}
	}
	return func() { _ = l.Unlock() }, nil // if that fails, the lock ends with the process
}

// Append appends a text to a file, and syncs the file. A missing file is created with mode 0600. content gets the file
// and its size, and returns the text; torn is set if a crash tore the last line, so that its newline is missing. If
// Append cannot write the whole text, as on a full disk, it removes the part that it wrote. The caller holds a lock.
func Append(path string, content func(f *os.File, size int64, torn bool) (text []byte, err error)) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, torn, err := end(f)
	if err != nil {
		return err
	}
	text, err := content(f, size, torn)
	if err != nil {
		return err
	}
	if size, err = f.Seek(0, io.SeekEnd); err != nil { // content may have cut the torn line off
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(size) // if that fails too, a torn line remains
	}
	return err
}

// end returns the size of a file, and whether its last line lacks a newline.
func end(f *os.File) (size int64, torn bool, err error) {
	size, err = f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return size, false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], size-1)
	return size, last[0] != '\n', err
}

// SyncDir makes the names of the files in a folder durable. Syncing a file does not make its own name durable
// (fsync(2)). SyncDir does nothing on Windows, on a file system that cannot sync folders, and for a folder that the
// user may write but not read.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
