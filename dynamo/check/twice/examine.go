package twice

import (
	"context"
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// examine finds the fingerprints that were added twice. Several goroutines examine one part each. Fingerprints are
// spread evenly over the parts. If a part has many more fingerprints than the others, nearly all of the additional ones
// are equal, because very many items have the same value. So the median bounds the number of different fingerprints in
// a part.
func (p *Prints) examine(ctx context.Context) error {
	var counts []int64
	next := make(chan *part, len(p.parts))
	for n := range p.parts {
		counts = append(counts, p.parts[n].count)
		next <- &p.parts[n]
	}
	close(next)
	slices.Sort(counts)
	different := counts[len(counts)/2]*11/10 + 200
	workers := runtime.GOMAXPROCS(0)
	slots := max(p.examined/printBytes/int64(workers), minSlots)
	g, ctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error {
			w := examiner{prints: p, buf: make([]byte, p.blockBytes)}
			for of := range next {
				if err := w.part(ctx, of, min(of.count, different), slots); err != nil {
					return err
				}
				*of = part{}
			}
			return nil
		})
	}
	return g.Wait()
}

// minSlots is the least size of an examiner's set.
const minSlots = 1 << 10

// examiner examines one part after the other.
type examiner struct {
	prints *Prints
	buf    []byte
	// set is a hash table of the fingerprints that were seen. The bit seenTwice marks a fingerprint that was seen twice.
	set []uint64
	// round and rounds: this round examines only the fingerprints whose remainder modulo rounds is round.
	round, rounds uint64
}

const seenTwice = 1 << 63

// part examines one part. different limits the number of its different fingerprints, and slots limits the size of the
// set. If the set cannot hold all fingerprints, there are several rounds, and each round reads the whole part. A
// quarter of the slots stays free.
func (w *examiner) part(ctx context.Context, of *part, different, slots int64) error {
	slots = min(slots, max(2*different, minSlots))
	w.rounds = uint64((different + slots*3/4 - 1) / (slots * 3 / 4))
	if slots > int64(cap(w.set)) {
		w.set = make([]uint64, slots)
	}
	w.set = w.set[:slots]
	for w.round = range w.rounds {
		clear(w.set)
		for _, block := range of.full {
			w.block(block)
		}
		w.block(of.block)
		for _, at := range of.disk {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if _, err := w.prints.file.ReadAt(w.buf, int64(at)*int64(len(w.buf))); err != nil {
				return err
			}
			w.block(w.buf)
		}
	}
	return nil
}

func (w *examiner) block(block []byte) {
	for ; len(block) > 0; block = block[printBytes:] {
		print := binary.LittleEndian.Uint64(block)
		if print%w.rounds == w.round && w.again(print) {
			w.prints.keep(print)
		}
	}
}

// again adds a fingerprint to the set. It reports whether the set had the fingerprint exactly once before.
func (w *examiner) again(print uint64) bool {
	const first, golden = 1 << printBits, 0x9e3779b97f4a7c15 // first is set in every used slot: a fingerprint may be 0
	at, _ := bits.Mul64(print*golden, uint64(len(w.set)))
	for ; ; at++ {
		if at == uint64(len(w.set)) {
			at = 0
		}
		switch slot := &w.set[at]; *slot {
		case 0:
			*slot = print | first
			return false
		case print | first:
			*slot |= seenTwice
			return true
		case print | first | seenTwice:
			return false
		}
	}
}

// keep keeps a fingerprint that was added twice.
func (p *Prints) keep(print uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.twice) < p.most {
		p.twice[print] = struct{}{}
	} else {
		p.more++
	}
}
