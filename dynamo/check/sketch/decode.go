package sketch

import (
	"math/bits"
	"slices"
)

// Remainder is a key that did not cancel out. Count is the number of times that the key was added, minus
// the number of times that it was subtracted. Count is not 0.
type Remainder struct {
	Print, Place uint64
	Count        int64
	Key          []byte // nil if the bytes are unknown
}

// Decode removes the remaining keys from the sketch and returns them. whole is false if too many keys
// remain: then left has only some of them.
func (s *Sketch) Decode() (left []Remainder, whole bool) {
	all := int(parts * s.rows)
	var todo []int // cells to try
	for at := range all {
		if s.cells[at*s.words] != 0 {
			todo = append(todo, at)
		}
	}
	for len(todo) > 0 && len(left) < all {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r, ok := s.single(at)
		if !ok {
			continue
		}
		left = append(left, r)
		todo = s.remove(at, r.Print, todo)
	}
	some := func(w uint64) bool { return w != 0 }
	return left, !slices.ContainsFunc(s.cells, some) && !slices.ContainsFunc(s.tails, some)
}

// cell returns the words of the cell with index at. tail is nil if the sketch does not keep the bytes of
// keys.
func (s *Sketch) cell(at int) (cell, tail []uint64) {
	if s.tails != nil {
		tail = s.tails[at*tailWords : (at+1)*tailWords]
	}
	return s.cells[at*s.words : (at+1)*s.words], tail
}

// remove removes a key from the sketch. The cell with index at has only this key, so remove subtracts the
// cell's contents from all cells of the key. It appends these cells to todo, since each may now have a
// single key.
func (s *Sketch) remove(at int, print uint64, todo []int) []int {
	var gone [headWords + keyWords]uint64
	cell, tail := s.cell(at)
	copy(gone[copy(gone[:], cell):], tail)
	for _, other := range s.spot(print).cells {
		cell, tail := s.cell(other)
		for n := range cell {
			switch {
			case n == wordCount:
				cell[n] = counted(cell[n], -(gone[n] >> countShift), -gone[n])
			case n < headWords:
				cell[n] = minus(cell[n], gone[n])
			default:
				cell[n] -= gone[n]
			}
		}
		for n := range tail {
			tail[n] -= gone[len(cell)+n]
		}
		todo = append(todo, other)
	}
	return todo
}

// single returns the key of the cell with index at, if the cell has only one key. Otherwise ok is false.
func (s *Sketch) single(at int) (r Remainder, ok bool) {
	cell, tail := s.cell(at)
	count := int64(cell[wordCount]) >> countShift
	if count == 0 {
		return Remainder{}, false
	}
	share := inverse(count)
	print := times(cell[wordPrint], share)
	spot := s.spot(print)
	if uint64(count)*spot.check&checkMask != cell[wordCount]&checkMask || !slices.Contains(spot.cells[:], at) {
		return Remainder{}, false
	}
	r = Remainder{Print: print, Place: times(cell[wordPlace], share), Count: count}
	if tail != nil {
		r.Key = keyOf(cell[headWords:], tail, count)
	}
	return r, true
}

// keyOf returns the bytes of a key; nil if the bytes are unknown. short and tail are the words of a cell
// that has only this key, count times.
func keyOf(short, tail []uint64, count int64) []byte {
	var bytes [wordBytes * keyWords]byte
	for n := range keyWords {
		sum := uint64(0)
		if n < shortWords {
			sum = short[n]
		} else {
			sum = tail[n-shortWords]
		}
		w, ok := divide(sum, count)
		if !ok {
			return nil
		}
		for b := range wordBytes {
			bytes[wordBytes*n+b] = byte(w >> (8 * b))
		}
	}
	if length := int(bytes[0]); length > 0 && length <= KeyBytes {
		return append([]byte(nil), bytes[1:1+length]...)
	}
	return nil
}

// prime is 2^61 − 1. Fingerprints are computed modulo prime.
const prime = 1<<61 - 1

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

// field returns n modulo prime.
func field(n int64) uint64 {
	if n < 0 {
		return minus(0, reduce(uint64(-n)))
	}
	return reduce(uint64(n))
}

// inverse returns the inverse of n modulo prime: n times the inverse is 1.
func inverse(n int64) uint64 {
	a, result := field(n), uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 { // Fermat's little theorem
		if e&1 == 1 {
			result = times(result, a)
		}
		a = times(a, a)
	}
	return result
}

// divide returns w, a word of at most 56 bits, so that w times n equals product modulo 2^64. ok is false if
// there is no such w, or if there may be several.
func divide(product uint64, n int64) (w uint64, ok bool) {
	if n < 0 {
		product, n = -product, -n
	}
	twos := bits.TrailingZeros64(uint64(n))
	odd := uint64(n) >> twos
	if twos > 8 || product&(1<<twos-1) != 0 {
		return 0, false
	}
	inverse := odd // Newton's method: 3 bits are correct at first, and each step doubles them
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	w = product * inverse >> twos
	return w, w < 1<<56
}
