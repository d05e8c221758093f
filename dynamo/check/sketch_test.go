package check

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is left over comes back, however often each key was added and taken away,
// whatever order the keys came in and however many sketches they were spread over.
func TestSketchGivesBackWhatIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSecret()
		cells := rapid.IntRange(200, 400).Draw(t, "cells")
		halves := []*sketch{newSketch(s, cells), newSketch(s, cells)}
		want := map[string]int64{}
		names := rapid.SliceOfN(rapid.StringN(0, 30, 200), 0, 60).Draw(t, "names")
		if len(names) > 0 {
			for range rapid.IntRange(0, 500).Draw(t, "adds") {
				name := rapid.SampledFrom(names).Draw(t, "name")
				sign := rapid.SampledFrom([]int64{1, -1}).Draw(t, "sign")
				want[name] += sign
				halves[rapid.IntRange(0, 1).Draw(t, "half")].add(entryOf(s, name), sign)
			}
		}
		halves[0].merge(halves[1])
		left, whole := halves[0].decode()
		if !whole {
			t.Fatalf("%d keys in %d cells did not come back", len(want), cells)
		}
		got := map[uint64]remainder{}
		for _, r := range left {
			got[r.place] = r
		}
		for name, count := range want {
			r := got[entryOf(s, name).place]
			delete(got, entryOf(s, name).place)
			switch {
			case r.count != count:
				t.Fatalf("%q is left %d times, and came back %d times", name, count, r.count)
			case count != 0 && name != "" && len(name) <= keyBytes && string(r.key) != name:
				t.Fatalf("%q came back as %q", name, r.key)
			case len(name) > keyBytes && r.key != nil:
				t.Fatalf("a key of %d bytes came back as %q", len(name), r.key)
			}
		}
		if len(got) > 0 {
			t.Fatalf("what was never added came back: %v", got)
		}
	})
}

func entryOf(s *secret, name string) *entry {
	e := new(entry)
	s.entry(e, []byte(name), nil, []byte(name))
	return e
}

// Up to its capacity a sketch comes apart; far above, it says that it does not.
func TestSketchKnowsWhenItIsFull(t *testing.T) {
	const cells = 3000
	for keys, fits := range map[int]bool{0: true, capacity(cells): true, cells: false, 10 * cells: false} {
		s := newSecret()
		k := newSketch(s, cells)
		for n := range keys {
			k.add(entryOf(s, fmt.Sprint("key ", n)), int64(1-2*(n%2)))
		}
		left, whole := k.decode()
		if whole != fits || (whole && len(left) != keys) {
			t.Errorf("%d keys in %d cells: %d came back, whole is %v", keys, cells, len(left), whole)
		}
	}
}

// An owner tells apart what the same key does not.
func TestSketchKeepsOwnersApart(t *testing.T) {
	s := newSecret()
	k := newSketch(s, 100)
	claim, lock := new(entry), new(entry)
	s.entry(claim, []byte("ada"), []byte("ada, b"), []byte("ada"))
	s.entry(lock, []byte("ada"), []byte("ada, a"), []byte("ada"))
	k.add(claim, 1)
	k.add(lock, -1)
	left, whole := k.decode()
	if !whole || len(left) != 2 || left[0].place != left[1].place || left[0].count+left[1].count != 0 {
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

func BenchmarkSketch(b *testing.B) {
	for _, cells := range []int{1 << 14, 1 << 18} {
		b.Run(fmt.Sprint(cells), func(b *testing.B) {
			s := newSecret()
			k, e := newSketch(s, cells), new(entry)
			key := []byte("UNIQ#EMAIL#" + strings.Repeat("x", 20) + "LOCK")
			for n := range b.N {
				key[12], key[13], key[14] = byte(n), byte(n>>8), byte(n>>16)
				s.entry(e, key, nil, key)
				k.add(e, int64(1-2*(n%2)))
			}
		})
	}
}
