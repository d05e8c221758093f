package check

import (
	"runtime"

	"tallylock/dynamo/check/sketch"
)

// keyMemory is about what a check keeps of a key that is left over, all counted: its
// cells, the lock with the accounts that claim it, and what is searched for its value.
const keyMemory = 600

// mostKeys is how many keys that are left over can be followed up in so much memory,
// and memoryFor its reverse.
func mostKeys(memory int64) int  { return int(max(memory/keyMemory, 1)) }
func memoryFor(keys int) int64   { return int64(keys) * keyMemory }
func mostCells(memory int64) int { return max(sketch.CellsFor(mostKeys(memory)), fewestCells) }
func copiesFor(memory int64, n int) int {
	return int(min(max(memory/8/int64(n), 1), int64(runtime.GOMAXPROCS(0))))
}

// A first sketch is small, so that the processor's caches hold it. fewestCells is what
// any sketch needs to come apart nearly always, however little is left over.
const (
	fewestCells = 1 << 8
	leastCells  = 1 << 12
	usualCells  = 3 << 13
)

// firstCells is how large the sketch of a first reading is: that of a small table need
// not be larger than the table.
func firstCells(memory, items int64) int {
	return int(min(max(2*items, leastCells), usualCells, int64(mostCells(memory))))
}

// join is the sketch of one pass. Each core has one to add to; together they are
// the table's.
type join struct {
	free chan *sketch.Sketch
}

// newJoin makes a join whose sketches have that many cells, as many for each core as
// memory has room for.
func newJoin(seed *sketch.Seed, cells int, keys bool, memory int64) *join {
	cellBytes := sketch.PrintBytes
	if keys {
		cellBytes = sketch.CellBytes
	}
	copies := copiesFor(memory, cells*cellBytes)
	j := &join{free: make(chan *sketch.Sketch, copies)}
	first := sketch.New(seed, cells, keys)
	for j.free <- first; len(j.free) < copies; {
		j.free <- first.Another()
	}
	return j
}

// batch is entries that are added together, so that a sketch is not waited for
// each time. Each worker has its own.
type batch struct {
	join    *join
	entries [64]sketch.Entry
	n       int
}

// next is room for one more entry, of that sign.
func (b *batch) next(sign int32) *sketch.Entry {
	if b.n == len(b.entries) {
		b.flush()
	}
	e := &b.entries[b.n]
	e.Sign = sign
	b.n++
	return e
}

func (b *batch) flush() {
	if b.n == 0 {
		return
	}
	s := <-b.join.free
	s.Add(b.entries[:b.n])
	b.join.free <- s
	b.n = 0
}

// sum is the sketch of the whole, once every batch is flushed. It can be asked for
// once.
func (j *join) sum() *sketch.Sketch {
	sum := <-j.free
	for range cap(j.free) - 1 {
		sum.Merge(<-j.free)
	}
	return sum
}
