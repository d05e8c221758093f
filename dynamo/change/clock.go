package change

import (
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
)

// How much time has passed since a request was sent is told by several clocks. Somebody may set the wall
// clock, and the monotonic clock stops while the machine sleeps; another process has only the wall clock,
// and the endpoint's clock as the journal stores it. A request is sent again only while all clocks say that
// its token is valid, and called "never made" only if all say that it can no longer arrive.

// stopwatch measures the time since a moment by the wall clock and by the monotonic clock.
type stopwatch struct {
	wall, began time.Time
	now         func() time.Time // the wall clock
}

func (c *Changer) startStopwatch() stopwatch { return stopwatch{c.now(), time.Now(), c.now} }

// longest is the time that has passed by the clock that says more, and shortest by the other.
func (w stopwatch) longest() time.Duration  { return max(w.now().Sub(w.wall), time.Since(w.began)) }
func (w stopwatch) shortest() time.Duration { return min(w.now().Sub(w.wall), time.Since(w.began)) }

// latest is the time now by the clock that says more.
func (w stopwatch) latest() time.Time { return w.wall.Add(w.longest()) }

// sentHere is when this process sent a request first, and when it last wrote a line about it.
type sentHere struct{ first, last stopwatch }

// noteSent records that a line about a request is written.
func (c *Changer) noteSent(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, again := c.sent[token]
	if was.last = c.startStopwatch(); !again {
		was.first = was.last
	}
	if c.sent == nil {
		c.sent = map[string]sentHere{}
	}
	c.sent[token] = was
}

// sentHere returns when this process sent a request; false if it did not, or the request was answered.
func (c *Changer) sentHere(token string) (sentHere, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	here, ok := c.sent[token]
	return here, ok
}

// forgetSent forgets a request that was answered.
func (c *Changer) forgetSent(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sent, token)
}

// now is the wall clock, which goes on while the machine sleeps.
func (c *Changer) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now().Round(0)
}

// endpointTime is the time by the endpoint's clock, as the journal stores it; zero if it is unknown.
func endpointTime(conn *dynamo.Connection) time.Time {
	now, known := conn.EndpointTime()
	if !known {
		return time.Time{}
	}
	return now.UTC().Truncate(time.Second)
}

// byEndpoint is how long ago a time of the endpoint's clock is, as a time of this machine's; false if
// that is unknown.
func (s *Resolution) byEndpoint(there time.Time) (time.Time, bool) {
	return s.clock.wall.Add(there.Sub(s.there)), !there.IsZero() && !s.there.IsZero()
}

// firstSent is when a step was sent first, by the clock that says the longer time: its token may be
// forgotten.
func (s *Resolution) firstSent(step *journal.Step) time.Time {
	first := step.First
	if there, known := s.byEndpoint(step.FirstThere); known && there.Before(first) {
		first = there
	}
	if own, ok := s.changer.sentHere(step.Token); ok {
		if here := s.clock.wall.Add(-own.first.longest()); here.Before(first) {
			first = here
		}
	}
	return first
}

// arrives is when the last sending of a step can no longer arrive, by the clock that says the shorter
// time. It is unknown if only the wall clock tells.
func (s *Resolution) arrives(step *journal.Step) (_ time.Time, known bool) {
	last, known := s.byEndpoint(step.LastThere)
	if own, here := s.changer.sentHere(step.Token); here && !known {
		last, known = s.clock.wall.Add(-own.last.shortest()), true
	}
	if !known || last.Before(step.Last) {
		last = step.Last
	}
	return last.Add(arrivesWithin), known
}
