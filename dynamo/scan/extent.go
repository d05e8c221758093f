package scan

import "sync"

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
