package journal

import (
	"bytes"
	"encoding/json"
	"time"
)

// Entry is one line of the journal.
type Entry struct {
	Event   Event     `json:"event"`
	Receipt string    `json:"receipt"`
	Step    StepName  `json:"step"`
	Token   string    `json:"token"`
	At      time.Time `json:"at"`
	// Run is the receipt of the change, or of the first of those that were made
	// together: as long as they are being made, nobody else resolves them.
	Run string `json:"run,omitempty"`
	// Undoes is the receipt that the change takes back.
	Undoes string `json:"undoes,omitempty"`

	// After a step. Sent is Once where the answer was that to its only sending: then
	// no copy of it is under way. Whatever else it says, one may be.
	Outcome Outcome `json:"outcome,omitempty"`
	Sent    string  `json:"sent,omitempty"`

	// Before a step: everything that is needed to judge it later. What, Table
	// and Reason are the plan's, in short. Who is the caller as STS names it, or the operating
	// system's name for the person; NoSTS is why, where STS was asked in vain.
	What       string `json:"what,omitempty"`
	Table      string `json:"table,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Who        string `json:"who,omitempty"`
	NoSTS      string `json:"no_sts,omitempty"`
	Profile    string `json:"profile,omitempty"`
	Account    string `json:"account,omitempty"`
	Connection string `json:"connection,omitempty"`
	Region     string `json:"region,omitempty"`
	Endpoint   string `json:"endpoint,omitempty"`

	// Long members stand at the end.
	Reasons []Reason `json:"reasons,omitempty"`
	Error   string   `json:"error,omitempty"`
	// Plan is the change as it was planned; what is sent is made of it.
	Plan json.RawMessage `json:"plan,omitempty"`
	// Request is what was sent, in the lines of older versions alone.
	Request json.RawMessage `json:"request,omitempty"`
}

// Event is what a line says.
type Event string

// The events.
const (
	EventSend     Event = "send"     // a step is about to be sent
	EventAnswer   Event = "answer"   // what came of it
	EventResolved Event = "resolved" // found out later what became of the change
)

// StepName names a step of a change.
type StepName string

// The steps of a release that marks its lock. Other changes have one step, named as
// their kind is.
const (
	StepMark   StepName = "mark"
	StepDelete StepName = "delete"
	StepUnmark StepName = "unmark"
)

// Outcome is what became of a change. It is never a guess.
type Outcome string

// The outcomes of a change.
const (
	Applied Outcome = "applied"
	Refused Outcome = "refused" // nothing was written, or the mark was taken off again
	Unknown Outcome = "unknown" // sent, and no answer told what became of it
	Planned Outcome = "planned" // never sent
)

// definite is an outcome out of the journal: whatever else stands there says nothing.
func (o Outcome) definite() Outcome {
	if o == Applied || o == Refused {
		return o
	}
	return Unknown
}

// Reason is why one action of a change was refused, or why it was never sent.
type Reason struct {
	Slot int    `json:"slot"`
	Code string `json:"code"`
	Text string `json:"text"`
}

// Once is what an answer says that was that to the only sending of its step.
const Once = "once"

func (e Entry) line() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}
