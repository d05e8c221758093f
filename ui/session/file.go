package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes a file that only the user can read, since it contains values of a table. It
// replaces an existing file only if replace is set, and always as a whole.
func WriteFile(path string, data []byte, replace bool) (err error) {
	old, missing := os.Lstat(path)
	switch {
	case !replace:
		taken, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		taken.Close()
	case missing == nil && !old.Mode().IsRegular():
		return &fs.PathError{Op: "replace", Path: path, Err: fmt.Errorf("it is not an ordinary file")}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tallylock-*") // CreateTemp uses mode 0600
	if err == nil {
		_, err = f.Write(data)
		if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}
	if err != nil && !replace {
		err = errors.Join(err, os.Remove(path))
	}
	return err
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

// Writable checks that WriteFile could replace a file now, and leaves nothing behind.
func Writable(path string) error {
	if old, err := os.Lstat(path); err == nil && !old.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: fmt.Errorf("it is not an ordinary file")}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tallylock-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
