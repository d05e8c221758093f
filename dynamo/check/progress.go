package check

import (
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/scan"
)

// progress tracks which stage a check is in, how much it has read and about how much is
// left, and calls the caller's function with it. It is safe for concurrent use.
type progress struct {
	o          *Options
	report     *report
	consistent *dynamo.ConsistentReader
	call       func(State) // nil if nobody wants to know
	cost       Cost
	settle     time.Duration // the wait before the accounts are read again
	changed    chan struct{} // wakes the goroutine of start

	mu         sync.Mutex
	now        stageState
	share      steadyShare
	rate       float64 // read units a second of the last scan that ran long enough to tell; 0 if none did
	candidates int
	suspects   []Suspect
	done       scan.Totals // of the scans that have ended
}

// stageState is the current stage and how far it is.
type stageState struct {
	Stage
	scan        *scan.Progress // nil unless a scan runs
	expected    int64          // items of that scan, about
	units       float64        // read units of that scan, about
	after       float64        // read units of the tables that this pass reads next
	done, total int            // candidates
	until       time.Time      // the end of a wait
	begun       time.Time
	held        time.Duration // how long the gate had been shut when it began
}

// enter begins a stage.
func (p *progress) enter(s stageState) {
	s.begun, s.held = time.Now(), p.o.Gate.Held()
	p.mu.Lock()
	p.now = s
	p.mu.Unlock()
	p.notify()
}

// leave ends a stage, and keeps what its scan has read.
func (p *progress) leave() {
	p.wake()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.scan == nil {
		return
	}
	t := p.now.scan.Totals()
	p.done.Units += t.Units
	p.done.Throttled += t.Throttled
	p.done.Repeated += t.Repeated
	p.done.Reasons = sumOf(p.done.Reasons, t.Reasons)
	p.now.scan = nil
}

// sumOf adds counts to counts.
func sumOf(sum, more map[string]int64) map[string]int64 {
	if sum == nil {
		sum = map[string]int64{}
	}
	for what, n := range more {
		sum[what] += n
	}
	return sum
}

// finish reports that the check is done.
func (p *progress) finish() {
	p.mu.Lock()
	p.now, p.share = stageState{Stage: p.now.Stage}, steadyShare{share: 1}
	p.mu.Unlock()
	p.notify()
}

// follow sets how many values are being followed up.
func (p *progress) follow(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.candidates = n
}

// suspect sets the locks that may be orphaned.
func (p *progress) suspect(all []Suspect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.suspects = all
}

// step counts n more candidates of the stage as done.
func (p *progress) step(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.done += n
}

// units returns how many read units the check has used.
func (p *progress) units() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	units := p.done.Units + p.consistent.Units()
	if p.now.scan != nil {
		units += p.now.scan.Totals().Units
	}
	return units
}

// state returns where the check stands.
func (p *progress) state() State {
	units := p.units()
	throttled, repeated, reasons := p.consistent.Resent()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := State{
		Stage: p.now.Stage, Until: p.now.until, Units: units, Candidates: p.candidates,
		Suspects: p.suspects,
		Items:    int64(p.now.done), Expected: int64(p.now.total),
		Throttled: p.done.Throttled + throttled, Repeated: p.done.Repeated + repeated,
		Reasons: sumOf(reasons, p.done.Reasons),
	}
	s.Findings, s.Early = p.report.soFar()
	s.Share = p.share.update(p.timeLeft().Seconds())
	if p.now.scan != nil {
		p.now.addScan(&s)
	}
	p.addTimes(&s)
	return s
}

// addScan adds how far the running scan is.
func (s *stageState) addScan(now *State) {
	t := s.scan.Totals()
	now.Items, now.Expected = t.Items, max(s.expected, t.Items)
	now.Throttled += t.Throttled
	now.Repeated += t.Repeated
	now.Reasons = sumOf(now.Reasons, t.Reasons)
	now.Segments, now.Silent = t.Segments, s.scan.Silent()
	now.Parts, now.Ended = s.scan.Parts(now.Expected)
}

// notifyEvery is how often the caller is notified while no stage begins or ends.
const notifyEvery = 100 * time.Millisecond

// notify calls the caller with the current state, and returns when that has.
func (p *progress) notify() {
	if p.call == nil {
		return
	}
	p.report.calls.Lock()
	defer p.report.calls.Unlock()
	p.call(p.state())
}

// start notifies the caller now and then, until stop is called.
func (p *progress) start() (stop func()) {
	if p.call == nil {
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

// wake has the caller notified now.
func (p *progress) wake() {
	select {
	case p.changed <- struct{}{}:
	default: // nobody wants to know, or is about to
	}
}

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
	if (p.now.Stage == Reading || p.now.Stage == ReadingMore) && s.Rate > 0 {
		s.More = (p.settle + duration(p.cost.Again, s.Rate)).Round(time.Second)
	}
	s.Left = s.Left.Round(time.Second)
}

// Stage is what a check is doing.
type Stage int

// The stages of a check, in order.
const (
	Beginning Stage = iota
	Preparing
	Reading         // every item once
	ReadingMore     // every item again, since more was left over than expected
	FindingKeys     // of locks that the first reading knew only by a hash
	Waiting         // until writes in flight have become visible
	LookingAgain    // reading every account again
	RePolling       // reading locks again, since others were given up or taken meanwhile
	Confirming      // reading each lock with its accounts
	ReadingCounters // once all ids were read
)

// State is where a check stands.
type State struct {
	Stage Stage
	// Items is how many items of the table this pass has read, of about Expected; while
	// candidates are confirmed, how many of those.
	Items, Expected int64
	// Until is when a wait ends; zero if nothing waits.
	Until time.Time
	// Units is how many read units the check has used.
	Units float64
	// Share is how much of the whole check is done, from 0 to 1. It never falls, and is 1
	// only at the end.
	Share float64
	// Rate is how many read units a second this pass uses, Speed how many items it reads, and
	// Left about how much longer the whole check will take; each is 0 if not known. More is
	// how much of Left is for reading all accounts again, with the wait before, which is not
	// needed if everything fits. Time in which the gate was shut does not count.
	Rate, Speed float64
	Left, More  time.Duration
	// Segments is how many segments the table is divided into, Ended how many have been read
	// to their end, and Parts about how far each is, in order; where there are many, a part
	// stands for several. 1 means ended. They are empty if no table is read.
	Segments, Ended int
	Parts           []float64
	// Candidates is how many values are being followed up.
	Candidates int
	// Suspects are the candidates known so far that no account claims. None of them is a
	// finding before it is confirmed.
	Suspects []Suspect
	Findings map[Kind]int
	// Throttled is how many requests were throttled and sent again, by DynamoDB's reasons;
	// Repeated is how many were sent again because the response was damaged.
	Throttled, Repeated int64
	Reasons             map[string]int64
	// Silent is since when the table or the export that is read has not answered, retries
	// included; zero if it answers.
	Silent time.Time
	// Early are the notes of the Summary that are known before the tables are read, and speak
	// against what the check will find.
	Early []string
}

// Found returns the number of findings so far.
func (s State) Found() int { return Summary{Findings: s.Findings}.Found() }

// Suspect is a lock for which the first reading met no account. It is an orphan unless it
// changed meanwhile.
type Suspect struct{ Constraint, Value string }
