package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"tallylock/dynamo/durable"
)

// tempPrefix is the prefix of the names of unfinished files. staleAfter is the age after which no process still writes
// such a file.
const (
	tempPrefix = ".tallylock-"
	staleAfter = time.Hour
)

// private returns an error if others can use a file or a folder. On Windows it does not check modes, which mean nothing
// there.
func private(info fs.FileInfo) error {
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("other users have access to it (mode %04o)", mode)
	}
	return owned(info)
}

// create creates the file of an entry. It never replaces a file.
func (q *Queue) create(id string, data []byte) error {
	temp, err := q.writeTemp(data)
	if err != nil {
		return err
	}
	return errors.Join(os.Link(temp, q.path(id)), os.Remove(temp), durable.SyncDir(q.dir))
}

// store replaces the file of an entry, as a whole.
func (q *Queue) store(e *Entry) error {
	data, err := e.bytes()
	if err != nil {
		return err
	}
	temp, err := q.writeTemp(data)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, q.path(e.ID)); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return durable.SyncDir(q.dir)
}

// writeTemp writes a temporary file to the disk, and returns its name. Its mode is 0600.
func (q *Queue) writeTemp(data []byte) (name string, err error) {
	f, err := os.CreateTemp(q.dir, tempPrefix+"*")
	if err != nil {
		return "", err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// removeStale removes a temporary file of a process that ended.
func (q *Queue) removeStale(f fs.DirEntry) {
	if info, err := f.Info(); err == nil && info.Mode().IsRegular() && q.now().Sub(info.ModTime()) > staleAfter {
		_ = os.Remove(filepath.Join(q.dir, f.Name()))
	}
}
