// Package twice finds duplicates among very many texts and numbers, in a fixed amount of memory. On the first
// reading, Prints collects a fingerprint of each, in memory and then in a file on disk, and finds the fingerprints that
// occur twice. On the second reading, Entries collects the items with these fingerprints. Start at Prints.
package twice

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
	"sync/atomic"
)

// Prints collects fingerprints, and then finds those that were added twice. It is safe for concurrent use.
//
// The first bits of a fingerprint are the number of its part. Each part keeps its fingerprints in blocks. If the blocks
// need more memory than allowed, further blocks go to a file on disk. At the end the parts are examined one by one.
type Prints struct {
	parts      [1 << partBits]part
	blockBytes int
	left       atomic.Int64 // the number of further blocks that may stay in memory
	examined   int64        // the memory for the sets of all examiners, in bytes
	most       int          // the limit of twice

	open    func() (file, error)
	opening sync.Once
	file    file         // nil until the first block goes to disk
	written atomic.Int64 // blocks on disk
	failed  atomic.Pointer[error]

	mu    sync.Mutex
	twice map[uint64]struct{}
	more  int64
}

// file is a file of blocks.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// part has the fingerprints whose first bits are equal.
type part struct {
	mu    sync.Mutex
	count int64
	block []byte   // the fingerprints that are in no full block
	full  [][]byte // the full blocks in memory
	disk  []uint32 // the full blocks on disk, by their place in the file
}

// A fingerprint has 61 bits (sketch.Seed). The first partBits of them are the number of its part. Blocks on disk are at
// most maxBlock bytes long: large blocks are read faster.
const (
	printBits  = 61
	partBits   = 8
	printBytes = 8
	maxBlock   = 64 << 10
)

// New returns an empty Prints. It uses about this much memory, in bytes, and Find uses as much again. If that is not
// enough, Prints writes a file to the directory dir. most limits the number of kept fingerprints that were added twice.
func New(memory int64, most int, dir string) *Prints {
	return newPrints(memory, most, func() (file, error) { return create(dir) })
}

func newPrints(memory int64, most int, open func() (file, error)) *Prints {
	p := &Prints{examined: memory, most: most, open: open, twice: map[uint64]struct{}{}}
	p.blockBytes = int(min(max(memory/2/int64(len(p.parts)), printBytes), maxBlock)) / printBytes * printBytes
	p.left.Store(memory/int64(p.blockBytes) - int64(len(p.parts)))
	return p
}

// InMemory returns the number of fingerprints that need no file. memory is in bytes.
func InMemory(memory int64) int64 { return memory / 2 / printBytes }

// InFile is the size of a fingerprint in the file, in bytes.
const InFile = printBytes

// Add adds a fingerprint.
func (p *Prints) Add(print uint64) {
	of := &p.parts[print>>(printBits-partBits)]
	of.mu.Lock()
	defer of.mu.Unlock()
	of.count++
	of.block = binary.LittleEndian.AppendUint64(of.block, print)
	if len(of.block) < p.blockBytes {
		return
	}
	if p.left.Add(-1) >= 0 {
		of.full, of.block = append(of.full, of.block), nil
		return
	}
	if at, ok := p.write(of.block); ok {
		of.disk = append(of.disk, at)
	}
	of.block = of.block[:0]
}

// Mark notes that a fingerprint may occur twice, although it was added once.
func (p *Prints) Mark(print uint64) {
	p.Add(print)
	p.Add(print)
}

// write writes a block to the file, and returns its place. After an error it writes nothing more.
func (p *Prints) write(block []byte) (at uint32, ok bool) {
	p.opening.Do(func() {
		var err error
		if p.file, err = p.open(); err != nil {
			p.failed.Store(&err)
		}
	})
	if p.failed.Load() != nil {
		return 0, false
	}
	n := p.written.Add(1) - 1
	if _, err := p.file.WriteAt(block, n*int64(p.blockBytes)); err != nil {
		p.failed.Store(&err)
		return 0, false
	}
	return uint32(n), true
}

// Find finds the fingerprints that were added twice, and frees the memory and the disk of all others. An error means
// that the disk failed or ctx ended: then nothing is found. Call Find after everything is added.
func (p *Prints) Find(ctx context.Context) error {
	defer p.Close()
	if failed := p.failed.Load(); failed != nil {
		return *failed
	}
	err := p.examine(ctx)
	if err != nil {
		clear(p.twice)
		p.more = 0
	}
	return err
}

// Close frees the memory and the disk. A nil Prints has nothing to free.
func (p *Prints) Close() {
	if p == nil {
		return
	}
	clear(p.parts[:])
	if p.file != nil {
		_ = p.file.Close()
		p.file = nil
	}
}

// Any reports whether any fingerprint was added twice. A nil Prints is empty. Call Any after Find.
func (p *Prints) Any() bool { return p != nil && len(p.twice) > 0 }

// Has reports whether this fingerprint was added twice, and is kept. Call it after Find.
func (p *Prints) Has(print uint64) bool {
	if p == nil {
		return false
	}
	_, has := p.twice[print]
	return has
}

// Found counts the fingerprints that were added twice. kept is the number of kept ones, and more is the number of the
// rest. Call it after Find.
func (p *Prints) Found() (kept int, more int64) {
	if p == nil {
		return 0, 0
	}
	return len(p.twice), p.more
}
