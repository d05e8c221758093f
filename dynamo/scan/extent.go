package scan

import "sync"

// mostParts is how many parts of a table are told apart: of more, neighbours are
// told together.
const mostParts = 16

// extent is how far each segment of a table has been read.
type extent struct {
	mu       sync.Mutex
	segments int
	ended    []int         // by part
	open     map[int]int64 // by segment that has begun, its items
}

func (e *extent) begin(segments int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.segments, e.ended, e.open = segments, make([]int, min(segments, mostParts)), map[int]int64{}
}

func (e *extent) part(segment int) int { return segment * len(e.ended) / e.segments }

// read takes in that a segment has so many items more.
func (e *extent) read(segment, items int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[segment] += int64(items)
}

// end takes in that a segment is over.
func (e *extent) end(segment int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.open, segment)
	e.ended[e.part(segment)]++
}

// parts are how far each is, where the whole table has about that many items, and how
// many segments have ended. DynamoDB does not say how long a segment is: 1 is only
// what has ended.
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
