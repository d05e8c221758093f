//go:build !amd64 && !arm64

package sketch

// prefetch does nothing on other processors. It would only make the sketch faster.
func prefetch(_, _, _ *uint64) {}
