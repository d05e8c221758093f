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
	table       string
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
		Stage: p.now.Stage, Table: p.now.table, Until: p.now.until, Units: units, Candidates: p.candidates,
		Suspects: p.suspects,
		Items:    int64(p.now.done), Expected: int64(p.now.total),
		Throttled: p.done.Throttled + throttled, Repeated: p.done.Repeated + repeated,
		Reasons: sumOf(reasons, p.done.Reasons),
	}
	s.Findings, s.Early = p.report.soFar()
	s.Share = p.shareDone()
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
