package sketch

import "math/bits"

// prime is 2^61 − 1. Numbers below it are added and divided modulo it.
const prime = 1<<61 - 1

// reduce returns a number modulo the prime.
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

// field is a whole number modulo the prime.
func field(n int64) uint64 {
	if n < 0 {
		return minus(0, reduce(uint64(-n)))
	}
	return reduce(uint64(n))
}

// inverse returns what times n is 1.
func inverse(n int64) uint64 {
	a, result := field(n), uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 { // by Fermat's little theorem
		if e&1 == 1 {
			result = times(result, a)
		}
		a = times(a, a)
	}
	return result
}

// divide returns the number of at most 56 bits that times n is the product, modulo 2^64; ok
// is false if n does not determine it.
func divide(product uint64, n int64) (w uint64, ok bool) {
	if n < 0 {
		product, n = -product, -n
	}
	twos := bits.TrailingZeros64(uint64(n))
	odd := uint64(n) >> twos
	if twos > 8 || product&(1<<twos-1) != 0 {
		return 0, false
	}
	inverse := odd // Newton's method: 3 correct bits, then twice as many each time
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	w = product * inverse >> twos
	return w, w < 1<<56
}
