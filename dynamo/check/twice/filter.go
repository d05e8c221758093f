// Package twice finds duplicates among very many texts and numbers, in memory that does not grow with
// their number. A Filter keeps the fingerprints of all possible duplicates. On a second reading, Entries
// collects their items. Start at Filter.
package twice

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Filter keeps the fingerprints of all texts and numbers that have come twice, and of few others. It
// is a Bloom filter that keeps all bits of a text or number in one word: if two workers add the same
// text at once, one of them sees the other's bits. It is safe for concurrent use.
type Filter struct {
	words []atomic.Uint64

	mu    sync.Mutex
	twice map[uint64]bool
	max   int // the largest length of twice
	lost  int // fingerprints that twice had no room for; some are counted repeatedly
}

// entryBytes is about how many bytes a check keeps for a text that may have come twice, with two items
// that have it. The entries together take one of memoryParts parts of the memory.
const (
	entryBytes  = 512
	memoryParts = 4
)

// New makes a filter of about that many words of 64 bits, or fewer if memory, in bytes, has no room for them.
func New(words, memory int64) *Filter {
	const minWords = 1 << 12
	return &Filter{
		words: make([]atomic.Uint64, min(max(words, minWords), memory/memoryParts/8)),
		twice: map[uint64]bool{},
		max:   int(memory / memoryParts / entryBytes),
	}
}

// AddText takes in the fingerprint of a text.
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

// AddNumber adds a number, given as digits and fingerprint. first is the bit position of number 0 of the series,
// so number n uses bit first+n. Consecutive numbers use consecutive bits and never collide.
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

// Mark takes in a fingerprint that may have come twice.
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

// Any reports whether anything may have come twice. A nil filter has nothing.
func (f *Filter) Any() bool { return f != nil && len(f.twice) > 0 }

// Has reports whether a fingerprint may have come twice. Call it only after all were added.
func (f *Filter) Has(print uint64) bool { return f != nil && f.twice[print] }

// Lost reports whether memory had no room for some fingerprints that may have come twice. Then kept is how
// many the filter has, and need is about how many bytes of memory the check needs for all.
func (f *Filter) Lost() (kept int, need int64, lost bool) {
	if f == nil || f.lost == 0 {
		return 0, 0, false
	}
	return len(f.twice), int64(len(f.twice)+f.lost) * 5 / 4 * entryBytes * memoryParts, true
}

// small reads a number that fits into a machine word.
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
