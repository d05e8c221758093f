package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// The codes of reasons not to send a change, or to stop a release.
const (
	Held          = "Held"          // an account, or another item, holds the lock's value
	Asked         = "Asked"         // a person has to say whether an item holds the value
	Reserved      = "Reserved"      // no account claims the lock's value yet, but one may still come
	Absent        = "Absent"        // the lock, counter or account does not exist
	Changed       = "Changed"       // the table has changed since it was read
	NotANumber    = "NotANumber"    // the counter holds no whole number
	TooLarge      = "TooLarge"      // the number would have more than 38 digits
	NotHigher     = "NotHigher"     // the number is not above the counter, or an id in use is above it
	NotLower      = "NotLower"      // the counter is not above the number
	Incomplete    = "Incomplete"    // not every account could be read
	Duplicate     = "Duplicate"     // two accounts hold the value
	Misfit        = "Misfit"        // the layout does not fit the table
	TooMany       = "TooMany"       // a transaction takes no more than 100 actions
	InOrder       = "InOrder"       // nothing is left to mend
	ByHand        = "ByHand"        // a person has to decide, or to handle the change by itself
	Cancelled     = "Cancelled"     // the person stopped the change
	NotUndone     = "NotUndone"     // the change cannot be undone
	Seen          = "Seen"          // later reads of a change whose answer was lost
	Regions       = "Regions"       // other Regions write the table, or its replication allows no transactions
	NotTried      = "NotTried"      // an earlier change failed for a reason that affects this one, too
	AppliedBefore = "AppliedBefore" // the plan file's change was applied before, or may have been
	MarkLeft      = "MarkLeft"      // the mark of a release is, or may be, still on the lock
	TakenOver     = "TakenOver"     // another release has replaced the mark with its own
)

// The codes of reasons after a change was sent.
const (
	ConditionFailed = "ConditionalCheckFailed" // DynamoDB's code: an item has changed since it was read
	Conflict        = "TransactionConflict"    // DynamoDB's code: others kept writing the same items
	NoAnswer        = "NoAnswer"               // no answer came back
	NotRecorded     = "Journal"                // the journal could not be written
)

// Reason is the reason why one action of a change was refused or never sent.
type Reason struct {
	Slot int    `json:"slot"`
	Code string `json:"code"`
	Text string `json:"text"`
	// Remedy is the advice for the person; Say adds it to Text.
	Remedy remedy.Remedy `json:"-"`
	// Asks is the question whose answer allows the change to be planned again; nil if no answer helps. The
	// journal does not store it.
	Asks *answers.Question `json:"-"`
	// Differs lists the attributes that differ from the conditions of the refused action, as far as the
	// response shows them. The journal does not store it: Text has the same facts.
	Differs []Difference `json:"-"`
	// ByOtherRelease is set if the lock has the mark of another release.
	ByOtherRelease bool `json:"-"`
}

// Say returns the text of a reason, with its remedy in the words of say.
func (r Reason) Say(say func(remedy.Remedy) string) string {
	do := say(r.Remedy)
	if do == "" {
		return r.Text
	}
	switch r.Remedy.Code {
	case remedy.Answer, remedy.AnswerElsewhere: // the text is a question
		return r.Text + " " + do
	case remedy.ReleaseByValue, remedy.ReleaseByKey, remedy.WaitOrReserved, remedy.ReleaseReserved, remedy.CreateWith,
		remedy.NameCheckedLayout, remedy.RemoveMark:
		return r.Text + ": " + do
	}
	return r.Text + "; " + do
}

// IsTakenOver reports whether a condition failed because another release replaced the mark.
func IsTakenOver(reasons []Reason) bool {
	return slices.ContainsFunc(reasons, func(r Reason) bool { return r.ByOtherRelease })
}

// Difference is an attribute that has changed since a change was planned. A value that does not exist means
// that the attribute is absent.
type Difference struct {
	Attribute string
	Was, Now  attr.Value
}

// String returns the difference in words.
func (d Difference) String() string {
	switch {
	case !d.Now.Exists():
		return d.Attribute + " is gone"
	case !d.Was.Exists():
		return fmt.Sprintf("%s is now %s, and was not there", d.Attribute, d.Now.Display())
	}
	return fmt.Sprintf("%s is now %s, and was %s", d.Attribute, d.Now.Display(), d.Was.Display())
}

// Refusal is the error of a change that cannot be planned.
type Refusal struct {
	Reasons []Reason
}

func (r *Refusal) Error() string {
	if len(r.Reasons) == 0 {
		return "refused"
	}
	return cmp.Or(r.Reasons[0].Text, "people have to decide this ("+r.Reasons[0].Code+")")
}

// RefuseFor returns a refusal with a remedy: advice for the person.
func RefuseFor(do remedy.Remedy, code, format string, args ...any) *Refusal {
	r := Refuse(code, format, args...)
	r.Reasons[0].Remedy = do
	return r
}

// ReasonOf converts an error to a reason.
func ReasonOf(code string, err error) Reason {
	return Reason{Code: code, Text: err.Error(), Remedy: RemedyOf(err)}
}

// RemedyOf returns the remedy of an error; empty if the error's own text has it.
func RemedyOf(err error) remedy.Remedy {
	if e, ok := errors.AsType[*client.Error](err); ok && e.Remedy.Code != remedy.Text {
		return e.Remedy
	}
	return remedy.Remedy{}
}

// Refuse returns the refusal of a change, with a code and its text.
func Refuse(code, format string, args ...any) *Refusal {
	return &Refusal{[]Reason{{Code: code, Text: fmt.Sprintf(format, args...)}}}
}

// AsInOrder turns a refusal with the given code into one with the code InOrder: nothing is left to mend.
func AsInOrder(p *Plan, err error, code string) (*Plan, error) {
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == code {
		return nil, Refuse(InOrder, "%s", refused.Reasons[0].Text)
	}
	return p, err
}
