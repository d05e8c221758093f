package journal

import (
	"encoding/json"
	"time"

	"tallylock/dynamo/remedy"
)

// Entry is one line of the journal.
type Entry struct {
	Event   Event     `json:"event"`
	Receipt string    `json:"receipt"`
	Step    StepName  `json:"step"`
	Token   string    `json:"token"`
	At      time.Time `json:"at"`
	// There is the time At by the clock of the endpoint. It is zero if the endpoint gives no time.
	There time.Time `json:"there,omitzero"`
	// Run is the receipt of the change, or of the first of several changes that were made together. While a run
	// is locked, nobody else resolves its changes.
	Run string `json:"run,omitempty"`
	// Undoes is the receipt of the change that this change undoes.
	Undoes string `json:"undoes,omitempty"`
	// Change is the ID of the change in a plan file; empty if this change was not planned in a file.
	Change string `json:"change,omitempty"`

	// The next two fields are set after a step was sent. Sent is Once if the step was sent only once, so no copy of
	// it can still arrive. With any other value, a copy may still arrive.
	Outcome Outcome `json:"outcome,omitempty"`
	Sent    string  `json:"sent,omitempty"`

	// The next fields are set before a step is sent. They have all data that is needed to judge the step later. What,
	// About, Table and Reason summarise the plan. Who is the caller's ARN from STS, or else the operating system's name of
	// the user. NoSTS is the error of STS, if it failed. AppliedBy is the name of the person who made the change on a
	// server with shared credentials. AskedBy is the name of the person who asked an operator for the change. Both are
	// empty for a change that a person made with their own credentials.
	What       string `json:"what,omitempty"`
	About      About  `json:"about,omitzero"`
	Table      string `json:"table,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Who        string `json:"who,omitempty"`
	AppliedBy  string `json:"applied_by,omitempty"`
	AskedBy    string `json:"asked_by,omitempty"`
	NoSTS      string `json:"no_sts,omitempty"`
	Profile    string `json:"profile,omitempty"`
	Account    string `json:"account,omitempty"`
	Connection string `json:"connection,omitempty"`
	Region     string `json:"region,omitempty"`
	Endpoint   string `json:"endpoint,omitempty"`
	// NoTokens is set if the endpoint ignores request tokens. Such a request must not be sent again.
	NoTokens bool `json:"no_tokens,omitempty"`

	// Reasons, Error and Plan come last in a line, because they are long.
	Reasons []Reason `json:"reasons,omitempty"`
	Error   string   `json:"error,omitempty"`
	// Remedy is the remedy of Error.
	Remedy remedy.Remedy `json:"remedy,omitzero"`
	// Plan is the planned change. The program makes the requests of the steps from it.
	Plan json.RawMessage `json:"plan,omitempty"`
}

// About is the subject of a change: a lock, a counter or an account. Before and After are the values of a counter
// or an account before and after the change.
type About struct {
	Kind       string `json:"kind"`
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	Counter    string `json:"counter,omitempty"`
	Before     string `json:"before,omitempty"`
	After      string `json:"after,omitempty"`
}

// Event is the kind of a line.
type Event string

// The events.
const (
	EventSend     Event = "send"     // a step is about to be sent
	EventAnswer   Event = "answer"   // a step was answered, or given up
	EventResolved Event = "resolved" // the outcome was determined later
	EventSaid     Event = "said"     // a person accepted a layout, answered a question, or took one of these back
)

// StepName names a step of a change.
type StepName string

// The steps of a release that marks its lock. Other changes have one step, named after their
// kind.
const (
	StepMark   StepName = "mark"
	StepDelete StepName = "delete"
	StepUnmark StepName = "unmark"
)

// StepSaid is the step of a person's answer. It was never sent.
const StepSaid StepName = "said"

// Outcome is the outcome of a change. It is never a guess.
type Outcome string

// The outcomes of a change.
const (
	Applied Outcome = "applied"
	Refused Outcome = "refused" // nothing was written, or the mark was removed again
	Unknown Outcome = "unknown" // sent, but no answer came that says whether it was applied
	Planned Outcome = "planned" // never sent
)

// definite maps anything but Applied and Refused to Unknown: the journal may hold any text.
func (o Outcome) definite() Outcome {
	if o == Applied || o == Refused {
		return o
	}
	return Unknown
}

// Reason is the reason why one action of a change was refused or never sent.
type Reason struct {
	Slot int    `json:"slot"`
	Code string `json:"code"`
	Text string `json:"text"`
	// Remedy is the advice for the person, as a code. Package ui puts it into words.
	Remedy remedy.Remedy `json:"remedy,omitzero"`
}

// TakenOver is the code of a reason: another release has replaced the mark of a release with its own.
const TakenOver = "TakenOver"

// Once is the value of Entry.Sent for a step that was sent only once.
const Once = "once"
