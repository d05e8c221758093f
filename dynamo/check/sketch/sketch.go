// Package sketch compares two sets of keys in little memory. The caller adds the keys of one set, and
// subtracts the keys of the other set. A key in both sets cancels out. Decode returns the remaining keys. A
// sketch is an invertible Bloom lookup table with signs (Eppstein, Goodrich, Uyeda, Varghese, "What's the
// Difference?"). The size of a sketch depends on the number of remaining keys, not on the size of the sets.
// Start at Sketch.
package sketch

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Sketch has sums over the keys that were added and subtracted. It is linear: the sketches of two halves of
// a set add up to the sketch of the whole set.
//
// Fingerprints are added modulo a prime, so a sum of equal fingerprints can be divided by their count. The
// bytes of keys are added modulo 2^64, which is faster. A sum of fewer than 256 equal words of 56 bits can
// still be divided, and so can nearly all larger sums.
type Sketch struct {
	seed  *Seed
	rows  uint64 // cells in each of the three parts
	words int    // words in each cell
	cells []uint64
	tails []uint64 // further words of long keys, apart from cells: smaller cells suit the caches
	load  estimate
}

// A cell starts with these words. Each word is a sum over the entries of the cell. Subtracted entries count
// negative. If the sketch keeps the bytes of keys, the first words of the bytes follow. Then a cell is as
// large as one cache line.
const (
	wordCount = iota // upper half: the count of entries; lower half: the sum of their checks
	wordPrint
	wordPlace
	headWords
)

// counted adds sign to the upper half of a cell's first word, and sum to the lower half. Each half is a sum
// modulo 2^32.
func counted(word, sign, sum uint64) uint64 {
	return (word>>countShift+sign)<<countShift | (word+sum)&checkMask
}

const (
	countShift = 32
	checkMask  = 1<<countShift - 1
)

// The numbers of words for the bytes of a key. A cell has the first shortWords words, and its tail
// has the rest.
const (
	shortWords = 5
	tailWords  = 7
	keyWords   = shortWords + tailWords
)

// KeyBytes is the length of the longest key whose bytes Decode can return. A word has seven bytes, and the
// very first byte is the length of the key. For a longer key, Decode returns only fingerprints.
const KeyBytes = wordBytes*keyWords - 1

const wordBytes = 7

// CellBytes is the size of a cell if the sketch keeps the bytes of keys, including the tail. PrintBytes is
// the size of a cell if the sketch has only fingerprints.
const (
	CellBytes  = 8 * (headWords + keyWords)
	PrintBytes = 8 * headWords
)

// parts is the number of parts of the sketch. Each key is in one cell of each part.
const parts = 3

// New returns an empty sketch with about this many cells. keys says whether the sketch keeps the bytes of
// keys.
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

// Another returns an empty sketch that places keys in the same cells as s. So Merge can add the two up.
func (s *Sketch) Another() *Sketch {
	other := *s
	other.cells, other.load = make([]uint64, len(s.cells)), estimate{}
	if s.tails != nil {
		other.tails = make([]uint64, len(s.tails))
	}
	return &other
}

// Capacity returns the number of remaining keys that Decode can nearly always return from this many cells.
// If more keys remain, Decode reports that it could not return all.
func Capacity(cells int) int { return cells * 3 / 4 }

// CellsFor returns the number of cells that a sketch needs for this many remaining keys. It is the inverse
// of Capacity.
func CellsFor(keys int) int { return (keys*4 + 2) / 3 }

// Add adds or subtracts entries, each by its sign. It prefetches the cells of later entries, since a sketch
// may be larger than the processor's caches.
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
			if s.tails != nil && entries[n].used > shortWords {
				prefetch(&s.tails[at.cells[0]*tailWords], &s.tails[at.cells[1]*tailWords], &s.tails[at.cells[2]*tailWords])
			}
		}
	}
}

// addAt adds an entry to its cells. It subtracts the entry if its sign is −1.
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
	flip := uint64(int64(e.Sign) >> 63) // all bits are 1 if the sign is −1
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

