package counters

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// keep is the number of values in a counter's history.
const keep = 256

// history holds the last values of one counter. It stores their differences from the first value, because a float64
// cannot hold a number of 38 digits exactly.
type history struct {
	first *big.Int
	all   []sample // the oldest first, at most keep
}

type sample struct {
	at   time.Time
	rise float64
}

// add adds a value that was read at a time. It ignores a value that is not a whole number.
func (h *history) add(at time.Time, value string) {
	v, ok := say.WholeNumber(value)
	if !ok {
		return
	}
	if h.first == nil {
		h.first = v
	}
	rise, _ := new(big.Float).SetInt(new(big.Int).Sub(v, h.first)).Float64()
	h.all = append(h.all[max(len(h.all)-keep+1, 0):], sample{at, rise})
}

// read returns how long the history is: the time from the oldest value to end.
func (h *history) read(end time.Time) time.Duration {
	if len(h.all) == 0 {
		return 0
	}
	return max(end.Sub(h.all[0].at), 0)
}

// rise returns the counter's difference from its first value at a time. Between two
// values, it interpolates. ok is false before the oldest value.
func (h *history) rise(at time.Time) (float64, bool) {
	if len(h.all) == 0 || at.Before(h.all[0].at) {
		return 0, false
	}
	next := sort.Search(len(h.all), func(n int) bool { return h.all[n].at.After(at) })
	a := h.all[next-1]
	if next == len(h.all) {
		return a.rise, true
	}
	b := h.all[next]
	part := float64(at.Sub(a.at)) / float64(b.at.Sub(a.at))
	return a.rise + part*(b.rise-a.rise), true
}

// buckets divides the time before end into n parts. It returns the numbers handed out
// per second in each part; −1 for a part before the first reading.
func (h *history) buckets(end time.Time, part time.Duration, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		to := end.Add(-time.Duration(n-1-i) * part)
		a, okA := h.rise(to.Add(-part))
		b, okB := h.rise(to)
		switch {
		case okA && okB:
			out[i] = max(b-a, 0) / part.Seconds()
		case okB && len(h.all) > 1:
			out[i] = max(b-h.all[0].rise, 0) / part.Seconds()
		default:
			out[i] = -1
		}
	}
	return out
}

// rate returns the numbers handed out per second over the last minute, without the times of
// jumps.
func (h *history) rate() float64 {
	if len(h.all) < 2 {
		return 0
	}
	from := h.all[len(h.all)-1].at.Add(-time.Minute)
	jump, rose, span := h.jump(), 0.0, time.Duration(0)
	for n := len(h.all) - 1; n > 0 && h.all[n].at.After(from); n-- {
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

// Limits for calling a counter stalled, or a move a jump.
const (
	movesSeen     = 5  // the minimum number of moves before anything is called unusual
	stallPauses   = 5  // a stall lasts more than this many average pauses between moves
	stallLongests = 3  // and more than this many times the longest pause
	jumpTimes     = 20 // a jump is more than this many times the median move
	jumpLeast     = 100
	jumpPolls     = 3 // and lies between two values at most this many median polls apart
)

// move is a change of the counter between one value and the next.
type move struct {
	at   time.Time
	by   float64
	over time.Duration // the time since the value before
}

// moved returns the change from value n−1 to value n. n is at least 1.
func (h *history) moved(n int) move {
	a, b := h.all[n-1], h.all[n]
	return move{b.at, b.rise - a.rise, b.at.Sub(a.at)}
}

func (h *history) moves() []move {
	var out []move
	for n := 1; n < len(h.all); n++ {
		if m := h.moved(n); m.by != 0 {
			out = append(out, m)
		}
	}
	return out
}

// stalled returns how long a counter has not moved, and how many numbers per second it handed
// out before. ok is false if such a pause is usual for the counter, or if it moved too rarely to tell.
func (h *history) stalled() (since time.Duration, before float64, ok bool) {
	moves, jump := h.moves(), h.jump()
	if len(moves) < movesSeen {
		return 0, 0, false
	}
	var longest time.Duration
	rose := 0.0
	for n, m := range moves[1:] {
		longest = max(longest, m.at.Sub(moves[n].at))
		if !jump(m) {
			rose += m.by
		}
	}
	last := moves[len(moves)-1].at
	span := last.Sub(moves[0].at)
	before = rose / span.Seconds()
	since = h.all[len(h.all)-1].at.Sub(last)
	return since, before, before > 0 && since > stallLongests*longest &&
		since > stallPauses*span/time.Duration(len(moves)-1)
}

// jump returns a function that reports whether a move is unusually large. It reports false until
// there are movesSeen moves. It also reports false for a move during a gap in the polling, because
// the counter may have moved in many small steps then.
func (h *history) jump() func(move) bool {
	moves := h.moves()
	if len(moves) < movesSeen {
		return func(move) bool { return false }
	}
	far := make([]float64, len(moves))
	for n, m := range moves {
		far[n] = max(m.by, -m.by)
	}
	slices.Sort(far)
	polls := make([]time.Duration, len(h.all)-1)
	for n := range polls {
		polls[n] = h.moved(n + 1).over
	}
	slices.Sort(polls)
	usual, poll := far[len(far)/2], polls[len(polls)/2]
	return func(m move) bool {
		by := max(m.by, -m.by)
		return m.over <= jumpPolls*poll && by >= jumpLeast && by > jumpTimes*usual
	}
}

// jumped returns the latest jump. ok is false if there is none.
func (h *history) jumped() (move, bool) {
	jump := h.jump()
	for _, m := range slices.Backward(h.moves()) {
		if jump(m) {
			return m, true
		}
	}
	return move{}, false
}

// noticed describes a stall or a jump of a counter; nil if there is none.
func noticed(row row) []kit.Span {
	if row.past == nil {
		return nil
	}
	if since, before, ok := row.past.stalled(); ok {
		return []kit.Span{
			kit.Warn.Of("stands still"),
			kit.Text.Of(fmt.Sprintf(" for %s, after %s", say.Lasts(since), say.Rate(before))),
		}
	}
	if m, ok := row.past.jumped(); ok {
		by := phrase.Group(fmt.Sprintf("%.0f", max(m.by, -m.by)))
		way := "jumped"
		if m.by < 0 {
			way = "went back"
		}
		return []kit.Span{kit.Warn.Of(way), kit.Text.Of(" by " + by + " at " + m.at.Local().Format("15:04:05"))}
	}
	return nil
}
