package check

import (
	"tallylock/dynamo/check/sketch"
)

// join is the sketch of one pass: one for each core to add to, whose sum is the table's.
type join struct {
	free chan *sketch.Sketch
}

// newJoin returns a join whose sketches have that many cells, as many sketches as there are
// cores and memory has room for.
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

// sum returns the sum of the sketches, once every batch is flushed. It may be called once.
func (j *join) sum() *sketch.Sketch {
	sum := <-j.free
	for range cap(j.free) - 1 {
		sum.Merge(<-j.free)
	}
	return sum
}

// batch collects entries to be added together, so that workers rarely wait for a sketch. Each
// worker has its own.
type batch struct {
	join    *join
	entries [64]sketch.Entry
	n       int
}

// next returns an entry with that sign to fill in.
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
