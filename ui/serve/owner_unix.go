//go:build unix

package serve

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// trusted reports whether a file belongs to the user of this process, or to root.
func trusted(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == os.Geteuid() || stat.Uid == 0)
}

// readOnly reports whether a folder is on a disk that nobody can write, such as a volume of a container.
func readOnly(dir string) bool {
	const write = 2 // W_OK of access(2)
	return errors.Is(syscall.Access(dir, write), syscall.EROFS)
}

// ownFile reports whether a file belongs to the user of this process.
func ownFile(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
