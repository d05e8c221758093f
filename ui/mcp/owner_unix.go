//go:build unix

package mcp

import (
	"io/fs"
	"os"
	"syscall"
)

// mine reports whether a folder belongs to the user of this process, or to root.
func mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) == os.Geteuid() || s.Uid == 0
}
