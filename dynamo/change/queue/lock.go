package queue

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockName is the name of the file that is locked while an entry is added.
const lockName = "queue.lock"

// lockWithin limits the time that an addition waits for another process. A stopped process must not hold up all
// sessions.
const lockWithin = 10 * time.Second

// lock locks the folder for adding.
func (q *Queue) lock() (func(), error) {
	q.mu.Lock()
	l := flock.New(filepath.Join(q.dir, lockName), flock.SetPermissions(0o600))
	within, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	if _, err := l.TryLockContext(within, 5*time.Millisecond); err != nil {
		q.mu.Unlock()
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.New("another process has kept it locked for 10 seconds")
		}
		return nil, err
	}
	return func() {
		_ = l.Unlock() // if that fails, the lock ends with the process
		q.mu.Unlock()
	}, nil
}

// lockEntry locks an entry. free is false if another person, or another process, has it. The lock's file stays as long
// as the entry: a removed file could be locked twice.
func (q *Queue) lockEntry(id string) (unlock func(), free bool, err error) {
	l := flock.New(filepath.Join(q.dir, id+".lock"), flock.SetPermissions(0o600))
	free, err = l.TryLock()
	if err != nil || !free {
		return func() {}, false, err
	}
	return func() {
		if _, err := os.Lstat(q.path(id)); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(l.Path()) // nobody can take the entry again
		}
		_ = l.Unlock() // if that fails, the lock ends with the process
	}, true, nil
}
