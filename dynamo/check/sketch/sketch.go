// Package sketch joins two sets of keys in little memory: a key that is added and subtracted
// cancels out, and the keys that are left over are returned. It is an invertible Bloom lookup
// table with signs (Eppstein, Goodrich, Uyeda, Varghese, "What's the Difference?"). Its size
// depends on the number of keys left over, not on the number of keys added. Start reading at
// Sketch.
package sketch

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Sketch holds keys that were added and subtracted. It is linear: the sketches of two halves
// of a set add up to the sketch of the whole set.
//
// Fingerprints are added modulo a prime. If a key is left over several times, the sum can
// therefore be divided by its count. The bytes of keys are added modulo 2^64, which is faster:
// a sum of fewer than 256 words of 56 bits can be divided as it is, and so can nearly all
// other sums.
type Sketch struct {
	seed  *Seed
	rows  uint64 // the number of cells in each of the three parts
	words int    // the number of words of a cell
	cells []uint64
	tails []uint64 // the further words of longer keys, kept apart so that the cells fit into caches
	load  estimate
}

// The words of a cell are sums over its entries; subtracted entries count negative. The words
// of the key's bytes follow, if the sketch has them. With the words of a short key, a cell is
// one cache line.
const (
	wordCount = iota // upper half: the number of entries; lower half: the sum of their checks
	wordPrint
	wordPlace
	headWords
)

// counted adds to the first word of a cell, whose halves are sums modulo 2^32 each.
func counted(word, sign, sum uint64) uint64 {
	return (word>>countShift+sign)<<countShift | (word+sum)&checkMask
}

const (
	countShift = 32
	checkMask  = 1<<countShift - 1
)

// These are the numbers of words for the bytes of keys, if the sketch keeps them. The words of
// short keys are in the cell itself, and further words are in its tail.
const (
	shortWords = 5
	tailWords  = 7
	keyWords   = shortWords + tailWords
)

// KeyBytes is the length of the longest key whose bytes Decode returns: a word has seven bytes,
// and one byte is the length. For a longer key, Decode returns only the fingerprints.
const KeyBytes = wordBytes*keyWords - 1

const wordBytes = 7

// CellBytes is the size of a cell with the bytes of keys, and PrintBytes the size without.
const (
	CellBytes  = 8 * (headWords + keyWords)
	PrintBytes = 8 * headWords
)

// parts is how many cells each key is in, one in each part of the sketch.
const parts = 3

// New returns a sketch of about that many cells, with or without the bytes of keys.
func New(seed *Seed, cells int, keys bool) *Sketch {
	rows := max((cells+parts-1)/parts, 1)
	s := &Sketch{seed: seed.shuffled(), rows: uint64(rows), words: headWords}
	if keys {
		s.words += shortWords
		s.tails = make([]uint64, parts*rows*tailWords)
	}
	s.cells = make([]uint64, parts*rows*s.words)
	return s
}

// Another returns an empty sketch that can be merged with this one.
func (s *Sketch) Another() *Sketch {
	other := *s
	other.cells, other.load = make([]uint64, len(s.cells)), estimate{}
	if s.tails != nil {
		other.tails = make([]uint64, len(s.tails))
	}
	return &other
}

// Capacity returns how many left-over keys that many cells can nearly always decode. With more
// keys, Decode reports that it failed.
func Capacity(cells int) int { return cells * 3 / 4 }

// CellsFor returns how many cells that many left-over keys need; it is the reverse of Capacity.
func CellsFor(keys int) int { return (keys*4 + 2) / 3 }

// Add adds entries, each with its sign. It prefetches the cells of later entries, since a
// sketch is larger than the processor's caches.
func (s *Sketch) Add(entries []Entry) {
	const ahead = 16
	var soon [ahead]spot
	for n := range len(entries) + ahead {
		if n >= ahead {
			s.addAt(&soon[n%ahead], &entries[n-ahead])
		}
		if n < len(entries) {
			at := &soon[n%ahead]
			at.find(s, entries[n].Print)
			prefetch(&s.cells[at.cells[0]*s.words], &s.cells[at.cells[1]*s.words], &s.cells[at.cells[2]*s.words])
		}
	}
}

// addAt adds an entry to its cells, or its negative.
func (s *Sketch) addAt(at *spot, e *Entry) {
	sign, print, sum, place := uint64(int64(e.Sign)), e.Print, at.check, e.Place
	if print%estimateEvery == 0 {
		s.load.add(print, sum, sign)
	}
	if e.Sign < 0 {
		print, sum, place = minus(0, print), -sum, minus(0, place)
	}
	if s.tails == nil {
		for _, n := range &at.cells {
			addHead((*[headWords]uint64)(s.cells[n*headWords:]), sign, print, sum, place)
		}
		return
	}
	flip := uint64(int64(e.Sign) >> 63) // all ones for −1
	w := (*[shortWords]uint64)(e.words[:])
	w0, w1, w2, w3, w4 := w[0]^flip-flip, w[1]^flip-flip, w[2]^flip-flip, w[3]^flip-flip, w[4]^flip-flip
	for _, n := range &at.cells {
		cell := (*[headWords + shortWords]uint64)(s.cells[n*(headWords+shortWords):])
		addHead((*[headWords]uint64)(cell[:]), sign, print, sum, place)
		cell[headWords] += w0
		cell[headWords+1] += w1
		cell[headWords+2] += w2
		cell[headWords+3] += w3
		cell[headWords+4] += w4
	}
	if e.used <= shortWords {
		return
	}
	for _, n := range &at.cells {
		tail := (*[tailWords]uint64)(s.tails[n*tailWords:])
		for i, w := range e.words[shortWords:e.used] {
			tail[i] += w ^ flip - flip
		}
	}
}

