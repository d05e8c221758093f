package words

import (
	"net"

	"tallylock/ui/kit"
)

// ShortPlace is a place without its port, if it has no room in w cells.
func ShortPlace(w int, where string) string {
	if host, _, err := net.SplitHostPort(where); err == nil && kit.Width(where) > w {
		return host
	}
	return where
}
