package check

import (
	"runtime"
)

// sizes are how large the sketches of a check may be within its memory.
type sizes struct {
	cells  int // of a first try
	most   int // of a second one
	copies int // of the first, one for each core
	// suspects is how many keys may be left over: each is followed up.
	suspects int
}

// suspectBytes is about what is kept of a key that is left over, with the
// accounts that call for it and what is written about it.
const suspectBytes = 3 << 10

// sizesFor divides the memory: half for what is left over, half for sketches. A
// small sketch stays in the processor's caches; one for a small table need not be
// larger than the table.
func sizesFor(memory, items int64) sizes {
	z := sizes{suspects: int(max(memory/2/suspectBytes, 1))}
	z.most = int(min(max(int64(z.suspects)*4/3, fewestCells), memory/2/cellBytes))
	z.cells = int(min(max(2*items, leastCells), usualCells, int64(z.most)))
	return z.of(z.cells, memory)
}

// of is with sketches of so many cells, and as many copies of them as there is room
// for: a pass has two joins where items expire.
func (z sizes) of(cells int, memory int64) sizes {
	z.cells = cells
	z.copies = int(min(max(memory/4/int64(cells*cellBytes), 1), int64(runtime.GOMAXPROCS(0))))
	return z
}

// memoryFor is the memory in which so many keys that are left over can be followed up
// at once.
func memoryFor(keys int) int64 { return int64(keys) * 2 * suspectBytes }

// fewestCells is what a sketch needs to come apart nearly always, however little is
// left over.
const fewestCells = 1 << 8

const (
	leastCells = 1 << 12
	usualCells = 3 << 13
)

// join is the sketch of one pass. Each core has one to add to; together they are
// the table's.
type join struct {
	secret *secret
	free   chan *sketch
}

func newJoin(s *secret, cells, copies int) *join {
	s = s.shuffled()
	j := &join{secret: s, free: make(chan *sketch, copies)}
	for range copies {
		j.free <- newSketch(s, cells)
	}
	return j
}

// batch is entries that are added together, so that a sketch is not waited for
// each time. Each worker has its own.
type batch struct {
	join    *join
	entries [256]entry
	signs   [256]int8
	n       int
}

// next is room for one more entry.
func (b *batch) next(sign int8) *entry {
	if b.n == len(b.entries) {
		b.flush()
	}
	b.signs[b.n] = sign
	b.n++
	return &b.entries[b.n-1]
}

func (b *batch) flush() {
	if b.n == 0 {
		return
	}
	s := <-b.join.free
	s.addAll(b.entries[:b.n], b.signs[:b.n])
	b.join.free <- s
	b.n = 0
}

// sum is the sketch of the whole, once every batch is flushed. It can be asked for
// once.
func (j *join) sum() *sketch {
	sum := <-j.free
	for range cap(j.free) - 1 {
		sum.merge(<-j.free)
	}
	return sum
}
