//go:build !amd64 && !arm64

package sketch

// prefetch does nothing on other processors. It would only save time.
func prefetch(_, _, _ *uint64) {}