func addHead(cell *[headWords]uint64, sign, print, sum, place uint64) {
	cell[wordCount] = counted(cell[wordCount], sign, sum)
	cell[wordPrint] = plus(cell[wordPrint], print)
	cell[wordPlace] = plus(cell[wordPlace], place)
}

// Merge adds a sketch that Another returned.
func (s *Sketch) Merge(other *Sketch) {
	for n, w := range other.cells {
		switch word := n % s.words; {
		case w == 0:
		case word == wordCount:
			s.cells[n] = counted(s.cells[n], w>>countShift, w)
		case word < headWords:
			s.cells[n] = plus(s.cells[n], w)
		default:
			s.cells[n] += w
		}
	}
	for n, w := range other.tails {
		s.tails[n] += w
	}
	s.load.merge(&other.load)
}

// Subtract subtracts the keys that another sketch left over, without their bytes.
func (s *Sketch) Subtract(left []Remainder) {
	for _, r := range left {
		at := s.spot(r.Print)
		count := field(-r.Count)
		print, sum, place := times(r.Print, count), uint64(-r.Count)*at.check, times(r.Place, count)
		for _, at := range at.cells {
			addHead((*[headWords]uint64)(s.cells[at*s.words:]), uint64(-r.Count), print, sum, place)
		}
	}
}

// spot is the place of a fingerprint: a cell in each part, and a check of 32 bits. The check
// distinguishes a cell with one key from a cell with several.
type spot struct {
	cells [parts]int
	check uint64
}

func (s *Sketch) spot(print uint64) (at spot) {
	at.find(s, print)
	return at
}

func (at *spot) find(s *Sketch, print uint64) {
	h := mix(print ^ s.seed.cells)
	for part := range at.cells {
		row, _ := bits.Mul64(h, s.rows)
		at.cells[part] = int(uint64(part)*s.rows + row)
		h = h*stride + 1
	}
	at.check = h >> (64 - countShift)
}

// stride steps from one part's hash to the next (Knuth's MMIX).
const stride = 6364136223846793005

// shuffled returns a seed that places keys in other cells. Keys that share all their cells in
// one sketch cannot be separated there, but they can in the next sketch.
func (s *Seed) shuffled() *Seed {
	other := *s
	other.cells = rand.Uint64()
	return &other
}

// Seed is the secret of the keyed hashes: a person who chooses keys cannot choose their
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
	// Two entries cancel out if their Prints are equal. Place is the fingerprint of the key.
	// Print equals Place unless the entry compares more than the key.
	Print, Place uint64
	words        [keyWords]uint64
	used         int32 // the number of words of the key
	Sign         int32
}

// SetKey adds the key's bytes to the entry, unless the key is longer than KeyBytes. It may read
// the bytes after the key in the key's array, up to a full word, and ignores them.
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
	if over := n - len(key); over > 0 { // bytes of the last word that are not of the key
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

// estimate estimates how many keys are left over in a sketch that has too many to decode. It
// counts one key in estimateEvery.
type estimate struct{ sums []uint64 }

const (
	estimateEvery = 1 << 6
	estimateSums  = 1 << 14
)

// add takes in a key whose print is divisible by estimateEvery.
func (e *estimate) add(print, check, sign uint64) {
	if e.sums == nil {
		e.sums = make([]uint64, estimateSums)
	}
	e.sums[print/estimateEvery%estimateSums] += sign * check
}

func (e *estimate) merge(other *estimate) {
	if e.sums == nil {
		e.sums = other.sums
		return
	}
	for n, sum := range other.sums {
		e.sums[n] += sum
	}
}

// Load returns about how many different keys are left over. It must be called before Decode.
// It counts the empty cells. If there are more keys than about nine times the cells of a part,
// hardly any cell is empty, and the estimate is coarser.
func (s *Sketch) Load() int {
	empty := 0
	for at := 0; at < len(s.cells); at += s.words {
		if s.cells[at] == 0 && s.cells[at+wordPrint] == 0 {
			empty++
		}
	}
	all := int(parts * s.rows)
	if 100*empty >= all {
		return int(-math.Log(float64(empty)/float64(all)) * float64(s.rows))
	}
	return max(s.load.keys(), all)
}

func (e *estimate) keys() int {
	empty := 1 // not 0, so that the logarithm is finite
	for _, sum := range e.sums {
		if sum == 0 {
			empty++
		}
	}
	return int(estimateEvery * estimateSums * math.Log(estimateSums/float64(min(empty, estimateSums))))
}
