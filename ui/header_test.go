package ui

import (
	"strings"
	"testing"

	"tallylock/ui/kit"
)

// With little room, the header shows less, but nothing wrong.
func TestShortPath(t *testing.T) {
	for _, c := range []struct {
		w                        int
		name, where, table, want string
	}{
		{40, "local", "127.0.0.1:8000", "accounts", "local › 127.0.0.1:8000 › accounts"},
		{30, "local", "127.0.0.1:8000", "accounts", "local › 127.0.0.1 › accounts"},
		{27, "local", "127.0.0.1:8000", "accounts", "local › accounts"},
		{27, "support", "us-east-1", "accounts", "support › accounts"},
		{27, "support", "[::1]:8000", "accounts", "support › ::1 › accounts"},
		{27, "support", "", "accounts", "support › accounts"},
		{27, "a-connection-of-support", "us-east-1", "accounts", "a-connect…upport › accounts"},
		{20, "support", "us-east-1", "production-accounts-v2", "sup…rt › produc…s-v2"},
	} {
		got := strings.Join(shortPath(c.w, "…", c.name, c.where, c.table), pathMark)
		if got != c.want || kit.Width(got) > c.w {
			t.Errorf("%d cells for %s, %s, %s: %q; want %q", c.w, c.name, c.where, c.table, got, c.want)
		}
	}
}
