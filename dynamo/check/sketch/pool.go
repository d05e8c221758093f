package sketch

import "runtime"

// Pool has several copies of one sketch, so that several cores can add keys at once.
type Pool struct {
	free chan *Sketch
}

// NewPool returns a pool of sketches. Each has this number of cells. There is one sketch for each core, or
// fewer if they need more than memory bytes, but at least one. keys says whether the sketches keep the
// bytes of keys.
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

// Sum adds up the sketches of the pool. Flush all batches first. Sum empties the pool, so call it only
// once.
func (p *Pool) Sum() *Sketch {
	sum := <-p.free
	for range cap(p.free) - 1 {
		sum.Merge(<-p.free)
	}
	return sum
}

// Batch collects entries and adds them to a sketch all at once, so that workers rarely wait for a sketch.
// Each worker needs its own Batch.
type Batch struct {
	pool    *Pool
	entries [64]Entry
	n       int
}

// Batch returns an empty batch for one worker.
func (p *Pool) Batch() *Batch { return &Batch{pool: p} }

// Next returns the next entry of the batch. It sets the sign of the entry; the caller sets the rest.
func (b *Batch) Next(sign int32) *Entry {
	if b.n == len(b.entries) {
		b.Flush()
	}
	e := &b.entries[b.n]
	e.Sign = sign
	b.n++
	return e
}

// Drop removes the last entry that Next returned.
func (b *Batch) Drop() { b.n-- }

// Flush adds the entries of the batch to a sketch.
func (b *Batch) Flush() {
	if b.n == 0 {
		return
	}
	s := <-b.pool.free
	s.Add(b.entries[:b.n])
	b.pool.free <- s
	b.n = 0
}
