package change

import (
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
)

// Several clocks measure the time since a request was sent. Somebody may set the wall clock, and the monotonic
// clock stops while the machine sleeps. Another process has only the wall clock, and the endpoint's time from the
// journal. A request is sent again only while all clocks say that its token is valid. The program says that a
// request never arrived only if all clocks say that it can no longer arrive.

// stopwatch measures the time since a moment by the wall clock and by the monotonic clock.
type stopwatch struct {
	wall, began time.Time
	now         func() time.Time // the wall clock
}

func (c *Changer) startStopwatch() stopwatch { return stopwatch{c.now(), time.Now(), c.now} }

// longest returns the longer of the times measured by the two clocks, and shortest the shorter one.
func (w stopwatch) longest() time.Duration  { return max(w.now().Sub(w.wall), time.Since(w.began)) }
func (w stopwatch) shortest() time.Duration { return min(w.now().Sub(w.wall), time.Since(w.began)) }

// latest returns the current time by the clock that measured the longer time.
func (w stopwatch) latest() time.Time { return w.wall.Add(w.longest()) }

// sentHere has the times at which this process first sent a request, and last wrote a journal line about it.
type sentHere struct{ first, last stopwatch }

// noteSent records the current time for a request, just after a journal line about the request was written.
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

// sentHere returns the times at which this process sent a request; false if it did not send the request, or the
// request was answered.
func (c *Changer) sentHere(token string) (sentHere, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	here, ok := c.sent[token]
	return here, ok
}

func (c *Changer) forgetSent(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sent, token)
}

// now returns the time of the wall clock. It drops the monotonic reading, because the monotonic clock stops while the
// machine sleeps.
func (c *Changer) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now().Round(0)
}

// endpointTime returns the time by the endpoint's clock, as the journal stores it; zero if unknown.
func endpointTime(conn *dynamo.Connection) time.Time {
	now, known := conn.EndpointTime()
	if !known {
		return time.Time{}
	}
	return now.UTC().Truncate(time.Second)
}

// byEndpoint converts a time by the endpoint's clock to this machine's clock; false if the endpoint's time is
// unknown.
func (s *Resolution) byEndpoint(there time.Time) (time.Time, bool) {
	return s.clock.wall.Add(there.Sub(s.endpointTime)), !there.IsZero() && !s.endpointTime.IsZero()
}

// firstSent returns the time of a step's first sending. It uses the clock that measures the longest time since then.
// This is the safe choice: DynamoDB forgets the step's token, and a step with a forgotten token must not be sent
// again.
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

// arrives returns the time after which the last sending of a step can no longer arrive. It uses the clock that
// measures the shortest time since that sending. known is false if only the wall clock measured the time, because
// somebody may have set the wall clock.
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
