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

// Action is a way to resolve an open change.
type Action string

// The actions. Close records the outcome that the read items prove. GiveUp records that the outcome can no longer
// be determined. Close and GiveUp send nothing.
const (
	Close     Action = "close"
	GiveUp    Action = "give up"
	SendAgain Action = "send again" // send the stored request with its token
	TakeOff   Action = "take off"   // remove the mark of a release
	Finish    Action = "finish"     // finish a release: read every item, and delete the lock
)

// Choice is an action that is offered to a person.
type Choice struct {
	Do    Action
	Title string // for a button: "Remove the mark"
	Words string // the effect of the action, in a sentence
	// Safe is set if the action may run without asking: it changes only the journal, or removes a release's mark.
	Safe bool
	// Sends is set if the action writes to the table.
	Sends bool
}

// Resolution has the known facts of an open change, and the choices to resolve it.
type Resolution struct {
	Record *journal.Record
	// Entry is the journal entry that was written before the last step was sent.
	Entry *plan.Entry
	// Outcome is the outcome that the read items prove; Unknown if they prove none.
	Outcome journal.Outcome
	// Words summarise the result, and Facts lists the items that were read. Neither is sanitised.
	Words string
	Facts []Fact
	// Choices are the offered actions. A person may also leave the change open. If Choices is empty, waiting may
	// determine the outcome: examine the change again at the time Later.
	Choices []Choice
	Later   time.Time
	// Until is the deadline for sending the change again; zero if it cannot be sent again.
	Until time.Time

	changer *Changer
	conn    *dynamo.Connection
	// clock starts when the change is examined.
	clock stopwatch
	// endpointTime is the endpoint's time when the clock starts; zero if unknown.
	endpointTime time.Time
	step         plan.Step // the unanswered step, or the step to send
	sent         *resend   // the data to send step again; nil if step was not sent
	lock         markedLock
	// trusted is set if the change may be resolved although the hash chain of the journal is broken.
	trusted bool
}

// Fact is an item of an open change, with the state that was read.
type Fact struct {
	Item string `json:"label"`
	Text string `json:"text"`
}

// String returns the fact in words.
func (f Fact) String() string { return itemSubject(f.Item) + ": " + f.Text }

// Trust allows this change to be resolved although the hash chain of the journal is broken. Call it only if a
// person says so.
func (s *Resolution) Trust() { s.trusted = true }

// Choice returns the choice for an action; false if the action is not offered.
func (s *Resolution) Choice(do Action) (Choice, bool) {
	for _, c := range s.Choices {
		if c.Do == do {
			return c, true
		}
	}
	return Choice{}, false
}

// Typed returns the text that a person has to type before an action; empty if none. An action that only removes a
// mark, or only changes the journal, needs no text.
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

// Safe returns the first choice that may run without asking; false if there is none.
func (s *Resolution) Safe() (Choice, bool) {
	for _, c := range s.Choices {
		if c.Safe {
			return c, true
		}
	}
	return Choice{}, false
}

// whyUnresolved returns the error of a change that cannot be resolved.
func whyUnresolved(r *journal.Record, kind client.Kind, why, do string) error {
	return &client.Error{Kind: kind, Op: "resolving " + r.Receipt, Why: why, Do: do}
}

// Examine reads the items of an open change and returns its outcome, or the choices to resolve it. It writes
// nothing. It returns an error of the kind Usage if the change is not open, or if the connection has other tables. No
// limit of read units stops it: see client.Owed.
func (c *Changer) Examine(ctx context.Context, conn *dynamo.Connection, r *journal.Record) (*Resolution, error) {
	ctx, op := client.Owed(ctx), "resolving "+r.Receipt
	if !r.Open {
		return nil, whyUnresolved(r, client.Usage, "the change is "+string(r.Outcome)+", and closed",
			"a closed change is never sent again")
	}
	e, err := plan.Load(r)
	if err != nil {
		return nil, err
	}
	s := &Resolution{Record: r, Entry: e, Outcome: journal.Unknown, changer: c, conn: conn}
	unlock, free, err := c.Journal.TryLockRun(r.Run)
	if err != nil {
		return nil, err
	}
	if !free {
		s.Words = "Another process is still making or resolving this change."
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
	s.clock, s.endpointTime = c.startStopwatch(), endpointTime(conn)
	if e.Plan.Kind.IsBackfill() {
		return s, s.examineMany(ctx)
	}
	if r.Step(journal.StepMark) != nil {
		return s, s.examineMark(ctx)
	}
	return s, s.examineStep(ctx, r.Steps[len(r.Steps)-1])
}

// untoldTime is the explanation if the endpoint gives no time: then nothing proves that the change never arrived.
const untoldTime = " The endpoint does not send its time, so it is unknown whether the change may still arrive."

// stepOf returns a step of the plan. If the step was sent before, it also returns the data to send it again.
func (s *Resolution) stepOf(name journal.StepName) (plan.Step, *resend, error) {
	for _, step := range s.Entry.Plan.Steps {
		if step.Name != name {
			continue
		}
		was := s.Record.Step(name)
		if was == nil {
			return step, nil, nil
		}
		body, err := step.Body()
		if err == nil && was.Token != step.Token {
			err = &client.Error{
				Kind: client.Failed, Op: "resolving " + s.Record.Receipt,
				Why: "the request in the journal does not match the plan in the journal", Remedy: remedy.Of(remedy.ForgetLines),
			}
		}
		first := s.firstSent(was)
		return step, &resend{body: body, first: first, until: first.Add(againWithin), clock: s.clock}, err
	}
	return plan.Step{}, nil, whyUnresolved(s.Record, client.Failed, "the stored plan has no step "+string(name),
		"look at the table")
}
