package sketch

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
)

// Seed is the secret of the keyed hashes, so that whoever chooses keys cannot choose
// fingerprints. Sketches whose fingerprints are compared share it.
type Seed struct {
	seed  maphash.Seed
	cells uint64
}

// NewSeed returns a random seed.
func NewSeed() *Seed {
	return &Seed{seed: maphash.MakeSeed(), cells: rand.Uint64()}
}

// Fingerprint returns a keyed hash below the prime.
func (s *Seed) Fingerprint(b []byte) uint64 { return reduce(maphash.Bytes(s.seed, b)) }

// Hash returns a keyed hash of 64 bits.
func (s *Seed) Hash(b []byte) uint64 { return maphash.Bytes(s.seed, b) }

// Entry is one key to add; Sign is 1, or −1 to subtract it.
type Entry struct {
	// Print is what must be equal for two entries to cancel out, and Place is which key they
	// are of. They are equal unless more than the key is compared.
	Print, Place uint64
	words        [keyWords]uint64
	used         int32 // words of the key, at least those of a short key
	Sign         int32
}

// SetKey adds the key's bytes to the entry, unless it is longer than KeyBytes. It may read
// the bytes after the key in its array up to a full word, and ignores them.
func (e *Entry) SetKey(key []byte) {
	e.used = 0
	*(*[shortWords]uint64)(e.words[:]) = [shortWords]uint64{}
	if len(key) > KeyBytes {
		return
	}
	if cap(key)-len(key) < 8 {
		key = append(make([]byte, 0, KeyBytes+8), key...)
	}
	// The first byte is the length.
	e.words[0] = uint64(len(key)) | wordAt(key, 0)<<8&wordMask
	n := wordBytes - 1
	for e.used = 1; n < len(key); e.used++ {
		e.words[e.used] = wordAt(key, n)
		n += wordBytes
	}
	if over := n - len(key); over > 0 { // of the last word
		e.words[e.used-1] &= wordMask >> (8 * over)
	}
}

const wordMask = 1<<(8*wordBytes) - 1

// wordAt returns the word that begins at a byte.
func wordAt(key []byte, n int) uint64 {
	return binary.LittleEndian.Uint64(key[n:n+8:cap(key)]) & wordMask
}

// mix spreads every bit over all others (MurmurHash3's finaliser).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
