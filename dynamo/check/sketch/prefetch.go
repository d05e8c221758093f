//go:build amd64 || arm64

package sketch

// prefetch asks the processor for the cache lines of three words, and waits for none of
// them: a read would, and a sketch is larger than the caches of a core. Go has no other
// way to say so.
//
//go:noescape
func prefetch(a, b, c *uint64)
