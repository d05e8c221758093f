package sketch

import "math"

// estimate estimates how many keys are left over in a sketch that holds too many to decode:
// it counts one key in estimateEvery.
type estimate struct{ sums []uint64 }

const (
	estimateEvery = 1 << 6
	estimateSums  = 1 << 14
)

// add takes in a key whose print is divisible by estimateEvery.
func (e *estimate) add(print, check, sign uint64) {
	if e.sums == nil {
		e.sums = make([]uint64, estimateSums)
	}
	e.sums[print/estimateEvery%estimateSums] += sign * check
}

func (e *estimate) merge(other *estimate) {
	if e.sums == nil {
		e.sums = other.sums
		return
	}
	for n, sum := range other.sums {
		e.sums[n] += sum
	}
}

// Load returns about how many different keys are left over. It must be called before Decode.
// It counts the cells that no key is in; above about nine times the cells of a part hardly
// one is empty, and the estimate is coarser.
func (s *Sketch) Load() int {
	empty := 0
	for at := 0; at < len(s.cells); at += s.words {
		if s.cells[at] == 0 && s.cells[at+wordPrint] == 0 {
			empty++
		}
	}
	all := int(parts * s.rows)
	if 100*empty >= all {
		return int(-math.Log(float64(empty)/float64(all)) * float64(s.rows))
	}
	return max(s.load.keys(), all)
}

func (e *estimate) keys() int {
	empty := 1 // if none is, the largest estimate
	for _, sum := range e.sums {
		if sum == 0 {
			empty++
		}
	}
	return int(estimateEvery * estimateSums * math.Log(estimateSums/float64(min(empty, estimateSums))))
}