// Merge adds other to s. Both must place keys in the same cells (see Another).
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

// Subtract subtracts each key of left as often as its Count says. It does not subtract the bytes of keys, so the
// sketch must keep only fingerprints.
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

// spot is the place of a fingerprint: a cell in each part of the sketch. check is a further hash of 32
// bits. It shows whether a cell has one key or several.
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

// stride is the factor that makes the hash for one part into the hash for the next (Knuth's MMIX).
const stride = 6364136223846793005

// shuffled returns a seed that places keys in different cells. If two keys share all their cells, Decode
// cannot separate them. In the next sketch, with a shuffled seed, they hardly ever share all cells again.
func (s *Seed) shuffled() *Seed {
	other := *s
	other.cells = rand.Uint64()
	return &other
}

// Seed is the secret of the keyed hashes. A person who does not know the Seed cannot choose keys with equal
// fingerprints. To compare fingerprints of two sketches, make both with the same Seed.
type Seed struct {
	seed  maphash.Seed
	cells uint64
}

// NewSeed returns a random seed.
func NewSeed() *Seed {
	return &Seed{seed: maphash.MakeSeed(), cells: rand.Uint64()}
}

// Fingerprint returns a keyed hash that is below prime.
func (s *Seed) Fingerprint(b []byte) uint64 { return reduce(maphash.Bytes(s.seed, b)) }

// Hash returns a keyed hash of 64 bits.
func (s *Seed) Hash(b []byte) uint64 { return maphash.Bytes(s.seed, b) }

// Entry is one key for a sketch. Sign is 1 to add the key, and −1 to subtract it.
type Entry struct {
	// Place is the fingerprint of the key. Entries with equal Prints cancel out. Print equals Place, unless
	// the entry compares more than the key.
	Print, Place uint64
	words        [keyWords]uint64
	used         int32 // the number of words that the key needs
	Sign         int32
}

// SetKey sets the bytes of the entry's key. If the key is longer than KeyBytes, the entry keeps no bytes.
// SetKey may read a few bytes behind the key, in the key's array, but ignores them.
func (e *Entry) SetKey(key []byte) {
	e.used = 0
	*(*[shortWords]uint64)(e.words[:]) = [shortWords]uint64{}
	if len(key) > KeyBytes {
		return
	}
	if cap(key)-len(key) < 8 {
		key = append(make([]byte, 0, KeyBytes+8), key...)
	}
	// The first byte of the first word is the length of the key.
	e.words[0] = uint64(len(key)) | wordAt(key, 0)<<8&wordMask
	n := wordBytes - 1
	for e.used = 1; n < len(key); e.used++ {
		e.words[e.used] = wordAt(key, n)
		n += wordBytes
	}
	if over := n - len(key); over > 0 { // clear the bytes behind the key
		e.words[e.used-1] &= wordMask >> (8 * over)
	}
}

const wordMask = 1<<(8*wordBytes) - 1

// wordAt returns the word of the key that begins at byte n.
func wordAt(key []byte, n int) uint64 {
	return binary.LittleEndian.Uint64(key[n:n+8:cap(key)]) & wordMask
}

// mix is the finaliser of MurmurHash3: every bit of the result depends on all bits of h.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// estimate estimates the number of remaining keys in a sketch that has too many to decode. It samples one
// fingerprint in estimateEvery.
type estimate struct{ sums []uint64 }

const (
	estimateEvery = 1 << 6
	estimateSums  = 1 << 14
)

// add adds a key whose fingerprint is divisible by estimateEvery.
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

// Load estimates the number of remaining keys. Call Load before Decode. Load counts the empty cells. With more
// than about nine times as many keys as a part has cells, hardly any cell is empty: then Load uses the coarser
// estimate.
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
	empty := 1 // from 1, so that the logarithm is finite
	for _, sum := range e.sums {
		if sum == 0 {
			empty++
		}
	}
	return int(estimateEvery * estimateSums * math.Log(estimateSums/float64(min(empty, estimateSums))))
}
