package scan

import (
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Totals is how much of a table has been read.
type Totals struct {
	Items    int64
	Pages    int64
	Units    float64 // read units, as the endpoint counts them
	Segments int     // into which the table was divided
	Done     int     // segments that have ended
	// Throttled is how many requests were throttled and sent again, and Reasons how often
	// DynamoDB gave each reason for it.
	Throttled int64
	Reasons   map[string]int64
	// Repeated is how many were sent again because a response was damaged or never came.
	Repeated int64
}

// Complete reports whether every item was read.
func (t Totals) Complete() bool { return t.Segments > 0 && t.Done == t.Segments }

// Progress is how far a scan is. It is safe for concurrent use. The zero Progress is ready
// for one scan.
type Progress struct {
	items, pages, units    atomic.Int64 // units in thousandths
	throttled, repeated    atomic.Int64
	segments, segmentsDone atomic.Int64
	extent                 extent

	mu      sync.Mutex
	reasons map[string]int64
	asked   map[int]bool // the segments with a request in flight; true if that is a retry
	silent  time.Time    // since when only retries are in flight and nothing came; zero otherwise
}

// Totals returns what has been read so far.
func (p *Progress) Totals() Totals {
	p.mu.Lock()
	reasons := maps.Clone(p.reasons)
	p.mu.Unlock()
	return Totals{
		Items: p.items.Load(), Pages: p.pages.Load(), Units: float64(p.units.Load()) / 1000,
		Segments: int(p.segments.Load()), Done: int(p.segmentsDone.Load()),
		Throttled: p.throttled.Load(), Repeated: p.repeated.Load(), Reasons: reasons,
	}
}

// Parts returns how far each part of the table is, if that has about that many items, and how
// many segments have ended: see extent.
func (p *Progress) Parts(items int64) (parts []float64, ended int) { return p.extent.parts(items) }

func (p *Progress) begin(o Options) {
	p.segments.Store(int64(o.Segments))
	p.extent.begin(o.Segments)
}

// Silent returns since when every request in flight has been a retry and no response has
// come; zero if one has, or if a first attempt is in flight.
func (p *Progress) Silent() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, again := range p.asked {
		if !again {
			return time.Time{}
		}
	}
	return p.silent
}

// ask says that a request for a segment is in flight.
func (p *Progress) ask(segment int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[int]bool{}
	}
	p.asked[segment] = false
}

func (p *Progress) page(segment int, page *Page) {
	p.mu.Lock()
	delete(p.asked, segment)
	p.silent = time.Time{}
	p.mu.Unlock()
	p.extent.read(segment, page.Items)
	p.items.Add(int64(page.Items))
	p.pages.Add(1)
	p.units.Add(int64(math.Round(page.Units * 1000)))
}

func (p *Progress) end(segment int) {
	p.extent.end(segment)
	p.segmentsDone.Add(1)
}

func (p *Progress) again(segment int, throttled bool, reasons []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !throttled {
		p.asked[segment] = true
		if p.repeated.Add(1); p.silent.IsZero() {
			p.silent = time.Now()
		}
		return
	}
	p.throttled.Add(1)
	if p.reasons == nil {
		p.reasons = map[string]int64{}
	}
	for _, r := range reasons {
		p.reasons[r]++
	}
}

// maxParts is how many parts of a table Progress reports at most: of more segments,
// neighbours share a part.
const maxParts = 16

// extent tracks how far each segment of a table has been read.
type extent struct {
	mu       sync.Mutex
	segments int
	ended    []int         // by part
	open     map[int]int64 // the items read of each segment that has begun
}

func (e *extent) begin(segments int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.segments, e.ended, e.open = segments, make([]int, min(segments, maxParts)), map[int]int64{}
}

func (e *extent) part(segment int) int { return segment * len(e.ended) / e.segments }

// read takes in that so many more items of a segment were read.
func (e *extent) read(segment, items int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[segment] += int64(items)
}

// end takes in that a segment has ended.
func (e *extent) end(segment int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.open, segment)
	e.ended[e.part(segment)]++
}

// parts returns how far each part is if the whole table has about that many items, and how
// many segments have ended. DynamoDB does not say how long a segment is, so a part is 1 only
// when it has ended.
func (e *extent) parts(items int64) (out []float64, all int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	out = make([]float64, len(e.ended))
	for n, ended := range e.ended {
		out[n] = float64(ended)
		all += ended
	}
	for segment, read := range e.open {
		out[e.part(segment)] += min(float64(read)*float64(e.segments)/float64(max(items, 1)), 0.99)
	}
	for n := range out {
		first := (n*e.segments + len(out) - 1) / len(out) // segments of the part: from the first …
		next := ((n+1)*e.segments + len(out) - 1) / len(out)
		out[n] /= float64(next - first)
	}
	return out, all
}
