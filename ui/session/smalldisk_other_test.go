//go:build !linux

package session_test

import "testing"

func smallDisk(t *testing.T) string {
	t.Helper()
	t.Skip("only Linux mounts a small disk")
	return ""
}
