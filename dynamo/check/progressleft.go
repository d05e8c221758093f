package check

import "time"

// steadyShare is how much of a check is done, from 0 to 1, and never falls. Where more
// turns out to be left than was expected, as when the table is read a third time, what is
// left of the way to 1 is divided again, and goes by more slowly.
type steadyShare struct{ share, left float64 }

// update takes in how much is left, in any one unit, and returns the share done.
func (c *steadyShare) update(left float64) float64 {
	if left < c.left {
		c.share = 1 - (1-c.share)*left/c.left
	}
	c.left = left
	return c.share
}

// partRead returns how much of its table the scan has read, as far as the table's size is
// known.
func (s *stageState) partRead() float64 {
	read := s.scan.Totals().Items
	if s.expected <= 0 {
		return 0
	}
	return min(float64(read)/float64(s.expected), 1)
}

// unboundedPace is about how many read units a second are read where nothing bounds them, and
// no scan has told yet.
const unboundedPace = 500

// pace is how many read units a second the check will read: as its scans did, once one has run
// long enough to tell.
func (p *progress) pace() float64 {
	switch {
	case p.rate > 0:
		return p.rate
	case p.cost.Pace > 0:
		return p.cost.Pace
	}
	return unboundedPace
}

// timeLeft returns about how long the check will take, if something does not fit.
func (p *progress) timeLeft() time.Duration {
	s := &p.now
	units, wait := s.after+1, time.Duration(0) // 1: the counters, and whether the tables are still those
	switch {
	case s.scan != nil:
		units += s.units * (1 - s.partRead())
	case s.Stage == Waiting:
		wait = max(time.Until(s.until), 0)
	case s.Stage == Confirming:
		units += float64(s.total-s.done) * p.cost.Each
	}
	if s.Stage < Reading {
		units += p.cost.First
	}
	if s.Stage < Waiting {
		wait = p.settle
	}
	if s.Stage < LookingAgain {
		units += p.cost.Again
	}
	if s.Stage < Confirming {
		units += p.cost.Each * float64(p.candidates)
	}
	return wait + duration(units, p.pace())
}

// duration is how long it takes to read at a rate in read units a second.
func duration(units, rate float64) time.Duration {
	return time.Duration(units / rate * float64(time.Second))
}

// shareDone returns State.Share, of the time that the check takes.
func (p *progress) shareDone() float64 { return p.share.update(p.timeLeft().Seconds()) }

// addTimes adds how fast the check is and how long it will take.
func (p *progress) addTimes(s *State) {
	if p.now.scan == nil {
		if p.now.Stage == Waiting || p.now.Stage == Confirming {
			s.Left = p.timeLeft().Round(time.Second)
		}
		return
	}
	t := p.now.scan.Totals()
	took := time.Since(p.now.begun) - (p.o.Gate.Held() - p.now.held)
	if took <= time.Second || t.Items == 0 {
		return
	}
	s.Rate, s.Speed = t.Units/took.Seconds(), float64(t.Items)/took.Seconds()
	p.rate = s.Rate
	s.Left = p.timeLeft()
	if p.now.readsAll() && s.Rate > 0 {
		s.More = (p.settle + duration(p.cost.Again, s.Rate)).Round(time.Second)
	}
	s.Left = s.Left.Round(time.Second)
}
