// Package sketch joins two sets of keys in little memory: what is added and taken away
// again cancels out, and the keys that are left over come back. It is an invertible
// Bloom lookup table with signs (Eppstein, Goodrich, Uyeda, Varghese, "What's the
// Difference?"); its size follows what is left over, not what was added. It imports
// nothing of ours and knows nothing of tables or locks; start reading at Sketch.
package sketch

import (
	"math/bits"
	"math/rand/v2"
)

// Sketch holds keys that were added and taken away. It is linear: the sketches of two
// halves of a set add up to that of the whole.
//
// Fingerprints and their check sums are added modulo a prime, so that a key which is
// left over several times can be divided out. The bytes of keys are added modulo 2^64,
// which is faster: a sum of fewer than 256 words of 56 bits can be divided as it is,
// and so can nearly all others.
type Sketch struct {
	seed  *Seed
	rows  uint64 // cells of each of the three parts
	words int    // of a cell
	cells []uint64
	tails []uint64 // of cells: the words of longer keys, apart so that caches hold the rest
	load  estimate
	asked uint64 // keeps the compiler from leaving out reads of what is needed soon
}

// The words of a cell: how many entries it holds, those that were taken away counted
// as −1, and the sums of what they are. The words of the key's bytes follow, if any.
const (
	wordCount = iota
	wordPrint
	wordCheck // of the print: tells a cell with one key from a mixture
	wordPlace
	headWords
)

// How many words a cell has for the bytes of keys, where it has any: those of short
// keys with the others, and those of longer keys in its tail.
const (
	shortWords = 4
	tailWords  = 8
	KeyWords   = shortWords + tailWords
)

// KeyBytes is how long a key may be to come back: seven bytes to a word, and one says
// how many there are. Of a longer key only the fingerprints come back.
const KeyBytes = wordBytes*KeyWords - 1

const wordBytes = 7

// CellBytes is the size of a cell with the bytes of keys, PrintBytes without.
const (
	CellBytes  = 8 * (headWords + KeyWords)
	PrintBytes = 8 * headWords
)

// parts is how many cells hold each key, one in each part of the sketch.
const parts = 3

// New makes a sketch of about that many cells, with or without the bytes of keys.
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

// Another is an empty sketch that can be merged with this one.
func (s *Sketch) Another() *Sketch {
	other := *s
	other.cells, other.load = make([]uint64, len(s.cells)), estimate{}
	if s.tails != nil {
		other.tails = make([]uint64, len(s.tails))
	}
	return &other
}

// Capacity is how many keys may be left over in that many cells for all of them to come
// back, nearly always. Above it decoding fails, and says so.
func Capacity(cells int) int { return cells * 3 / 4 }

// CellsFor is how many cells so many keys need: the reverse of Capacity.
func CellsFor(keys int) int { return (keys*4 + 2) / 3 }

// Add adds entries, each with its sign. Their cells are touched some entries before
// they are needed: a sketch is larger than what a processor has at hand.
func (s *Sketch) Add(entries []Entry) {
	const ahead = 16
	var cells [ahead][parts]int
	for len(entries) > 0 {
		some := entries[:min(ahead, len(entries))]
		entries = entries[len(some):]
		asked := uint64(0)
		for n := range some {
			at := s.cellsOf(some[n].Print)
			cells[n] = at
			asked += s.cells[at[0]*s.words] + s.cells[at[1]*s.words] + s.cells[at[2]*s.words]
		}
		s.asked = asked
		for n := range some {
			s.addAt(&cells[n], &some[n])
		}
	}
}

// addAt adds an entry to its cells. What is taken away is added as its negative.
func (s *Sketch) addAt(cells *[parts]int, e *Entry) {
	print, sum, place := e.Print, s.seed.check(e.Print), e.Place
	s.load.add(print, sum, uint64(int64(e.Sign)))
	if e.Sign < 0 {
		print, sum, place = minus(0, print), minus(0, sum), minus(0, place)
	}
	flip := uint64(int64(e.Sign) >> 63) // all ones for −1
	for _, at := range cells {
		if s.tails == nil {
			addHead((*[headWords]uint64)(s.cells[at*headWords:]), uint64(int64(e.Sign)), print, sum, place)
			continue
		}
		cell := (*[headWords + shortWords]uint64)(s.cells[at*(headWords+shortWords):])
		addHead((*[headWords]uint64)(cell[:]), uint64(int64(e.Sign)), print, sum, place)
		cell[headWords] += e.words[0] ^ flip - flip
		cell[headWords+1] += e.words[1] ^ flip - flip
		cell[headWords+2] += e.words[2] ^ flip - flip
		cell[headWords+3] += e.words[3] ^ flip - flip
		if e.used > shortWords {
			tail := (*[tailWords]uint64)(s.tails[at*tailWords:])
			for n, w := range e.words[shortWords:e.used] {
				tail[n] += w ^ flip - flip
			}
		}
	}
}

func addHead(cell *[headWords]uint64, sign, print, sum, place uint64) {
	cell[wordCount] += sign
	cell[wordPrint] = plus(cell[wordPrint], print)
	cell[wordCheck] = plus(cell[wordCheck], sum)
	cell[wordPlace] = plus(cell[wordPlace], place)
}

// Merge adds a sketch that Another made.
func (s *Sketch) Merge(other *Sketch) {
	for n, w := range other.cells {
		switch word := n % s.words; {
		case w == 0:
		case word == wordCount || word >= headWords:
			s.cells[n] += w
		default:
			s.cells[n] = plus(s.cells[n], w)
		}
	}
	for n, w := range other.tails {
		s.tails[n] += w
	}
	s.load.merge(&other.load)
}

// Subtract takes away what another sketch left over.
func (s *Sketch) Subtract(left []Remainder) {
	for _, r := range left {
		at := s.cellsOf(r.Print)
		count := field(-r.Count)
		print, sum, place := times(r.Print, count), times(s.seed.check(r.Print), count), times(r.Place, count)
		for _, at := range at {
			addHead((*[headWords]uint64)(s.cells[at*s.words:]), uint64(-r.Count), print, sum, place)
		}
	}
}

// cellsOf are the cells of a fingerprint, one in each part.
func (s *Sketch) cellsOf(print uint64) (at [parts]int) {
	h := mix(print ^ s.seed.cells)
	for part := range at {
		row, _ := bits.Mul64(h, s.rows)
		at[part] = int(uint64(part)*s.rows + row)
		h = h*stride + 1
	}
	return at
}

// stride steps from one part's hash to the next (Knuth's MMIX).
const stride = 6364136223846793005

// shuffled is the seed with other cells: keys that share theirs in one sketch, and
// cannot be told apart, do not do so in the next.
func (s *Seed) shuffled() *Seed {
	other := *s
	other.cells = rand.Uint64()
	return &other
}
