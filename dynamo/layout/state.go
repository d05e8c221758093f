package layout

// State says who answers for a constraint or a counter.
type State string

// The states. A guess confirms nothing and writes nothing.
const (
	Guessed   State = "guessed"   // a sample or a preset suggests it; the zero State means the same
	Accepted  State = "accepted"  // a person said "this is how our application does it"
	Described State = "described" // the config has it
)

// Sure reports whether a person answers for it.
func (s State) Sure() bool { return s == Accepted || s == Described }

// SetState sets the state of all constraints and counters.
func (l *Layout) SetState(s State) {
	for _, c := range l.Rules() {
		c.State = s
		if c.Answers == nil {
			c.Answers = new(Answers)
		}
	}
	for _, c := range l.Counters {
		c.State = s
	}
}

// State is the weakest state of the constraints and counters; Guessed if there are none.
func (l *Layout) State() State {
	weakest, any := Described, false
	add := func(s State) {
		any = true
		switch {
		case !s.Sure():
			weakest = Guessed
		case s == Accepted && weakest == Described:
			weakest = Accepted
		}
	}
	for _, c := range l.Rules() {
		add(c.State)
	}
	for _, c := range l.Counters {
		add(c.State)
	}
	if !any {
		return Guessed
	}
	return weakest
}
