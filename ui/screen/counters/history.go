package counters

import (
	"math/big"
	"time"

	"tallylock/ui/words"
)

// keep is how far back a counter's history reaches, in values.
const keep = 256

// history is the last values of one counter, in a ring. It keeps distances
// from the first value, so that a number of 38 digits still shows its rate.
type history struct {
	first *big.Int
	ring  [keep]sample
	start int
	n     int
}

type sample struct {
	at   time.Time
	rise float64
}

// add notes a value. Text that is no whole number is not noted.
func (h *history) add(at time.Time, value string) {
	v, ok := words.WholeNumber(value)
	if !ok {
		return
	}
	if h.first == nil {
		h.first = v
	}
	rise, _ := new(big.Float).SetInt(new(big.Int).Sub(v, h.first)).Float64()
	if h.n == keep {
		h.start = (h.start + 1) % keep
		h.n--
	}
	h.ring[(h.start+h.n)%keep] = sample{at, rise}
	h.n++
}

func (h *history) get(n int) sample { return h.ring[(h.start+n)%keep] }

// read is for how long values have been noted, up to a moment.
func (h *history) read(end time.Time) time.Duration {
	if h.n == 0 {
		return 0
	}
	return max(end.Sub(h.get(0).at), 0)
}

// rise is the counter's distance from its first value at a moment, between
// two values in proportion to the time. ok is false before the first.
func (h *history) rise(at time.Time) (float64, bool) {
	if h.n == 0 || at.Before(h.get(0).at) {
		return 0, false
	}
	low, high := 0, h.n-1 // the last value that is not after at
	for low < high {
		mid := (low + high + 1) / 2
		if h.get(mid).at.After(at) {
			high = mid - 1
		} else {
			low = mid
		}
	}
	a := h.get(low)
	if low == h.n-1 {
		return a.rise, true
	}
	b := h.get(low + 1)
	part := float64(at.Sub(a.at)) / float64(b.at.Sub(a.at))
	return a.rise + part*(b.rise-a.rise), true
}

// buckets cuts the time before end into n parts and gives the numbers handed
// out a second in each; −1 where nothing was read yet.
func (h *history) buckets(end time.Time, part time.Duration, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		to := end.Add(-time.Duration(n-1-i) * part)
		a, okA := h.rise(to.Add(-part))
		b, okB := h.rise(to)
		switch {
		case okA && okB:
			out[i] = max(b-a, 0) / part.Seconds()
		case okB && h.n > 1:
			out[i] = max(b-h.get(0).rise, 0) / part.Seconds()
		default:
			out[i] = -1
		}
	}
	return out
}

// rate is the numbers handed out a second over the last minute, but for the moments at which
// it jumped.
func (h *history) rate() float64 {
	if h.n < 2 {
		return 0
	}
	from := h.get(h.n - 1).at.Add(-time.Minute)
	jump, rose, span := h.jump(), 0.0, time.Duration(0)
	for n := h.n - 1; n > 0 && h.get(n).at.After(from); n-- {
		m := h.moved(n)
		if jump(m) {
			continue
		}
		if within := m.at.Sub(from); within < m.over {
			m.by *= float64(within) / float64(m.over)
			m.over = within
		}
		rose += m.by
		span += m.over
	}
	if span <= 0 {
		return 0
	}
	return max(rose, 0) / span.Seconds()
}
