package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// The codes of refusals that come before anything is sent.
const (
	Held          = "Held"          // an account, or another item, holds the lock's value
	Asked         = "Asked"         // a person has to say whether an item holds the value
	Reserved      = "Reserved"      // no account claims the lock's value yet, and one may still come
	Absent        = "Absent"        // there is no such lock or counter
	Changed       = "Changed"       // the table is no longer as it was seen
	NotANumber    = "NotANumber"    // the counter holds no whole number
	TooLarge      = "TooLarge"      // the sum would have more than 38 digits
	NotHigher     = "NotHigher"     // the counter is there already
	NotLower      = "NotLower"      // the counter is not above it
	Incomplete    = "Incomplete"    // not every account could be read
	Duplicate     = "Duplicate"     // two accounts hold the value
	Misfit        = "Misfit"        // the layout does not fit the table
	TooMany       = "TooMany"       // a transaction takes no more than 100 actions
	InOrder       = "InOrder"       // there is nothing to mend
	ByHand        = "ByHand"        // it takes a person to decide, or to look at it by itself
	Cancelled     = "Cancelled"     // by the person
	NotUndone     = "NotUndone"     // a change that cannot be taken back
	Seen          = "Seen"          // what reads told later of a change whose answer was lost
	Regions       = "Regions"       // other Regions write the table, or it has no transactions
	NotTried      = "NotTried"      // a change before it failed in a way that this one would, too
	AppliedBefore = "AppliedBefore" // the change of a plan file was made, or may have been
	MarkLeft      = "MarkLeft"      // the mark of a release is, or may be, still on the lock
	TakenOver     = "TakenOver"     // another release has replaced the mark by its own
)

// The codes of reasons that come after a change was sent.
const (
	ConditionFailed = "ConditionalCheckFailed" // DynamoDB's: an item is no longer as it was seen
	Conflict        = "TransactionConflict"    // DynamoDB's: others kept writing the same items
	NoAnswer        = "NoAnswer"               // no answer came back
	NotRecorded     = "Journal"                // the journal could not be written
)

// Reason says why one action of a change was refused, or why it was never sent.
type Reason struct {
	Slot int    `json:"slot"`
	Code string `json:"code"`
	Text string `json:"text"`
	// Remedy is what to do; ui/words adds it to Text.
	Remedy remedy.Remedy `json:"-"`
	// Asks is what a person can answer so that it can be planned again; nil if nothing helps.
	// The journal does not store it.
	Asks *dynamo.Question `json:"-"`
	// Differs is what the refused action rests on and what is there instead, as far as the
	// response said. The journal does not store it: Text says it.
	Differs []Difference `json:"-"`
	// takenOver: the lock has the mark of another release.
	ByOtherRelease bool `json:"-"`
}

// Say is the text of a reason, with its remedy in the words of say.
func (r Reason) Say(say func(remedy.Remedy) string) string {
	switch r.Remedy.Code {
	case "":
		return r.Text
	case remedy.Answer, remedy.AnswerElsewhere: // the text is a question
		return r.Text + " " + say(r.Remedy)
	case remedy.ReleaseByValue, remedy.ReleaseByKey, remedy.WaitOrReserved, remedy.ReleaseReserved, remedy.CreateWith,
		remedy.NameCheckedLayout, remedy.RemoveMark:
		return r.Text + ": " + say(r.Remedy)
	}
	return r.Text + "; " + say(r.Remedy)
}

// IsTakenOver reports whether a condition failed because another release had taken the mark over.
func IsTakenOver(reasons []Reason) bool {
	return slices.ContainsFunc(reasons, func(r Reason) bool { return r.ByOtherRelease })
}

// Difference is an attribute that is not what it was when a change was planned. A value that
// does not exist means absent.
type Difference struct {
	Attribute string
	Was, Now  attr.Value
}

// String says a difference in words.
func (d Difference) String() string {
	switch {
	case !d.Now.Exists():
		return d.Attribute + " is gone"
	case !d.Was.Exists():
		return fmt.Sprintf("%s is now %s, and was not there", d.Attribute, d.Now.Display())
	}
	return fmt.Sprintf("%s is now %s, and was %s", d.Attribute, d.Now.Display(), d.Was.Display())
}

// Refusal is the error of a change that is not planned.
type Refusal struct {
	Reasons []Reason
}

func (r *Refusal) Error() string {
	if len(r.Reasons) == 0 {
		return "refused"
	}
	return cmp.Or(r.Reasons[0].Text, "people have to decide this ("+r.Reasons[0].Code+")")
}

// RefuseFor is the refusal of a change that a person can do something about.
func RefuseFor(do remedy.Remedy, code, format string, args ...any) *Refusal {
	r := Refuse(code, format, args...)
	r.Reasons[0].Remedy = do
	return r
}

// ReasonOf is an error as a reason.
func ReasonOf(code string, err error) Reason {
	return Reason{Code: code, Text: err.Error(), Remedy: remedyOf(err)}
}

// remedyOf is what can be done about an error, if the error's own text does not say it.
func remedyOf(err error) remedy.Remedy {
	if e, ok := errors.AsType[*client.Error](err); ok && e.Remedy.Code != remedy.Text {
		return e.Remedy
	}
	return remedy.Remedy{}
}

// Refuse is the refusal of a change, with a code and its text.
func Refuse(code, format string, args ...any) *Refusal {
	return &Refusal{[]Reason{{Code: code, Text: fmt.Sprintf(format, args...)}}}
}

// AsInOrder turns a refusal with a code into InOrder: what was to be mended is mended already.
func AsInOrder(p *Plan, err error, code string) (*Plan, error) {
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == code {
		return nil, Refuse(InOrder, "%s", refused.Reasons[0].Text)
	}
	return p, err
}
