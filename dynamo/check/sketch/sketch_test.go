package sketch

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func entryOf(s *Seed, name string, sign int32) Entry {
	e := Entry{Print: s.Fingerprint([]byte(name)), Sign: sign}
	e.Place = e.Print
	e.SetKey([]byte(name))
	return e
}

// mostSeeds is the number of seeds that a test tries: one of them has to work. With one seed in some thousands, two
// keys share all their cells, and Decode does not return all keys. A check then reads again with more cells.
const mostSeeds = 4

// Decode returns the keys that did not cancel out. It does not matter how often each key was added and subtracted, in
// which order, and in how many sketches.
func TestWhatIsLeftComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, keys := rapid.IntRange(200, 400).Draw(t, "cells"), rapid.Bool().Draw(t, "keys")
		want := map[string]int64{}
		type add struct {
			name string
			sign int32
			half int
		}
		var adds []add
		names := rapid.SliceOfN(rapid.StringN(0, 30, 200), 0, 60).Draw(t, "names")
		if len(names) > 0 {
			for range rapid.IntRange(0, 500).Draw(t, "adds") {
				name := rapid.SampledFrom(names).Draw(t, "name")
				sign := rapid.SampledFrom([]int32{1, -1}).Draw(t, "sign")
				want[name] += int64(sign)
				adds = append(adds, add{name, sign, rapid.IntRange(0, 1).Draw(t, "half")})
			}
		}
		var seed *Seed
		var left []Remainder
		for whole, tries := false, 0; !whole; tries++ {
			if tries == mostSeeds {
				t.Fatalf("%d keys in %d cells did not come back", len(want), cells)
			}
			seed = NewSeed()
			first := New(seed, cells, keys)
			halves := []*Sketch{first, first.Another()}
			for _, a := range adds {
				halves[a.half].Add([]Entry{entryOf(seed, a.name, a.sign)})
			}
			first.Merge(halves[1])
			left, whole = first.Decode()
		}
		got := map[uint64]Remainder{}
		for _, r := range left {
			got[r.Place] = r
		}
		for name, count := range want {
			place := seed.Fingerprint([]byte(name))
			r := got[place]
			delete(got, place)
			switch {
			case r.Count != count:
				t.Fatalf("%q is left %d times, and came back %d times", name, count, r.Count)
			case keys && count != 0 && name != "" && len(name) <= KeyBytes && string(r.Key) != name:
				t.Fatalf("%q came back as %q", name, r.Key)
			case (!keys || len(name) > KeyBytes) && r.Key != nil:
				t.Fatalf("a key of %d bytes came back as %q", len(name), r.Key)
			}
		}
		if len(got) > 0 {
			t.Fatalf("what was never added came back: %v", got)
		}
	})
}

// Subtract takes the remaining keys of one sketch from another sketch. Decode then returns the difference of the two.
func TestSubtract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int32Range(-3, 3), 0, 60)
		before, after := counts.Draw(t, "before"), counts.Draw(t, "after")
		of := func(seed *Seed, counts []int32) *Sketch {
			s := New(seed, 400, false)
			for n, count := range counts {
				for sign := max(min(count, 1), -1); count != 0; count -= sign {
					s.Add([]Entry{entryOf(seed, fmt.Sprint(n), sign)})
				}
			}
			return s
		}
		var seed *Seed
		var moved []Remainder
		for whole, tries := false, 0; !whole; tries++ {
			if tries == mostSeeds {
				t.Fatal("they did not come apart")
			}
			seed = NewSeed()
			left, first := of(seed, before).Decode()
			second := of(seed, after)
			second.Subtract(left)
			moved, whole = second.Decode()
			whole = whole && first
		}
		got := map[uint64]int64{}
		for _, r := range moved {
			got[r.Place] = r.Count
		}
		for n := range max(len(before), len(after)) {
			want := int64(0)
			if n < len(after) {
				want += int64(after[n])
			}
			if n < len(before) {
				want -= int64(before[n])
			}
			if place := seed.Fingerprint([]byte(fmt.Sprint(n))); got[place] != want {
				t.Fatalf("key %d differs by %d, and came back as %d", n, want, got[place])
			}
		}
	})
}

