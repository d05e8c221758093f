package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes a file that only the user can read, since it contains values of a table. It
// replaces an existing file only if replace is set, and always as a whole.
func WriteFile(path string, data []byte, replace bool) (err error) {
	whole := func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
	if replace {
		return ReplaceFile(path, whole)
	}
	taken, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return cmp.Or(ordinary(path), err)
	}
	taken.Close()
	if err := ReplaceFile(path, whole); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// ReplaceFile replaces a file with the output of write, as a whole or not at all. Only the user can read the file.
func ReplaceFile(path string, write func(io.Writer) error) error {
	return replaceFile(path, private, write)
}

// private is the mode of files with values of a table.
const private fs.FileMode = 0o600

// UpdateFile replaces a file with the output of write, as a whole or not at all. It keeps the mode of the old file. A
// new file gets mode.
func UpdateFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if old, err := os.Stat(path); err == nil {
		mode = old.Mode().Perm()
	}
	return replaceFile(path, mode, write)
}

// replaceFile writes a temporary file in the folder of path, and renames it when it is complete and on the disk.
func replaceFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if err := ordinary(path); err != nil {
		return err
	}
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Sync()); err == nil {
		err = f.giveName()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.name, path)
	}
	if err != nil {
		err = errors.Join(err, f.remove())
	}
	return err
}

// ordinary returns an error if path exists and is no ordinary file.
func ordinary(path string) error {
	if old, err := os.Lstat(path); err == nil && !old.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: fmt.Errorf("it is not an ordinary file")}
	}
	return nil
}

// PlanName proposes a file name for a plan that changes a table.
func PlanName(table string) string { return filepath.Base(table) + "-plan.json" }

// FreeName returns a path that does not exist yet: path, or path with a number before its extension.
func FreeName(path string) string {
	ext := filepath.Ext(path)
	free := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
}

// Writable checks that a file can be replaced now, and leaves nothing behind.
func Writable(path string) error {
	if err := ordinary(path); err != nil {
		return err
	}
	old, err := os.OpenFile(path, os.O_WRONLY, 0)
	switch {
	case err == nil:
		old.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), f.remove())
}
