// Package twice finds duplicates among very many texts and numbers, in a fixed amount of memory. On the first
// reading, a Filter collects the fingerprints of possible duplicates. On the second reading, Entries collects
// the items with these fingerprints. Start at Filter.
package twice

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Filter collects the fingerprints of all texts and numbers that were added twice, and of few others. It is a
// Bloom filter. All bits of a text are in one word: if two workers add the same text at once, one of them
// sees the other's bits. It is safe for concurrent use.
type Filter struct {
	words []atomic.Uint64

	mu    sync.Mutex
	twice map[uint64]bool
	max   int // the limit for the size of twice
	lost  int // fingerprints that did not fit into twice; some count several times
}

// entryBytes is about how many bytes a check needs for a possible duplicate with two items. All entries together use at
// most a 1/memoryParts share of the memory.
const (
	entryBytes  = 512
	memoryParts = 4
)

// New makes a filter of about this many 64-bit words. It has fewer words if memory, in bytes, is too small.
func New(words, memory int64) *Filter {
	const minWords = 1 << 12
	return &Filter{
		words: make([]atomic.Uint64, min(max(words, minWords), memory/memoryParts/8)),
		twice: map[uint64]bool{},
		max:   int(memory / memoryParts / entryBytes),
	}
}

// AddText adds the fingerprint of a text.
func (f *Filter) AddText(print uint64) {
	const golden, bitsEach = 0x9e3779b97f4a7c15, 4
	at, rest := bits.Mul64(print*golden, uint64(len(f.words))) // multiplied, since a fingerprint's first bits are 0
	var mask uint64
	for range bitsEach {
		rest *= golden
		mask |= 1 << (rest >> 58)
	}
	f.add(at, mask, print)
}

// AddNumber adds a number of a series, with its fingerprint. Number n uses bit first+n, so consecutive
// numbers never share a bit. first is the bit of number 0.
func (f *Filter) AddNumber(first uint64, digits string, print uint64) {
	n, ok := small(digits)
	if !ok {
		n = print
	}
	place := (first + n) % (uint64(len(f.words)) * 64)
	f.add(place/64, 1<<(place%64), print)
}

func (f *Filter) add(word, mask, print uint64) {
	if f.words[word].Or(mask)&mask == mask {
		f.Mark(print)
	}
}

// Mark notes that a fingerprint may have been added twice.
func (f *Filter) Mark(print uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.twice[print]:
	case len(f.twice) < f.max:
		f.twice[print] = true
	default:
		f.lost++
	}
}

// Any reports whether anything may have been added twice. A nil Filter is empty.
func (f *Filter) Any() bool { return f != nil && len(f.twice) > 0 }

// Has reports whether this fingerprint may have been added twice. Call it after everything is added.
func (f *Filter) Has(print uint64) bool { return f != nil && f.twice[print] }

// Lost reports whether some possible duplicates did not fit in memory. If so, kept is the number of duplicates that did
// fit. need is about how many bytes of memory the check needs for all.
func (f *Filter) Lost() (kept int, need int64, lost bool) {
	if f == nil || f.lost == 0 {
		return 0, 0, false
	}
	return len(f.twice), int64(len(f.twice)+f.lost) * 5 / 4 * entryBytes * memoryParts, true
}

// small reads a number of at most 18 digits. It reports false for a longer one.
func small(digits string) (uint64, bool) {
	if len(digits) > 18 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range []byte(digits) {
		n = n*10 + uint64(c-'0')
	}
	return n, true
}
