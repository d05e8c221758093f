package check

import "time"

// course is how far a check is over all its stages, as a part of 1. It never goes back:
// where more turns out to be left than was expected, as when the table is read a third
// time, what is left of the way is divided anew, and goes by more slowly.
type course struct{ share, left float64 }

// at takes in how much is left, in whatever unit, and says how far the check is.
func (c *course) at(left float64) float64 {
	if left < c.left {
		c.share = 1 - (1-c.share)*left/c.left
	}
	c.left = left
	return c.share
}

// remaining is what a check has still to do: to read, in read units, and to wait.
type remaining struct {
	units float64
	wait  time.Duration
}

// rest is what is left of a stage, where a value takes so many units to be confirmed.
func (s *stage) rest(each float64) remaining {
	left := remaining{units: s.after}
	switch {
	case s.scan != nil:
		left.units += s.units * (1 - s.part())
	case s.Stage == Waiting:
		left.wait = max(time.Until(s.until), 0)
	case s.Stage == Confirming:
		left.units += float64(s.total-s.done) * each
	}
	return left
}

// ahead is what follows a stage, where something does not fit: a wait, and what reading
// once more and confirming so many values cost.
func (s Stage) ahead(c Cost, wait time.Duration, candidates int) (left remaining) {
	if s < Reading {
		left.units += c.First
	}
	if s < Waiting {
		left.wait = wait
	}
	if s < LookingAgain {
		left.units += c.Again
	}
	if s < Confirming {
		left.units += c.Each * float64(candidates)
	}
	left.units++ // the counters, and whether the tables are still those
	return left
}

// part is how much of its table a reading has read, as far as the table's size is known.
func (s *stage) part() float64 {
	read := s.scan.Totals().Items
	if s.expected <= 0 {
		return 0
	}
	return min(float64(read)/float64(s.expected), 1)
}

// share is how far the check is. A wait counts as what is read meanwhile at its pace.
func (p *report) share() float64 {
	rest, ahead := p.now.rest(p.cost.Each), p.now.ahead(p.cost, p.waits, p.candidates)
	pace := p.cost.Pace
	if pace <= 0 {
		pace = unboundedPace
	}
	return p.course.at(rest.units + ahead.units + (rest.wait+ahead.wait).Seconds()*pace)
}

// unboundedPace is about how many read units a second are read where nothing bounds them.
const unboundedPace = 500

// lasts is about how long it takes at a rate; zero where none is known.
func (r remaining) lasts(rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return r.wait + time.Duration(r.units/rate*float64(time.Second))
}

// timed adds how fast the check is and how long it will take.
func (p *report) timed(s *State) {
	rate := p.cost.Pace // the first scan of a second or more says better
	if p.rate > 0 {
		rate = p.rate
	}
	rest, ahead := p.now.rest(p.cost.Each), p.now.ahead(p.cost, p.waits, p.candidates)
	if p.now.scan == nil {
		if p.now.Stage == Waiting || p.now.Stage == Confirming {
			s.Left = (rest.lasts(rate) + ahead.lasts(rate)).Round(time.Second)
		}
		return
	}
	t := p.now.scan.Totals()
	took := time.Since(p.now.begun) - (p.o.Gate.Held() - p.now.held)
	if took <= time.Second || t.Items == 0 {
		return
	}
	s.Rate, s.Speed = t.Units/took.Seconds(), float64(t.Items)/took.Seconds()
	if p.rate = s.Rate; p.rate > 0 {
		rate = p.rate
	}
	s.Left = time.Duration(float64(took) * float64(s.Expected-t.Items) / float64(t.Items))
	s.Left += remaining{units: p.now.after}.lasts(rate) + ahead.lasts(rate)
	if p.now.readsAll() && s.Rate > 0 {
		s.More = remaining{p.cost.Again, p.waits}.lasts(s.Rate).Round(time.Second)
	}
	s.Left = s.Left.Round(time.Second)
}
