//go:build amd64 || arm64

package sketch

// prefetch asks the processor to load the cache lines of three words, and does not wait. A read would wait,
// since a sketch is larger than the caches of a core. Go has no other way to prefetch.
//
//go:noescape
func prefetch(a, b, c *uint64)