// Up to its capacity, a sketch returns all keys. Far above, Decode says that it does not return all, and Load estimates
// their number.
func TestFull(t *testing.T) {
	const cells = 3000
	for keys, fits := range map[int]bool{0: true, Capacity(cells): true, cells: false, 10 * cells: false, 200 * cells: false} {
		seed := NewSeed()
		s := New(seed, cells, true)
		for n := range keys {
			s.Add([]Entry{entryOf(seed, fmt.Sprint("key ", n), int32(1-2*(n%2)))})
		}
		load := s.Load()
		left, whole := s.Decode()
		if whole != fits || whole && len(left) != keys {
			t.Errorf("%d keys in %d cells: %d came back, whole is %v", keys, cells, len(left), whole)
		}
		if load < keys*8/10 || load > keys*12/10 {
			t.Errorf("%d keys are said to be %d", keys, load)
		}
	}
}

// Entries with the same Place and different Prints do not cancel out.
func TestPrintsOfOnePlace(t *testing.T) {
	seed := NewSeed()
	s := New(seed, 100, true)
	claim, lock := entryOf(seed, "ada", 1), entryOf(seed, "ada", -1)
	claim.Print, lock.Print = seed.Fingerprint([]byte("ada, b")), seed.Fingerprint([]byte("ada, a"))
	s.Add([]Entry{claim, lock})
	left, whole := s.Decode()
	if !whole || len(left) != 2 || left[0].Place != left[1].Place || left[0].Count+left[1].Count != 0 {
		t.Errorf("what is left is %v, whole %v", left, whole)
	}
}

func TestPrimeArithmetic(t *testing.T) {
	p := new(big.Int).SetUint64(prime)
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.OneOf(rapid.Uint64Range(0, prime-1), rapid.Uint64Range(prime-3, prime-1))
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
		mod := func(z *big.Int) uint64 { return new(big.Int).Mod(z, p).Uint64() }
		if got := plus(a, b); got != mod(new(big.Int).Add(x, y)) {
			t.Errorf("plus: %d", got)
		}
		if got := minus(a, b); got != mod(new(big.Int).Sub(x, y)) {
			t.Errorf("minus: %d", got)
		}
		if got := times(a, b); got != mod(new(big.Int).Mul(x, y)) {
			t.Errorf("times: %d", got)
		}
		if n := rapid.Int64().Draw(t, "n"); mod(big.NewInt(n)) != 0 && times(inverse(n), mod(big.NewInt(n))) != 1 {
			t.Errorf("inverse of %d", n)
		}
	})
}

// divide returns the word of a key from each sum that determines the word. It never returns another word.
func TestDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, n := rapid.Uint64Range(0, 1<<56-1).Draw(t, "w"), rapid.Int64().Draw(t, "n")
		if n == 0 {
			return
		}
		got, ok := divide(w*uint64(n), n)
		if ok && got != w || !ok && n%(1<<9) != 0 {
			t.Errorf("%d times %d: %d, %v", n, w, got, ok)
		}
	})
}

// BenchmarkSketch adds keys as a check does: to sketches that fit into a core's cache and to larger ones, with and
// without the bytes of keys.
func BenchmarkSketch(b *testing.B) {
	for _, cells := range []int{3 << 13, 1 << 18} {
		for _, keys := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d cells, keys %v", cells, keys), func(b *testing.B) {
				seed := NewSeed()
				s := New(seed, cells, keys)
				key := []byte("u" + strings.Repeat("x", 22))
				var some [64]Entry
				for n := range b.N {
					key[12], key[13], key[14] = byte(n), byte(n>>8), byte(n>>16)
					e := &some[n%64]
					e.Print, e.Sign = seed.Fingerprint(key), int32(1-2*(n%2))
					if e.Place = e.Print; keys {
						e.SetKey(key)
					}
					if n%64 == 63 {
						s.Add(some[:])
					}
				}
			})
		}
	}
}
