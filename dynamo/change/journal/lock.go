package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"tallylock/dynamo/client"
	"tallylock/dynamo/durable"
)

// lock locks the journal for writing, in this process and among all processes. The lock is a separate file,
// since pruning replaces the journal.
func (j *Journal) lock(ctx context.Context) (unlock func(), err error) {
	if j.readOnly {
		return nil, errors.New("the journal is open for reading only")
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
	release, err := durable.Lock(ctx, j.path+".lock")
	if errors.Is(err, durable.ErrHeld) {
		err = fmt.Errorf("%w; if that process hangs, end that process", err)
	}
	if err != nil {
		return nil, err
	}
	return func() {
		release()
		<-j.writing
	}, nil
}

// LockRun locks a run, like TryLockRun. It returns an error if the run is already locked.
func (j *Journal) LockRun(run string) (release func(), err error) {
	release, free, err := j.TryLockRun(run)
	if err == nil && !free {
		err = &client.Error{
			Kind: client.Failed,
			Op:   "making the change " + run,
			Why:  "another process is making this change",
			Do:   "wait until that process has finished",
		}
	}
	return release, err
}

// TryLockRun locks a run, so that nobody else applies or resolves its changes. free is false if the run is
// already locked, by this process or another. A lock ends with its process. A read-only journal takes no lock,
// and only reports whether the run is free.
func (j *Journal) TryLockRun(run string) (release func(), free bool, err error) {
	if strings.ContainsAny(run, `/\`) || len(run) > 100 {
		return nil, false, j.wrap("reading", fmt.Errorf("%q is not the id of a change", run))
	}
	l := flock.New(j.path+"."+run+".lock", flock.SetPermissions(0o600))
	if j.readOnly {
		if free, err = isUnlocked(l.Path()); err != nil {
			return nil, false, j.wrap("reading", err)
		}
		return func() {}, free, nil
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
			return func() { _ = errors.Join(os.Remove(l.Path()), l.Unlock()) }, true, nil // process exit frees it, too
		}
		if err := l.Unlock(); err != nil {
			return nil, false, j.wrap("writing", err)
		}
	}
}

// isUnlocked reports whether the lock at a path is free. It neither creates nor changes the file.
func isUnlocked(path string) (bool, error) {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // the holder of a lock creates its file, so a lock without a file has no holder
	}
	return free, errors.Join(err, l.Close())
}

// current reports whether the path of a lock still names the locked file. If not, the previous holder removed the
// file just before it was locked here, and the lock protects nothing.
func current(l *flock.Flock) bool {
	have, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.Path())
	return err == nil && os.SameFile(have, named)
}

// sweep removes the lock files that killed processes left behind.
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
		switch release, free, err := j.TryLockRun(run); {
		case err != nil:
			return err
		case free:
			release()
		}
	}
	return nil
}

// makeDir creates a directory and its missing parents, with mode 0700, and syncs them.
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
	return durable.SyncDir(above)
}
