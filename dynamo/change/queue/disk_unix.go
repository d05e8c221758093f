//go:build unix

package queue

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noFollow refuses to open a symbolic link, and does not wait for the other end of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// owned returns an error if a file belongs to another user.
func owned(info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user")
	}
	return nil
}
