package check

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// report is what a check says: findings, where it stands, and its summary. It is safe
// for concurrent use.
type report struct {
	found      func(Finding)
	progress   func(State) // nil where nobody listens
	about      *dynamo.Table
	layout     string // its hash
	o          *Options
	consistent *dynamo.ConsistentReader
	cost       Cost
	waits      time.Duration // before the accounts are looked at again
	changed    chan struct{} // something is to be reported

	speak      sync.Mutex // while found or progress runs
	mu         sync.Mutex
	now        stage
	course     course
	rate       float64 // read units a second of the last scan that took long enough to tell; 0: none did
	candidates int
	suspects   []Suspect
	done       scan.Totals // of the scans that are over
	summary    Summary
	sure       map[Kind]bool // of which something was confirmed
	early      []string      // of the summary's notes
	conflicts  int           // values that could not be read together
}

// stage is what the check is doing.
type stage struct {
	Stage
	table       string
	scan        *scan.Progress // of the scan that runs
	expected    int64
	done, total int
	until       time.Time
	units       float64 // of its scan, about
	after       float64 // units of the tables that this pass reads after this one
	begun       time.Time
	held        time.Duration // before it began
}

// emit reports a finding, unless it is not asked for or known already.
func (p *report) emit(f Finding) {
	if !p.o.wants(f.Kind) {
		return
	}
	f.Table, f.TableID = p.about.Name, p.about.ID
	if f.Kind.ofLocks() {
		f.Layout = p.layout
	}
	if f.Accounts == nil {
		f.Accounts = []attr.Item{}
	}
	known := p.o.Known.has(f)
	p.mu.Lock()
	if known {
		p.summary.Known++
	} else {
		p.summary.Findings[f.Kind]++
		p.sure[f.Kind] = p.sure[f.Kind] || f.Confirmed
		p.summary.Confirmed = p.summary.Confirmed && f.Confirmed
	}
	p.mu.Unlock()
	if !known {
		p.speak.Lock()
		defer p.speak.Unlock()
		p.found(f)
	}
}

// warn is remark, of what is known before the tables are read.
func (p *report) warn(format string, args ...any) {
	p.remark(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.early = append(p.early, fmt.Sprintf(format, args...))
}

// quote is text of the table in a remark: who must not show that knows it by its type.
type quote string

// remark notes something that people should know besides the findings.
func (p *report) remark(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if note := fmt.Sprintf(format, args...); !slices.Contains(p.summary.Notes, note) {
		p.summary.Notes = append(p.summary.Notes, note)
		for _, arg := range args {
			if q, ok := arg.(quote); ok {
				p.summary.Quotes = append(p.summary.Quotes, string(q))
			}
		}
	}
}

// lacks notes something that keeps the check from being complete.
func (p *report) lacks(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.summary.Why != "" {
		p.summary.Why += "; "
	}
	p.summary.Why += fmt.Sprintf(format, args...)
}

// unsettled counts values that changed while they were looked at.
func (p *report) unsettled(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.summary.Unsettled += n
}

// reserved counts a lock whose account may still come.
func (p *report) reserved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.summary.Reserved++
}

// conflicting reports whether values could not be read together since others kept
// writing to them, and counts them: nothing says that they have changed.
func (p *report) conflicting(err error, values int) bool {
	if client.KindOf(err) != client.Conflict {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conflicts += values
	return true
}

// enter begins a stage.
func (p *report) enter(s stage) {
	s.begun, s.held = time.Now(), p.o.Gate.Held()
	p.mu.Lock()
	p.now = s
	p.mu.Unlock()
	p.say()
}

// end says that the check has come to its end.
func (p *report) end() {
	p.mu.Lock()
	p.now, p.course = stage{Stage: p.now.Stage}, course{share: 1}
	p.mu.Unlock()
	p.say()
}

// leave ends a stage, and keeps what its scan has read.
func (p *report) leave() {
	p.tell()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.scan == nil {
		return
	}
	t := p.now.scan.Totals()
	p.done.Units += t.Units
	p.done.Throttled += t.Throttled
	p.done.Repeated += t.Repeated
	p.done.Reasons = added(p.done.Reasons, t.Reasons)
	p.now.scan = nil
}

// added adds counts to counts.
func added(sum, more map[string]int64) map[string]int64 {
	if sum == nil {
		sum = map[string]int64{}
	}
	for what, n := range more {
		sum[what] += n
	}
	return sum
}

// follow says how many values are being followed up.
func (p *report) follow(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.candidates = n
}

// step says that so many candidates more are done.
func (p *report) step(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.done += n
}

// units is how many read units the check has used.
func (p *report) units() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	units := p.done.Units + p.consistent.Units()
	if p.now.scan != nil {
		units += p.now.scan.Totals().Units
	}
	return units
}

// state is where the check stands.
func (p *report) state() State {
	units := p.units()
	throttled, repeated, reasons := p.consistent.Resent()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := State{
		Stage: p.now.Stage, Table: p.now.table, Until: p.now.until, Units: units, Candidates: p.candidates, Suspects: p.suspects,
		Items: int64(p.now.done), Expected: int64(p.now.total),
		Throttled: p.done.Throttled + throttled, Repeated: p.done.Repeated + repeated, Reasons: added(reasons, p.done.Reasons),
		Findings: maps.Clone(p.summary.Findings), Early: slices.Clone(p.early),
	}
	s.Share = p.share()
	if p.now.scan != nil {
		p.now.scanned(&s)
	}
	p.timed(&s)
	return s
}

// scanned adds how far the scan is that runs.
func (s *stage) scanned(now *State) {
	t := s.scan.Totals()
	now.Items, now.Expected = t.Items, max(s.expected, t.Items)
	now.Throttled, now.Repeated, now.Reasons = now.Throttled+t.Throttled, now.Repeated+t.Repeated, added(now.Reasons, t.Reasons)
	now.Segments, now.Silent = t.Segments, s.scan.Silent()
	now.Parts, now.Ended = s.scan.Parts(now.Expected)
}

// reportEvery is how often a state is reported while nothing changes by itself.
const reportEvery = 100 * time.Millisecond

// say tells progress where the check stands, and returns when it has.
func (p *report) say() {
	if p.progress == nil {
		return
	}
	p.speak.Lock()
	defer p.speak.Unlock()
	p.progress(p.state())
}

// begin says where the check stands now and then, until the function that it
// answers is called.
func (p *report) begin() (stop func()) {
	if p.progress == nil {
		return func() {}
	}
	p.changed = make(chan struct{}, 1)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(reportEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			case <-p.changed:
			}
			p.say()
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// tell has the state reported now.
func (p *report) tell() {
	select {
	case p.changed <- struct{}{}:
	default: // nobody listens, or it is about to be
	}
}
