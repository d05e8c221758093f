package queue

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"tallylock/dynamo/durable"
)

// lockName is the name of the file that is locked while an entry is added.
const lockName = "queue.lock"

// lock locks the folder for adding.
func (q *Queue) lock() (func(), error) {
	q.mu.Lock()
	unlock, err := durable.Lock(context.Background(), filepath.Join(q.dir, lockName))
	if err != nil {
		q.mu.Unlock()
		return nil, err
	}
	return func() {
		unlock()
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
