package twice

import (
	"os"
	"path/filepath"
	"runtime"
)

// pattern matches the names of the files that create makes.
const pattern = "tallylock-*.prints"

// TempDir returns the directory for temporary files. dir is the directory that a person named; it may be empty. On
// Unix, /tmp is often in memory, so without TMPDIR the directory is /var/tmp.
func TempDir(dir string) string {
	const onDisk = "/var/tmp"
	if dir != "" {
		return dir
	}
	if os.Getenv("TMPDIR") == "" && runtime.GOOS != "windows" {
		if about, err := os.Stat(onDisk); err == nil && about.IsDir() {
			return onDisk
		}
	}
	return os.TempDir()
}

// create makes a file that only this user can read. On Unix it removes the file's name at once. So the system frees the
// disk when the process ends, even if it is killed. On Windows an open file cannot be removed: Close removes it, and
// after a kill the next create.
func create(dir string) (file, error) {
	left, _ := filepath.Glob(filepath.Join(dir, pattern))
	for _, name := range left {
		_ = os.Remove(name) // the file of a running check is needed without its name, or cannot be removed
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) != nil {
		return named{f}, nil
	}
	return f, nil
}

// Try returns an error if no file can be made in a directory.
func Try(dir string) error {
	f, err := create(dir)
	if err != nil {
		return err
	}
	return f.Close()
}

// named is a file that still has its name.
type named struct{ *os.File }

// Close closes the file and removes it.
func (f named) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name())
	return err
}
