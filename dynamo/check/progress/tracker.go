package progress

import (
	"cmp"
	"context"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// Tracker tracks the stage of a check, the finished reads, and the remaining reads. It calls Call with the
// State. It is safe for concurrent use.
type Tracker struct {
	Gate       *client.Gate
	Consistent *dynamo.SnapshotReader
	// SoFar returns the number of findings of each kind, and the notes for State.Early.
	SoFar func() (map[finding.Kind]int, []string)
	// Call shows the progress. It is nil if nobody wants the progress. Calls is locked while Call runs.
	Calls  *sync.Mutex
	Call   func(State)
	Cost   Cost
	Settle time.Duration // the wait before the second reading of the accounts

	changed chan struct{} // makes the goroutine of Start call notify

	mu         sync.Mutex
	now        Phase
	share      steadyShare
	rate       float64 // read units a second of the last scan that was long enough to measure; 0 if no scan was
	candidates int
	suspects   []Suspect
	done       scan.Totals // of all scans that have ended
}

// Phase is the current stage and its progress.
type Phase struct {
	Stage
	Scan     *scan.Progress // the present scan; nil if none runs
	Expected int64          // estimated number of items that the scan reads
	Units    float64        // estimated number of read units for the scan
	After    float64        // read units of the tables that follow in this reading
	Total    int            // number of candidates
	Until    time.Time      // when a wait ends

	done  int // number of finished candidates
	begun time.Time
	held  time.Duration // the time of all pauses before this stage
}

// Enter begins the stage s.
func (p *Tracker) Enter(s Phase) {
	s.begun, s.held = time.Now(), p.Gate.Held()
	p.mu.Lock()
	p.now = s
	p.mu.Unlock()
	p.notify()
}

// Leave ends the stage, and adds the totals of its scan to done.
func (p *Tracker) Leave() {
	select {
	case p.changed <- struct{}{}: // the goroutine of Start calls notify
	default: // nobody listens, or a call is already due
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Scan == nil {
		return
	}
	t := p.now.Scan.Totals()
	p.done.Units += t.Units
	p.done.Throttled += t.Throttled
	p.done.Repeated += t.Repeated
	p.done.Reasons = sumOf(p.done.Reasons, t.Reasons)
	p.now.Scan = nil
}

// sumOf adds the counts in more to sum, and returns sum. If sum is nil, it makes a map.
func sumOf(sum, more map[string]int64) map[string]int64 {
	if sum == nil {
		sum = map[string]int64{}
	}
	for what, n := range more {
		sum[what] += n
	}
	return sum
}

// Pause waits for the duration d. If ctx ends before, it returns an error.
func Pause(ctx context.Context, d time.Duration) error {
	if client.Pause(ctx, d) == nil {
		return nil
	}
	return Stopped(ctx)
}

// Stopped returns the error of a check whose context has ended.
func Stopped(ctx context.Context) error {
	return &client.Error{
		Kind: client.Cancelled,
		Why:  "the check stopped before it was finished",
		Err:  context.Cause(ctx),
	}
}

// Finish reports that the check is done.
func (p *Tracker) Finish() {
	p.mu.Lock()
	p.now, p.share = Phase{Stage: p.now.Stage}, steadyShare{share: 1}
	p.mu.Unlock()
	p.notify()
}

// Follow sets the number of values that the check follows up.
func (p *Tracker) Follow(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.candidates = n
}

// Suspect sets State.Suspects.
func (p *Tracker) Suspect(all []Suspect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.suspects = all
}

// Advance adds n to the number of finished candidates of the stage.
func (p *Tracker) Advance(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.done += n
}

// Units returns the number of read units that the check has used so far.
func (p *Tracker) Units() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	units := p.done.Units + p.Consistent.Units()
	if p.now.Scan != nil {
		units += p.now.Scan.Totals().Units
	}
	return units
}

// State returns the progress of the check.
func (p *Tracker) State() State {
	units := p.Units()
	throttled, repeated, reasons := p.Consistent.Resent()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := State{
		Stage: p.now.Stage, Until: p.now.Until, Units: units, Candidates: p.candidates,
		Suspects: p.suspects,
		Items:    int64(p.now.done), Expected: int64(p.now.Total),
		Throttled: p.done.Throttled + throttled, Repeated: p.done.Repeated + repeated,
		Reasons: sumOf(reasons, p.done.Reasons),
	}
	s.Findings, s.Early = p.SoFar()
	s.Share = p.share.update(p.timeLeft().Seconds())
	if scan := p.now.Scan; scan != nil {
		t := scan.Totals()
		s.Items, s.Expected = t.Items, max(p.now.Expected, t.Items)
		s.Throttled += t.Throttled
		s.Repeated += t.Repeated
		s.Reasons = sumOf(s.Reasons, t.Reasons)
		s.Segments, s.Silent = t.Segments, scan.Silent()
		s.Parts, s.Ended = scan.Parts(s.Expected)
	}
	p.addTimes(&s)
	return s
}

// notifyEvery is the interval between calls of Call, if no stage begins or ends.
const notifyEvery = 100 * time.Millisecond

// notify calls Call with the present State, and waits until Call has returned.
func (p *Tracker) notify() {
	if p.Call == nil {
		return
	}
	p.Calls.Lock()
	defer p.Calls.Unlock()
	p.Call(p.State())
}

// Start calls Call every notifyEvery and at the end of each stage, until stop is called.
func (p *Tracker) Start() (stop func()) {
	if p.Call == nil {
		return func() {}
	}
	p.changed = make(chan struct{}, 1)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(notifyEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			case <-p.changed:
			}
			p.notify()
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// steadyShare is the finished share of a check, from 0 to 1. It never falls. If new work appears, for example a
// third reading of the table, the share stays and then grows more slowly.
type steadyShare struct{ share, left float64 }

// update sets the remaining work, in any unit, and returns the finished share.
func (c *steadyShare) update(left float64) float64 {
	if left < c.left {
		c.share = 1 - (1-c.share)*left/c.left
	}
	c.left = left
	return c.share
}

// unboundedPace is the assumed number of read units a second, if the pace has no limit and no scan
// has been measured yet.
const unboundedPace = 500

// timeLeft estimates the remaining time of the check, if some locks do not match.
func (p *Tracker) timeLeft() time.Duration {
	s := &p.now
	units, wait := s.After+1, time.Duration(0) // 1 for the counters and for the final look at the tables
	switch {
	case s.Scan != nil:
		left := 1.0 // the share of the scan still to do; without the table's size, assume that nothing is done yet
		if s.Expected > 0 {
			left = max(1-float64(s.Scan.Totals().Items)/float64(s.Expected), 0)
		}
		units += s.Units * left
	case s.Stage == Waiting:
		wait = max(time.Until(s.Until), 0)
	case s.Stage == Confirming:
		units += float64(s.Total-s.done) * p.Cost.Each
	}
	if s.Stage < Reading {
		units += p.Cost.First
	}
	if s.Stage < Waiting {
		wait = p.Settle
	}
	if s.Stage < LookingAgain {
		units += p.Cost.Again
	}
	if s.Stage < Confirming {
		units += p.Cost.Each * float64(p.candidates)
	}
	return wait + duration(units, cmp.Or(p.rate, max(p.Cost.Pace, 0), unboundedPace))
}

// duration returns the time to consume the given read units. rate is in read units a second.
func duration(units, rate float64) time.Duration {
	return time.Duration(units / rate * float64(time.Second))
}

// addTimes sets the speed and the time left of the State.
func (p *Tracker) addTimes(s *State) {
	if p.now.Scan == nil {
		if p.now.Stage == Waiting || p.now.Stage == Confirming {
			s.Left = p.timeLeft().Round(time.Second)
		}
		return
	}
	t := p.now.Scan.Totals()
	took := time.Since(p.now.begun) - (p.Gate.Held() - p.now.held)
	if took <= time.Second || t.Items == 0 {
		return
	}
	s.Rate, s.Speed = t.Units/took.Seconds(), float64(t.Items)/took.Seconds()
	p.rate = s.Rate
	s.Left = p.timeLeft()
	if (p.now.Stage == Reading || p.now.Stage == ReadingMore) && s.Rate > 0 {
		s.More = (p.Settle + duration(p.Cost.Again, s.Rate)).Round(time.Second)
	}
	s.Left = s.Left.Round(time.Second)
}
