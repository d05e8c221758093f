package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"tallylock/dynamo/client"
)

// How long the journal's lock is waited for, and how often it is asked for: it is
// kept for as long as a line takes.
const (
	lockWithin = 10 * time.Second
	lockEach   = 5 * time.Millisecond
)

// lock keeps others from the journal while it is written. The lock is a file beside
// it, since pruning puts another file in the journal's place.
func (j *Journal) lock(ctx context.Context) (unlock func(), err error) {
	if j.toRead {
		return nil, errors.New("it was opened to be read")
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case j.writing <- struct{}{}:
	}
	defer func() {
		if err != nil {
			<-j.writing
		}
	}()
	if err := makeDir(filepath.Dir(j.path)); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	l := flock.New(j.path+".lock", flock.SetPermissions(0o600))
	switch _, err := l.TryLockContext(within, lockEach); {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another process keeps its lock %s; if one hangs, end it", l.Path())
	case err != nil:
		return nil, err
	}
	return func() {
		_ = l.Unlock() // nothing can be done about it, and the lock ends with the process
		<-j.writing
	}, nil
}

// Begin holds a new run.
func (j *Journal) Begin(run string) (release func(), err error) {
	release, free, err := j.Hold(run)
	if err == nil && !free {
		err = &client.Error{
			Kind: client.Usage,
			Op:   "making the change " + run,
			Why:  "it is being made already",
			Do:   "wait until it is done",
		}
	}
	return release, err
}

// Hold says that changes are being made under the name of a run. It reports false
// where they are being made already, here or by another process; that ends with
// the process.
func (j *Journal) Hold(run string) (release func(), free bool, err error) {
	if strings.ContainsAny(run, `/\`) || len(run) > 100 {
		return nil, false, j.wrap("reading", fmt.Errorf("%q is no name of a change", run))
	}
	l := flock.New(j.path+"."+run+".lock", flock.SetPermissions(0o600))
	if j.toRead && !there(l.Path()) {
		return func() {}, true, nil // whoever makes them would have made it
	}
	if err := makeDir(filepath.Dir(j.path)); err != nil {
		return nil, false, j.wrap("writing", err)
	}
	for {
		if free, err = l.TryLock(); err != nil {
			return nil, false, j.wrap("writing", err)
		}
		if !free {
			return nil, false, nil
		}
		if current(l) {
			return func() { _ = errors.Join(os.Remove(l.Path()), l.Unlock()) }, true, nil // it ends with the process, too
		}
		if err := l.Unlock(); err != nil {
			return nil, false, j.wrap("writing", err)
		}
	}
}

// current reports whether a lock is on the file that its name leads to: whoever held
// it before may have removed that in the moment before it was taken.
func current(l *flock.Flock) bool {
	have, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.Path())
	return err == nil && os.SameFile(have, named)
}

// sweep removes what keeps others from changes that nobody makes any more: processes
// that were killed have left it.
func (j *Journal) sweep() error {
	dir, name := filepath.Split(j.path)
	files, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return err
	}
	for _, file := range files {
		run, ours := strings.CutPrefix(file.Name(), name+".")
		run, lock := strings.CutSuffix(run, ".lock")
		if !ours || !lock {
			continue
		}
		switch release, free, err := j.Hold(run); {
		case err != nil:
			return err
		case free:
			release()
		}
	}
	return nil
}

// makeDir makes a directory, and those above it, for the user alone, so that they
// last.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above := filepath.Dir(dir)
	if err := makeDir(above); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(above)
}

// syncDir has the names in a directory last: syncing a file does not do that for its
// own (fsync(2)). Windows has no such thing, nor have some file systems, and a
// directory that may be written may still not be read.
func syncDir(dir string) error {
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
