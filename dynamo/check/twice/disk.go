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

// create makes a file for fingerprints.
func create(dir string) (file, error) {
	f, end, err := CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return ending{f, end}, nil
}

// CreateTemp makes a file that only this user can read. On Unix it removes the file's name at once. So the system frees
// the disk when the process ends, even if it is killed. On Windows an open file cannot be removed, so end removes it.
// After a kill, the next CreateTemp with the same pattern removes the file. On all systems, end closes the file.
func CreateTemp(dir, pattern string) (f *os.File, end func() error, err error) {
	left, _ := filepath.Glob(filepath.Join(dir, pattern))
	for _, name := range left {
		_ = os.Remove(name) // a running check does not need the name of its file; Windows refuses to remove it
	}
	if f, err = os.CreateTemp(dir, pattern); err != nil {
		return nil, nil, err
	}
	if os.Remove(f.Name()) == nil {
		return f, f.Close, nil
	}
	return f, func() error {
		err := f.Close()
		_ = os.Remove(f.Name())
		return err
	}, nil
}

// Try returns an error if no file can be made in a directory.
func Try(dir string) error {
	f, err := create(dir)
	if err != nil {
		return err
	}
	return f.Close()
}

// ending is a file with its own way to close it.
type ending struct {
	*os.File
	end func() error
}

// Close closes the file and removes it.
func (f ending) Close() error { return f.end() }
