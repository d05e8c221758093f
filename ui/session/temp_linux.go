package session

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// createNameless creates a file without a name in a folder. It returns nil if the file system does not support that.
func createNameless(folder string) *os.File {
	f, err := os.OpenFile(folder, unix.O_TMPFILE|os.O_WRONLY, private)
	if err != nil {
		return nil
	}
	if _, err := os.Lstat(pathOf(f)); err != nil {
		_ = f.Close() // without /proc, the file could never get a name
		return nil
	}
	return f
}

// pathOf returns a path to an open file, with or without a name.
func pathOf(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// giveName gives the file a name, if it has none.
func (f *temp) giveName() error {
	if f.name != "" {
		return nil
	}
	name := filepath.Join(f.Name(), strings.Replace(tempPattern, "*", rand.Text(), 1))
	if err := unix.Linkat(unix.AT_FDCWD, pathOf(f.File), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: name, Err: err}
	}
	f.name = name
	return nil
}
