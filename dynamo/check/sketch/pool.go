package sketch

import "runtime"

// Pool is one sketch in several copies, so that several cores can add to it at once.
type Pool struct {
	free chan *Sketch
}

// NewPool returns a pool of sketches with that many cells each. It has one sketch for each core, or
// fewer if memory, in bytes, has no room for them, but at least one.
func NewPool(seed *Seed, cells int, keys bool, memory int64) *Pool {
	cellBytes := PrintBytes
	if keys {
		cellBytes = CellBytes
	}
	copies := int(min(max(memory/int64(cells*cellBytes), 1), int64(runtime.GOMAXPROCS(0))))
	p := &Pool{free: make(chan *Sketch, copies)}
	first := New(seed, cells, keys)
	for p.free <- first; len(p.free) < copies; {
		p.free <- first.Another()
	}
	return p
}

// Sum returns the sum of the sketches. Call it only once, and only after every batch is flushed.
func (p *Pool) Sum() *Sketch {
	sum := <-p.free
	for range cap(p.free) - 1 {
		sum.Merge(<-p.free)
	}
	return sum
}

// Batch collects entries to be added together, so that workers rarely wait for a sketch. Each
// worker has its own.
type Batch struct {
	pool    *Pool
	entries [64]Entry
	n       int
}

// Batch returns an empty batch for a worker.
func (p *Pool) Batch() *Batch { return &Batch{pool: p} }

// Next returns an entry with that sign to fill in.
func (b *Batch) Next(sign int32) *Entry {
	if b.n == len(b.entries) {
		b.Flush()
	}
	e := &b.entries[b.n]
	e.Sign = sign
	b.n++
	return e
}

// Drop takes back the entry that Next returned last.
func (b *Batch) Drop() { b.n-- }

// Flush adds the collected entries to a sketch.
func (b *Batch) Flush() {
	if b.n == 0 {
		return
	}
	s := <-b.pool.free
	s.Add(b.entries[:b.n])
	b.pool.free <- s
	b.n = 0
}
