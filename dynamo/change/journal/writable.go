package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckWritable returns an error if the journal cannot be written. It creates and removes a file in the journal's
// directory, because lock files are created there. If the journal exists, CheckWritable also opens it for writing.
func (j *Journal) CheckWritable() error {
	dir := filepath.Dir(j.path)
	for !exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir) // the first change creates missing directories
	}
	f, err := os.CreateTemp(dir, ".tallylock-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return j.wrap("writing", fmt.Errorf("cannot create a file in the journal's directory %s: %w", dir, cause(err)))
	}
	if !exists(j.path) {
		return nil
	}
	if err := checkJournal(j.path); err != nil {
		return j.wrap("reading", err)
	}
	f, err = os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a link to a file that the first change creates
		return nil
	case err != nil:
		return j.wrap("writing", fmt.Errorf("cannot append to the journal: %w", cause(err)))
	}
	if err := f.Close(); err != nil {
		return j.wrap("writing", err)
	}
	return nil
}

// checkJournal returns an error if the file exists but has no valid journal entry: Append must not write to a file
// that is no journal.
func checkJournal(path string) error {
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	n, torn := 0, false
	for line, err := range lines(f) {
		if err != nil {
			return err
		}
		if len(content(line)) == 0 {
			continue
		}
		if _, ok := parseEntry(line, withoutPlans); ok {
			return nil
		}
		n, torn = n+1, tornLine(line)
	}
	if n > 1 || n == 1 && !torn {
		return unreadable(path, n)
	}
	return nil
}

// exists reports whether a path exists. A broken symbolic link exists, too.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// cause returns the system's error, without the path.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
