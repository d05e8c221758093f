package counters

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// How much has to have been seen before anything is called unusual.
const (
	movesSeen     = 5  // values between which the counter moved
	stallPauses   = 5  // times as long without a number as it usually took
	stallLongests = 3  // times as long as it ever took
	jumpTimes     = 20 // times as far at once as usually
	jumpLeast     = 100
	jumpPolls     = 3 // times as long as usually between two values: over more than that, nothing is a jump
)

// move is a value before which the counter had moved.
type move struct {
	at   time.Time
	by   float64
	over time.Duration // since the value before it
}

// moved is how the counter came to its n-th value, of those after the first.
func (h *history) moved(n int) move {
	a, b := h.get(n-1), h.get(n)
	return move{b.at, b.rise - a.rise, b.at.Sub(a.at)}
}

func (h *history) moves() []move {
	var out []move
	for n := 1; n < h.n; n++ {
		if m := h.moved(n); m.by != 0 {
			out = append(out, m)
		}
	}
	return out
}

// stalled is how long a counter has stood still that moved before, and the numbers a second
// that it handed out then. ok is false where that is not unusual for it.
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
	since = h.get(h.n - 1).at.Sub(last)
	return since, before, before > 0 && since > stallLongests*longest &&
		since > stallPauses*span/time.Duration(len(moves)-1)
}

// jump tells which moves go unusually far; none, before enough have been seen, and none over
// a time in which the counter was not read: how it moved then nobody saw.
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
	polls := make([]time.Duration, h.n-1)
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

// jumped is the last value that lies unusually far from the one before it.
func (h *history) jumped() (move, bool) {
	jump := h.jump()
	for _, m := range slices.Backward(h.moves()) {
		if jump(m) {
			return m, true
		}
	}
	return move{}, false
}

// noticed says what is unusual about how a counter moves; nil where nothing is.
func noticed(row row) []kit.Span {
	if row.past == nil {
		return nil
	}
	if since, before, ok := row.past.stalled(); ok {
		return []kit.Span{
			kit.Warn.Of("stands still"),
			kit.Text.Of(fmt.Sprintf(" for %s, after %s", words.Lasts(since), words.Rate(before))),
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

// until says how long a rise may go on at a counter's rate, and the day on which that ends;
// empty where it does not move.
func until(row row, rise *big.Int) string {
	pace := row.past.rate()
	if pace <= 0 {
		return ""
	}
	seconds, _ := new(big.Float).Quo(new(big.Float).SetInt(rise), big.NewFloat(pace)).Float64()
	const day = 86400
	if seconds > 200*365*day {
		return ", centuries at " + words.Rate(pace)
	}
	said := "about " + words.Roughly(time.Duration(seconds*float64(time.Second)))
	if seconds > day && seconds < 100*365*day {
		said += ", until " + row.past.get(
			row.past.n-1,
		).at.Add(time.Duration(seconds*float64(time.Second))).Local().Format("2 January 2006")
	}
	return ", " + said + " at " + words.Rate(pace)
}
