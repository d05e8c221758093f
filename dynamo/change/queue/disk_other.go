//go:build !unix

package queue

import "io/fs"

// noFollow has no effect on this system.
const noFollow = 0

// owned returns nil: this system has no owner in the mode of a file.
func owned(fs.FileInfo) error { return nil }
