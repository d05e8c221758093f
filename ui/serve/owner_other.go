//go:build !unix

package serve

import "io/fs"

// trusted reports whether a file belongs to the user of this process, or to root.
func trusted(fs.FileInfo) bool { return true }

// readOnly reports whether a folder is on a disk that nobody can write.
func readOnly(string) bool { return false }

// ownFile reports whether a file belongs to the user of this process. This system has no numbers of users.
func ownFile(fs.FileInfo) bool { return true }
