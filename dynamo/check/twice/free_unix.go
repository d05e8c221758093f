//go:build linux || darwin

package twice

import "syscall"

// Free returns the free space for this user, in bytes, on the file system of a directory. It returns false if the free
// space is unknown.
func Free(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // on other systems it is no int64
}
