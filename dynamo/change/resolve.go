package change

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// Action is what can be done about an open change.
type Action string

// The actions. Close records what reads tell, and GiveUp that the outcome can no longer be told:
// both send nothing.
const (
	Close     Action = "close"
	GiveUp    Action = "give up"
	SendAgain Action = "send again" // the stored request, under its token
	TakeOff   Action = "take off"   // the mark of a release
	Finish    Action = "finish"     // a release: look at every account, and delete
)

// Choice is an action as it is offered.
type Choice struct {
	Do    Action
	Title string // for a button: "Remove the marker"
	Words string // what it does, in a sentence
	// Safe: it changes nothing that anybody could miss, and may be done without asking.
	Safe bool
	// Sends: it writes to the table.
	Sends bool
}

// Resolution is what is known of an open change, and what can be done about it.
type Resolution struct {
	Record *journal.Record
	// Entry was recorded before the change was sent.
	Entry *plan.Entry
	// Outcome is what reads tell; Unknown if they cannot.
	Outcome Outcome
	// Words say what is known, and Facts what was read. They are not sanitised.
	Words string
	Facts []Fact
	// Choices are the actions that are offered; leaving the change open is always possible,
	// too. There are none while waiting may still tell: then look again at Later.
	Choices []Choice
	Later   time.Time
	// Until is how long the change can be sent again; zero if it cannot.
	Until time.Time

	changer *Changer
	conn    *dynamo.Connection
	// clock runs since it was examined; there is that time by the endpoint's clock, zero if unknown.
	clock stopwatch
	there time.Time
	step  plan.Step // the one that was not answered, or that is to be sent
	sent  *resend   // of that step; nil if it was not sent
	lock  markedLock
	// trusted: it is resolved although the hash chain of the journal is broken.
	trusted bool
}

// Fact is an item of an open change, and what was read of it.
type Fact struct {
	Item string `json:"label"`
	Text string `json:"text"`
}

// String returns the fact in words.
func (f Fact) String() string { return itemSubject(f.Item) + ": " + f.Text }

// Trust lets this change be resolved although the hash chain of the journal is broken, since
// a person said so.
func (s *Resolution) Trust() { s.trusted = true }

// Choice returns the choice for an action; false if it is not offered.
func (s *Resolution) Choice(do Action) (Choice, bool) {
	for _, c := range s.Choices {
		if c.Do == do {
			return c, true
		}
	}
	return Choice{}, false
}

// Typed returns what has to be typed before an action that changes more than a mark; empty if
// nothing has to.
func (s *Resolution) Typed(do Action) string {
	c, _ := s.Choice(do)
	if p := s.Entry.Plan; c.Sends && !c.Safe {
		if slices.ContainsFunc(p.Steps.Written(),
			func(table string) bool { return s.conn.GuardOf(table) == client.GuardType }) {
			return cmp.Or(p.Typed, p.Subject())
		}
		return p.Typed
	}
	return ""
}

// Safe returns the choice that may be made without asking; false if there is none.
func (s *Resolution) Safe() (Choice, bool) {
	for _, c := range s.Choices {
		if c.Safe {
			return c, true
		}
	}
	return Choice{}, false
}

// whyUnresolved is the error of a change that cannot be resolved.
func whyUnresolved(r *journal.Record, kind client.Kind, why, do string) error {
	return &client.Error{Kind: kind, Op: "resolving " + r.Receipt, Why: why, Do: do}
}

// Examine reads what became of an open change, and says what can be done about it. It writes
// nothing. It returns an error of the kind Usage if the change is not open, or was made
// elsewhere than on the connection.
func (c *Changer) Examine(ctx context.Context, conn *dynamo.Connection, r *journal.Record) (*Resolution, error) {
	op := "resolving " + r.Receipt
	if !r.Open {
		return nil, whyUnresolved(r, client.Usage, "it is "+string(r.Outcome)+", and closed",
			"a change that is closed is never sent again")
	}
	e, err := plan.Load(r)
	if err != nil {
		return nil, err
	}
	s := &Resolution{Record: r, Entry: e, Outcome: Unknown, changer: c, conn: conn}
	unlock, free, err := c.Journal.TryLockRun(r.Run)
	if err != nil {
		return nil, err
	}
	if !free {
		s.Words = "It is still being made, or resolved, by another process."
		s.Later = c.now().Add(sendWithin)
		return s, nil
	}
	unlock()
	if err := plan.CheckTables(ctx, conn, e, op); err != nil {
		return nil, err
	}
	if why := e.Plan.Unsound(); why != "" {
		return nil, &client.Error{Kind: client.Failed, Op: op, Why: why, Remedy: remedy.Of(remedy.ForgetLines)}
	}
	s.clock, s.there = c.startStopwatch(), endpointTime(conn)
	if r.Step(journal.StepMark) != nil {
		return s, s.examineMark(ctx)
	}
	return s, s.examineStep(ctx, r.Steps[len(r.Steps)-1])
}

// untoldTime says why nothing tells that a change was not made.
const untoldTime = " The endpoint does not say what time it is, so nothing tells whether it may still arrive."

// stepOf returns a step of the plan, and what is needed to send it again if it was sent before.
func (s *Resolution) stepOf(name journal.StepName) (plan.Step, *resend, error) {
	for _, step := range s.Entry.Plan.Steps {
		if step.Name != name {
			continue
		}
		was := s.Record.Step(name)
		if was == nil {
			return step, nil, nil
		}
		e, err := s.Record.EntryOf(was)
		if err != nil {
			return step, nil, err
		}
		body, err := step.Body()
		if err == nil && (e.Token != step.Token) {
			err = &client.Error{
				Kind: client.Failed, Op: "resolving " + s.Record.Receipt,
				Why: "the request in the journal is not that of its plan", Remedy: remedy.Of(remedy.ForgetLines),
			}
		}
		first := s.firstSent(was)
		return step, &resend{body: body, first: first, until: first.Add(againWithin), clock: s.clock}, err
	}
	return plan.Step{}, nil, whyUnresolved(s.Record, client.Failed, "its plan has no step "+string(name),
		"look at the table")
}
