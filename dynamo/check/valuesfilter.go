package check

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// valueFilter is a Bloom filter whose bits for a value are in one word: of two workers that
// add the same value at once, one sees the other. It keeps the fingerprints of values that
// may have come twice: all that did, and few others.
type valueFilter struct {
	words []atomic.Uint64

	mu    sync.Mutex
	twice map[uint64]bool
	max   int // length of twice
	lost  int // more that there was no room for; some are counted repeatedly
}

const (
	// valuesPart: the filter takes that part of the memory, and what it finds as much again.
	valuesPart = 4
	// sameValueBytes is about what is kept for a value that may have come twice, with two
	// accounts that hold it.
	sameValueBytes = 512
	// bitsEach is how many bits of a word are set for a value.
	bitsEach = 4
	// wordsEach is how many words there are for each item of the table, if memory has room:
	// the number of items is hours old, and an account may hold several values.
	wordsEach = 16
	minWords  = 1 << 12
)

func newValueFilter(items, memory int64) *valueFilter {
	words := memory / valuesPart / 8
	if items > 0 {
		words = min(words, max(wordsEach*items, minWords))
	}
	return &valueFilter{
		words: make([]atomic.Uint64, words),
		twice: map[uint64]bool{},
		max:   int(memory / valuesPart / sameValueBytes),
	}
}

// add takes in the fingerprint of a value.
func (f *valueFilter) add(print uint64) {
	const golden = 0x9e3779b97f4a7c15
	at, rest := bits.Mul64(print*golden, uint64(len(f.words))) // multiplied, since a fingerprint's first bits are 0
	var mask uint64
	for range bitsEach {
		rest *= golden
		mask |= 1 << (rest >> 58)
	}
	if f.words[at].Or(mask)&mask != mask {
		return
	}
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
