package check

import (
	"context"
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"tallylock/dynamo/check/finding"
)

// lockTimeout limits the wait for another check that writes the same baseline. lockRetry is the time between two tries.
const (
	lockTimeout = 10 * time.Second
	lockRetry   = 20 * time.Millisecond
)

// errLocked is the error of a baseline that another program locks for too long.
var errLocked = errors.New("another program has locked it")

// lock locks the baseline, so that two checks do not replace it at the same time. A missing baseline begins as an empty
// file. On Windows nobody can replace an open file, so lock does nothing there.
func (b *baseline) lock() (unlock func(), err error) {
	if runtime.GOOS == "windows" {
		return func() {}, nil
	}
	flag := os.O_RDONLY
	if b.file == os.DevNull {
		flag |= os.O_CREATE
	}
	l := flock.New(b.path, flock.SetFlag(flag), flock.SetPermissions(0o600))
	within, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	switch _, err := l.TryLockContext(within, lockRetry); {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errLocked
	case err != nil:
		return nil, err
	}
	locked, err := l.Stat()
	now, gone := os.Stat(b.path)
	if err != nil || gone != nil || !os.SameFile(locked, now) {
		_ = l.Unlock()
		return nil, finding.ErrBaselineChanged
	}
	return func() { _ = l.Unlock() }, nil // if that fails, the lock ends with the process
}
