//go:build !amd64 && !arm64

package sketch

// prefetch does nothing on other processors. The sketch also works without prefetching, only slower.
func prefetch(_, _, _ *uint64) {}
