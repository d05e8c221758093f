package sketch

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
)

// Seed keeps those who choose the keys from choosing fingerprints, too. Sketches whose
// fingerprints are compared share it.
type Seed struct {
	seed          maphash.Seed
	checks, cells uint64
}

// NewSeed makes a random one.
func NewSeed() *Seed {
	return &Seed{seed: maphash.MakeSeed(), checks: rand.Uint64(), cells: rand.Uint64()}
}

// Fingerprint is a keyed hash below the prime.
func (s *Seed) Fingerprint(b []byte) uint64 { return reduce(maphash.Bytes(s.seed, b)) }

// Hash is a keyed hash of all 64 bits.
func (s *Seed) Hash(b []byte) uint64 { return maphash.Bytes(s.seed, b) }

func (s *Seed) check(print uint64) uint64 { return reduce(mix(print ^ s.checks)) }

// Entry is one key, ready to be added: Sign is 1, or −1 to take it away.
type Entry struct {
	// Print is what has to be the same for two entries to cancel out; Place tells where
	// they belong. They are the same unless something besides the key counts.
	Print, Place uint64
	words        [KeyWords]uint64
	used         int32 // words of the key; of those that short keys have all count
	Sign         int32
}

// SetKey has the key's bytes come back with the entry. Of one that is longer than
// KeyBytes they do not.
func (e *Entry) SetKey(key []byte) {
	e.used, e.words[0], e.words[1], e.words[2], e.words[3] = 0, 0, 0, 0, 0
	if len(key) > KeyBytes {
		return
	}
	// The first byte is the length. Eight bytes are read at once where there are as
	// many, of which seven count.
	var first [8]byte
	first[0] = byte(len(key))
	n := copy(first[1:wordBytes], key)
	e.words[0] = binary.LittleEndian.Uint64(first[:])
	e.used = 1
	for ; n+8 <= len(key); n += wordBytes {
		e.words[e.used] = binary.LittleEndian.Uint64(key[n:]) & (1<<(8*wordBytes) - 1)
		e.used++
	}
	for n < len(key) {
		var last [8]byte
		n += copy(last[:wordBytes], key[n:])
		e.words[e.used] = binary.LittleEndian.Uint64(last[:])
		e.used++
	}
}

// mix spreads every bit over all others (MurmurHash3's finaliser).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
