package check

import (
	"maps"
	"slices"
	"time"

	"tallylock/dynamo/scan"
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
	// and Left about how much longer it will take, with the tables that it has not
	// come to; zero where that cannot be told. More is how long, at that rate, what
	// may follow takes: the look, where something does not fit, with the wait before
	// it, and the other rounds. A time in which the check was held back does not count.
	Rate, Speed float64
	Left, More  time.Duration
	// Segments is into how many the table is divided, Ended how many of them were
	// read to their end, and Parts about how far they are, in their order; of many
	// some are told together. 1 is what has ended. There are none where no table is
	// read.
	Segments, Ended int
	Parts           []float64
	// Suspects is how many values are being followed up.
	Suspects int
	// Round is which of about how many rounds is under way; 0 where one reading is
	// enough.
	Round, Rounds int
	Findings      map[Kind]int
	// Throttled is how many requests were turned away and sent again, with
	// DynamoDB's reasons; Repeated how many for a damaged answer.
	Throttled, Repeated int64
	Reasons             map[string]int64
	// Early is what was learned before the tables are read, and speaks against what
	// the check will say: the Summary's notes have it, too.
	Early []string
}

// Found is how many findings there are so far.
func (s State) Found() int { return Summary{Findings: s.Findings}.Found() }

// stage is what the check is doing.
type stage struct {
	what, table string
	scan        *scan.Progress // of the scan that runs
	expected    int64
	done, total int
	until       time.Time
	after       float64 // units of the tables that this pass reads after this one
	begun       time.Time
	held        time.Duration // before it began
}

func (c *checker) enter(s stage) {
	s.begun, s.held = time.Now(), c.o.Gate.Held()
	c.mu.Lock()
	c.now = s
	c.mu.Unlock()
	c.say()
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
	c.done.Reasons = added(c.done.Reasons, t.Reasons)
	c.now.scan = nil
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
	throttled, repeated, reasons := c.witness.Resent()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := State{
		Doing: c.now.what, Table: c.now.table, Until: c.now.until, Units: units, Suspects: c.suspects,
		Items: int64(c.now.done), Expected: int64(c.now.total), Round: c.round, Rounds: c.rounds,
		Throttled: c.done.Throttled + throttled, Repeated: c.done.Repeated + repeated, Reasons: added(reasons, c.done.Reasons),
		Findings: maps.Clone(c.summary.Findings), Early: slices.Clone(c.early),
	}
	if c.now.scan == nil {
		return s
	}
	t := c.now.scan.Totals()
	s.Items, s.Expected = t.Items, max(c.now.expected, t.Items)
	s.Throttled, s.Repeated, s.Reasons = s.Throttled+t.Throttled, s.Repeated+t.Repeated, added(s.Reasons, t.Reasons)
	s.Segments = t.Segments
	s.Parts, s.Ended = c.now.scan.Parts(s.Expected)
	took := time.Since(c.now.begun) - (c.o.Gate.Held() - c.now.held)
	if took <= time.Second || t.Items == 0 {
		return s
	}
	s.Rate, s.Speed = t.Units/took.Seconds(), float64(t.Items)/took.Seconds()
	s.Left = time.Duration(float64(took) * float64(s.Expected-t.Items) / float64(t.Items))
	if s.Rate > 0 {
		s.Left += lasting(c.now.after, s.Rate)
		again := c.waits + lasting(c.cost.Again, s.Rate)
		s.More = time.Duration(max(c.rounds-c.round, 0)) * (lasting(c.cost.First, s.Rate) + again)
		if c.now.what == reading {
			s.More += again
		}
		s.More = s.More.Round(time.Second)
	}
	s.Left = s.Left.Round(time.Second)
	return s
}

// lasting is how long so many units take at a rate.
func lasting(units, rate float64) time.Duration {
	return time.Duration(units / rate * float64(time.Second))
}

// reportEvery is how often a state is reported while nothing changes by itself.
const reportEvery = 100 * time.Millisecond

// say tells progress where the check stands, and returns when it has.
func (c *checker) say() {
	if c.progress == nil {
		return
	}
	c.speak.Lock()
	defer c.speak.Unlock()
	c.progress(c.state())
}

// report says where the check stands now and then, until the function that it
// answers is called.
func (c *checker) report() (stop func()) {
	if c.progress == nil {
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
			c.say()
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
