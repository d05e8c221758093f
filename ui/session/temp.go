package session

import (
	"os"
	"path/filepath"
	"time"
)

// temp is a temporary file. If the system supports that, the file has no name. Then it vanishes with the process, even
// if the process is killed.
type temp struct {
	*os.File
	name string // empty if the file has no name
}

// tempPattern matches the names of temporary files. staleAfter is the age after which nobody writes such a file any
// more.
const (
	tempPattern = ".tallylock-*"
	staleAfter  = time.Hour
)

// createTemp creates a temporary file in a folder. It removes the old temporary files of killed processes.
func createTemp(folder string) (*temp, error) {
	removeStale(folder)
	if f := createNameless(folder); f != nil {
		return &temp{File: f}, nil
	}
	f, err := os.CreateTemp(folder, tempPattern)
	if err != nil {
		return nil, err
	}
	return &temp{f, f.Name()}, nil
}

// removeStale removes the temporary files in a folder that are older than staleAfter.
func removeStale(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, tempPattern))
	for _, name := range left {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(name) // a file of another user stays
		}
	}
}

// remove removes the name of the file, if it has one.
func (f *temp) remove() error {
	if f.name == "" {
		return nil
	}
	return os.Remove(f.name)
}
