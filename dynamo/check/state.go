package check

import (
	"maps"
	"time"
)

// State is where a check stands.
type State struct {
	// Doing says what, in a word or two: "reading", "waiting", "looking again",
	// "confirming", "reading counters".
	Doing string
	Table string // that is read; empty where none is
	// Items is how many items of the table this pass has read, of about Expected;
	// while suspects are confirmed, how many of how many.
	Items, Expected int64
	// Until is when a wait is over; zero where nothing waits.
	Until time.Time
	// Units is how many read units the check has used.
	Units float64
	// Rate is how many units a second this pass uses, Speed how many items it reads,
	// and Left about how long it will take; zero where that cannot be told. A time in
	// which the check was held back does not count.
	Rate, Speed float64
	Left        time.Duration
	// Segments is into how many the table is divided, Ended how many of them were
	// read to their end, and Parts about how far they are, in their order; of many
	// some are told together. 1 is what has ended. There are none where no table is
	// read.
	Segments, Ended int
	Parts           []float64
	// Suspects is how many values are being followed up.
	Suspects int
	Findings map[Kind]int
	// Throttled is how many requests were turned away and sent again, with
	// DynamoDB's reasons; Repeated how many for a damaged answer.
	Throttled, Repeated int64
	Reasons             map[string]int64
}

// Found is how many findings there are so far.
func (s State) Found() int { return Summary{Findings: s.Findings}.Found() }

// stage is what the check is doing.
type stage struct {
	what, table string
	scan        *Progress // of the scan that runs
	expected    int64
	done, total int
	until       time.Time
	begun       time.Time
	held        time.Duration // before it began
}

func (c *checker) enter(s stage) {
	s.begun, s.held = time.Now(), c.o.Gate.Held()
	c.mu.Lock()
	c.now = s
	c.mu.Unlock()
	c.tell()
}

// leave ends a stage, and keeps what its scan has read.
func (c *checker) leave() {
	c.tell()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.scan == nil {
		return
	}
	t := c.now.scan.Totals()
	c.done.Units += t.Units
	c.done.Throttled += t.Throttled
	c.done.Repeated += t.Repeated
	c.now.scan = nil
}

// follow says how many values are being followed up.
func (c *checker) follow(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspects = n
}

// step says that so many suspects more are done.
func (c *checker) step(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.done += n
}

// units is how many read units the check has used.
func (c *checker) units() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	units := c.done.Units + c.witness.Units()
	if c.now.scan != nil {
		units += c.now.scan.Totals().Units
	}
	return units
}

// state is where the check stands.
func (c *checker) state() State {
	units := c.units()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := State{
		Doing: c.now.what, Table: c.now.table, Until: c.now.until, Units: units, Suspects: c.suspects,
		Items: int64(c.now.done), Expected: int64(c.now.total), Throttled: c.done.Throttled, Repeated: c.done.Repeated,
		Findings: maps.Clone(c.summary.Findings),
	}
	if c.now.scan == nil {
		return s
	}
	t := c.now.scan.Totals()
	s.Items, s.Expected, s.Reasons = t.Items, max(c.now.expected, t.Items), t.Reasons
	s.Throttled, s.Repeated = s.Throttled+t.Throttled, s.Repeated+t.Repeated
	s.Segments = t.Segments
	s.Parts, s.Ended = c.now.scan.extent.parts(s.Expected)
	if took := time.Since(c.now.begun) - (c.o.Gate.Held() - c.now.held); took > time.Second && t.Items > 0 {
		s.Rate, s.Speed = t.Units/took.Seconds(), float64(t.Items)/took.Seconds()
		s.Left = time.Duration(float64(took) * float64(s.Expected-t.Items) / float64(t.Items)).Round(time.Second)
	}
	return s
}

// reportEvery is how often a state is reported while nothing changes by itself.
const reportEvery = 100 * time.Millisecond

// report tells progress where the check stands, until the function that it
// answers is called.
func (c *checker) report(progress func(State)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	c.changed = make(chan struct{}, 1)
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
			case <-c.changed:
			}
			now := c.state()
			c.speak.Lock()
			progress(now)
			c.speak.Unlock()
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// tell has the state reported now.
func (c *checker) tell() {
	select {
	case c.changed <- struct{}{}:
	default: // nobody listens, or it is about to be
	}
}
