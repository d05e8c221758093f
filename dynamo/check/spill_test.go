package check_test

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/generator"
)

// runs joins locks with accounts on disk, as a check might have: fingerprints of 16
// bytes are sorted as many at a time as there is memory for, written to a file, and
// the files merged. What is left over of a fingerprint shows where its entries meet.
type runs struct {
	dir   string
	seeds [2]maphash.Seed

	mu    sync.Mutex
	room  []print
	files []string
	bytes int64
	err   error
}

// print is a fingerprint. Its last bit tells an account that calls for a lock from
// the lock.
type print struct{ high, low uint64 }

func (p print) key() print { return print{p.high, p.low | 1} }

func (p print) compare(o print) int {
	return cmp.Or(cmp.Compare(p.high, o.high), cmp.Compare(p.low, o.low))
}

const printBytes = 16

// newRuns makes a join that keeps so many fingerprints in memory.
func newRuns(dir string, room int) *runs {
	return &runs{dir: dir, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, room: make([]print, 0, room)}
}

// worker is check.SketchedJoin.Worker.
func (r *runs) worker() (add func(key []byte, sign int8), flush func()) {
	some := make([]print, 0, 256)
	flush = func() {
		r.take(some)
		some = some[:0]
	}
	return func(key []byte, sign int8) {
		p := print{maphash.Bytes(r.seeds[0], key), maphash.Bytes(r.seeds[1], key)}.key()
		if sign < 0 {
			p.low--
		}
		if some = append(some, p); len(some) == cap(some) {
			flush()
		}
	}, flush
}

func (r *runs) take(some []print) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(some) > 0 {
		n := min(len(some), cap(r.room)-len(r.room))
		r.room = append(r.room, some[:n]...)
		if some = some[n:]; len(r.room) == cap(r.room) {
			r.spill()
		}
	}
}

// spill writes what is in memory as a run. The first error stays.
func (r *runs) spill() {
	slices.SortFunc(r.room, print.compare)
	name := filepath.Join(r.dir, fmt.Sprint(len(r.files)))
	r.files = append(r.files, name)
	r.bytes += int64(len(r.room)) * printBytes
	r.err = errors.Join(r.err, writeRun(name, r.room))
	r.room = r.room[:0]
}

func writeRun(name string, prints []print) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	var b [printBytes]byte
	for _, p := range prints {
		binary.BigEndian.PutUint64(b[:], p.high)
		binary.BigEndian.PutUint64(b[8:], p.low)
		if _, err := w.Write(b[:]); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

// run16 is a run while it is merged.
type run16 struct {
	file *os.File
	from *bufio.Reader
	at   print
}

// next reads on, and is false at the end.
func (r *run16) next() (bool, error) {
	var b [printBytes]byte
	if _, err := io.ReadFull(r.from, b[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, err
	}
	r.at = print{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])}
	return true, nil
}

type merging []*run16

func (m merging) Len() int           { return len(m) }
func (m merging) Less(i, j int) bool { return m[i].at.compare(m[j].at) < 0 }
func (m merging) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merging) Push(x any)        { *m = append(*m, x.(*run16)) }
func (m *merging) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// merge counts the keys that are left over, once every worker has flushed, and
// removes the runs.
func (r *runs) merge() (left int, err error) {
	if len(r.room) > 0 {
		r.spill()
	}
	if r.err != nil {
		return 0, r.err
	}
	var all merging
	defer func() {
		for _, one := range all {
			err = errors.Join(err, one.file.Close())
		}
		for _, name := range r.files {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	for _, name := range r.files {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		one := &run16{file: f, from: bufio.NewReaderSize(f, 1<<16)}
		all = append(all, one)
		if _, err := one.next(); err != nil { // no run is empty
			return 0, err
		}
	}
	heap.Init(&all)
	var key print
	count := 0
	for len(all) > 0 {
		first := all[0]
		if k := first.at.key(); k != key {
			if count != 0 {
				left++
			}
			key, count = k, 0
		}
		count += 2*int(first.at.low&1) - 1
		more, err := first.next()
		if err != nil {
			return left, err
		}
		if more {
			heap.Fix(&all, 0)
			continue
		}
		heap.Pop(&all)
		if err := first.file.Close(); err != nil {
			return left, err
		}
	}
	if count != 0 {
		left++
	}
	return left, nil
}

// The runs find as many keys left over as there are anomalies: they are compared with
// what a check does only if they do the same.
func TestRunsFindWhatIsLeft(t *testing.T) {
	table := &generator.Table{Name: "accounts", Pages: 40, PerPage: 200, Seed: 5, Anomalies: []generator.Wrong{
		{Kind: generator.OrphanedLock, Count: 30}, {Kind: generator.MissingLock, Count: 20}, {Kind: generator.DuplicateValue, Count: 10},
	}}
	open, r, s := openMadeUp(t, table), newRuns(t.TempDir(), 3000), check.NewSketchedJoin(1000)
	const want = 30 + 20 + 10
	items, err := joined(t.Context(), open, r.worker)
	if left, e := r.merge(); err != nil || e != nil || left != want || int(items) != table.Items() || len(r.files) < 5 {
		t.Errorf("%d left, want %d, of %d items in %d runs: %v, %v", left, want, items, len(r.files), err, e)
	}
	_, err = joined(t.Context(), open, s.Worker)
	if left, whole := s.Left(); err != nil || left != want || !whole {
		t.Errorf("%d left in the sketch, want %d: %v", left, want, err)
	}
}
