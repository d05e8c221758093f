package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Try reports why no change could be written down, and leaves nothing behind: it makes a file
// beside the journal, where its locks stand, and opens the journal, where there is one.
func (j *Journal) Try() error {
	dir := filepath.Dir(j.path)
	for !there(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir) // what is missing is made with the first change
	}
	f, err := os.CreateTemp(dir, ".tallylock-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return j.wrap("writing", fmt.Errorf("no file can be made in its directory %s: %w", dir, why(err)))
	}
	if !there(j.path) {
		return nil
	}
	f, err = os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a link to what is made with the first change
		return nil
	case err != nil:
		return j.wrap("writing", fmt.Errorf("nothing can be added to it: %w", why(err)))
	}
	if err := f.Close(); err != nil {
		return j.wrap("writing", err)
	}
	return nil
}

// there reports whether a name is taken, be it by a link that leads nowhere.
func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// why is what the system said, without the path.
func why(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
