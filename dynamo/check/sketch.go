package check

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// sketch is what remains of all locks and all accounts when what belongs
// together has cancelled out: an invertible Bloom lookup table with signs
// (Eppstein, Goodrich, Uyeda, Varghese, "What's the Difference?"). An account
// adds the key of each lock that it calls for, a lock takes its own away. Its
// size follows the number of keys that are left over, not that of the items.
//
// It is linear: the sketches of two halves of a table add up to that of the
// whole. Sums are taken modulo a prime, so that a key which is left over several
// times can be divided out and found like any other.
type sketch struct {
	secret *secret
	rows   uint64   // cells of each of the three parts
	words  []uint64 // 3·rows cells of cellWords each
	asked  uint64   // means nothing: see addAll
}

// The words of a cell: how many entries it holds, those that were taken away
// counted as −1, and the sums of what they are.
const (
	wordCount = iota
	wordPrint
	wordProof // of the print: tells a cell with one key from a mixture
	wordPlace
	wordKey // the first of those that hold the key's bytes

	keyWords  = 12
	cellWords = wordKey + keyWords
	cellBytes = 8 * cellWords
)

// keyBytes is how long a key may be for the sketch to give it back: seven bytes
// to a word, and one says how many there are. Of a longer key only the
// fingerprints come back.
const keyBytes = 7*keyWords - 1

// prime is 2^61 − 1.
const prime = 1<<61 - 1

// parts is how many cells hold each key, one in each part of the sketch.
const parts = 3

// entry is one key, ready to be added.
type entry struct {
	// print is the keyed hash of the lock's key, and of its owner where every lock
	// of the constraint names one; place is that of the key alone.
	print, place uint64
	words        [keyWords]uint64
	used         int // words that are not 0
}

// secret is what keeps strangers, who choose the values, from choosing
// fingerprints, too. All sketches of one check share it.
type secret struct {
	seed         maphash.Seed
	proof, cells uint64
}

func newSecret() *secret {
	return &secret{seed: maphash.MakeSeed(), proof: rand.Uint64(), cells: rand.Uint64()}
}

// shuffled is the secret with other cells: keys that share theirs, and cannot be told
// apart, do not do so again.
func (s *secret) shuffled() *secret {
	other := *s
	other.cells = rand.Uint64()
	return &other
}

// newSketch makes a sketch of about that many cells.
func newSketch(s *secret, cells int) *sketch {
	rows := max((cells+parts-1)/parts, 1)
	return &sketch{secret: s, rows: uint64(rows), words: make([]uint64, parts*rows*cellWords)}
}

// load is about how many different keys are left over. Where sure is false there
// may be any number more.
type load struct {
	keys int
	sure bool
}

// load tells it by how many cells none has come to, and so before the sketch is
// decoded. Above about nine times the cells of a part hardly one is empty.
func (s *sketch) load() load {
	empty := 0
	for at := 0; at < len(s.words); at += cellWords {
		if [cellWords]uint64(s.words[at:]) == [cellWords]uint64{} {
			empty++
		}
	}
	share := float64(max(empty, fewEmpty)) / float64(parts*s.rows)
	return load{int(-math.Log(share) * float64(s.rows)), empty > fewEmpty}
}

// fewEmpty is how few empty cells say nothing any more.
const fewEmpty = 2

// capacity is how many different keys can be left over for the sketch to give
// them all back, nearly always. Above it decoding fails, and says so.
func capacity(cells int) int { return cells * 3 / 4 }

// fingerprint is a keyed hash below the prime.
func (s *secret) fingerprint(b []byte) uint64 { return reduce(maphash.Bytes(s.seed, b)) }

// entry makes the entry of a lock's key, as bytes, and of the key with its
// owner; owned is nil where owners do not count. carried is what the sketch gives
// back: one or the other.
func (s *secret) entry(e *entry, key, owned, carried []byte) {
	e.place = s.fingerprint(key)
	e.print = e.place
	if owned != nil {
		e.print = s.fingerprint(owned)
	}
	e.used = 0
	if len(carried) > keyBytes {
		return
	}
	var bytes [7*keyWords + 1]byte // one more, so that eight can be read at once
	bytes[0] = byte(len(carried))
	copy(bytes[1:], carried)
	for e.used = 0; 7*e.used <= len(carried); e.used++ {
		e.words[e.used] = binary.LittleEndian.Uint64(bytes[7*e.used:]) & (1<<56 - 1)
	}
}

// add adds an entry, or takes it away where sign is −1.
func (s *sketch) add(e *entry, sign int64) { s.addAt(s.cellsOf(e.print), e, sign) }

// addAll adds entries, each with its sign. Their cells are asked for some entries
// before they are needed: a sketch is larger than what a processor has at hand.
func (s *sketch) addAll(entries []entry, signs []int8) {
	const ahead = 8
	var cells [ahead][parts]int
	for first := 0; first < len(entries); first += ahead {
		some := entries[first:min(first+ahead, len(entries))]
		for n := range some {
			cells[n] = s.cellsOf(some[n].print)
			for _, at := range cells[n] {
				s.asked += s.words[at] + s.words[at+cellWords/3]
			}
		}
		for n := range some {
			s.addAt(cells[n], &some[n], int64(signs[first+n]))
		}
	}
}

