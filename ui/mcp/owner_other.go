//go:build !unix

package mcp

import "io/fs"

// mine returns true: this system has no owner in the mode of a folder.
func mine(fs.FileInfo) bool { return true }