func (s *sketch) addAt(cells [parts]int, e *entry, sign int64) {
	proof := s.secret.proofOf(e.print)
	for _, at := range cells {
		cell := s.words[at : at+cellWords]
		cell[wordCount] += uint64(sign)
		if sign > 0 {
			cell[wordPrint] = plus(cell[wordPrint], e.print)
			cell[wordProof] = plus(cell[wordProof], proof)
			cell[wordPlace] = plus(cell[wordPlace], e.place)
			for n, w := range e.words[:e.used] {
				cell[wordKey+n] = plus(cell[wordKey+n], w)
			}
			continue
		}
		cell[wordPrint] = minus(cell[wordPrint], e.print)
		cell[wordProof] = minus(cell[wordProof], proof)
		cell[wordPlace] = minus(cell[wordPlace], e.place)
		for n, w := range e.words[:e.used] {
			cell[wordKey+n] = minus(cell[wordKey+n], w)
		}
	}
}

// merge adds a sketch of the same size and secret.
func (s *sketch) merge(other *sketch) {
	for n, w := range other.words {
		if n%cellWords == wordCount {
			s.words[n] += w
		} else if w != 0 {
			s.words[n] = plus(s.words[n], w)
		}
	}
}

// remainder is a key that is left over, count times: more accounts call for it
// than locks have it, or fewer.
type remainder struct {
	place uint64
	count int64
	key   []byte // nil where it is too long for the sketch
}

// decode takes the sketch apart into what is left over. It is not whole where
// more is left over than the sketch can hold; then nothing may be concluded from
// what is missing in the answer.
func (s *sketch) decode() (left []remainder, whole bool) {
	var todo []int // the cells to look at, by their first word
	for at := 0; at < len(s.words); at += cellWords {
		todo = append(todo, at)
	}
	for most := len(todo); len(todo) > 0 && len(left) < most; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r, print, ok := s.single(at)
		if !ok {
			continue
		}
		left = append(left, r)
		gone := [cellWords]uint64(s.words[at:])
		for _, other := range s.cellsOf(print) {
			cell := s.words[other : other+cellWords]
			cell[wordCount] -= gone[wordCount]
			for w := wordPrint; w < cellWords; w++ {
				cell[w] = minus(cell[w], gone[w])
			}
			todo = append(todo, other)
		}
	}
	for _, w := range s.words {
		if w != 0 {
			return left, false
		}
	}
	return left, true
}

// single reads the cell at a word, where it holds one key and nothing else.
func (s *sketch) single(at int) (r remainder, print uint64, ok bool) {
	cell := s.words[at : at+cellWords]
	count := int64(cell[wordCount])
	if count == 0 {
		return remainder{}, 0, false
	}
	share := inverse(count)
	print = times(cell[wordPrint], share)
	cells := s.cellsOf(print)
	if times(cell[wordProof], share) != s.secret.proofOf(print) || !slices.Contains(cells[:], at) {
		return remainder{}, 0, false
	}
	r = remainder{place: times(cell[wordPlace], share), count: count}
	var bytes [7 * keyWords]byte
	for k := range keyWords {
		w := times(cell[wordKey+k], share)
		for b := range 7 {
			bytes[7*k+b] = byte(w >> (8 * b))
		}
	}
	if length := int(bytes[0]); length > 0 && length <= keyBytes {
		r.key = append([]byte(nil), bytes[1:1+length]...)
	}
	return r, print, true
}

// cellsOf is where the cells of a fingerprint begin, one in each part.
func (s *sketch) cellsOf(print uint64) (at [parts]int) {
	h := mix(print ^ s.secret.cells)
	for part := range at {
		row, _ := bits.Mul64(h, s.rows)
		at[part] = int((uint64(part)*s.rows + row) * cellWords)
		h = h*stride + 1
	}
	return at
}

func (s *secret) proofOf(print uint64) uint64 { return reduce(mix(print ^ s.proof)) }

// stride steps from one part's hash to the next (Knuth's MMIX).
const stride = 6364136223846793005

// mix spreads every bit over all others (MurmurHash3's finaliser).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// reduce takes a number modulo the prime.
func reduce(x uint64) uint64 {
	x = x&prime + x>>61
	if x >= prime {
		x -= prime
	}
	return x
}

func plus(a, b uint64) uint64 {
	if a += b; a >= prime {
		a -= prime
	}
	return a
}

func minus(a, b uint64) uint64 {
	if a < b {
		a += prime
	}
	return a - b
}

func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce((hi<<3 | lo>>61) + lo&prime)
}

// inverse is what times n gives 1.
func inverse(n int64) uint64 {
	a := uint64(n)
	if n < 0 {
		a = prime - reduce(uint64(-n))
	} else {
		a = reduce(a)
	}
	result := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 { // Fermat
		if e&1 == 1 {
			result = times(result, a)
		}
		a = times(a, a)
	}
	return result
}
