package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/remedy"
)

// The codes of the reasons not to send a change, or to stop a release.
const (
	Held          = "Held"            // an account, or another item, holds the lock's value
	Asked         = "Asked"           // a person has to say whether an item holds the value
	Reserved      = "Reserved"        // no account claims the lock's value, but a sign-up may still claim it
	Absent        = "Absent"          // the lock, counter or account does not exist
	Changed       = "Changed"         // the table has changed since it was read
	Moving        = "Moving"          // an account changed while it was read: another reading may succeed
	NotANumber    = "NotANumber"      // the counter holds no whole number
	TooLarge      = "TooLarge"        // the number would have more than 38 digits
	NotHigher     = "NotHigher"       // the new number is not above the counter, or not above an id in use
	NotLower      = "NotLower"        // the new number is not below the counter
	Incomplete    = "Incomplete"      // not every account could be read
	Duplicate     = "Duplicate"       // two accounts hold the value
	Misfit        = "Misfit"          // the layout does not fit the table
	TooMany       = "TooMany"         // the change exceeds a limit of one transaction, such as 100 actions
	InOrder       = "InOrder"         // nothing is left to mend
	ByHand        = "ByHand"          // a person has to decide, or to make the change alone
	Cancelled     = "Cancelled"       // the person stopped the change
	NotUndone     = "NotUndone"       // the change cannot be undone
	Seen          = "Seen"            // later reads of the items, after the answer was lost
	Regions       = "Regions"         // other Regions write the table, or its replication allows no transactions
	NotTried      = "NotTried"        // an earlier change failed for a reason that affects this one, too
	AppliedBefore = "AppliedBefore"   // the plan file's change was applied before, or may have been
	MarkLeft      = "MarkLeft"        // the lock still has, or may still have, a release's mark
	Running       = "Running"         // another process runs a backfill of the adoption, or its undo
	TakenOver     = journal.TakenOver // another release has replaced the mark with its own
)

// The codes of the reasons why a sent change was not applied, not answered or not recorded.
const (
	ConditionFailed = "ConditionalCheckFailed" // DynamoDB's code: an item has changed since it was read
	Conflict        = "TransactionConflict"    // DynamoDB's code: other writers kept changing the same items
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
	// Asks is a question to the person. After the answer, the change can be planned again. Asks is nil if no answer
	// helps. The journal does not store it.
	Asks *answers.Question `json:"-"`
	// Differs lists the attributes that broke a condition of the refused action, if DynamoDB's response shows them.
	// The journal does not store it: Text has the same facts.
	Differs []Difference `json:"-"`
	// ByOtherRelease is set if the lock has the mark of another release.
	ByOtherRelease bool `json:"-"`
}

// Say returns the text of a reason together with its remedy. The function say puts the remedy into words.
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

// Difference is an attribute that has changed since a change was planned. Was and Now are its old and new value. A
// missing attribute has a value whose Exists method returns false.
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
		return fmt.Sprintf("%s is now %s, and was missing", d.Attribute, d.Now.Display())
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
	return cmp.Or(r.Reasons[0].Text, "a person must decide this ("+r.Reasons[0].Code+")")
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

// RemedyOf returns the remedy of an error; empty if the error's text already includes the remedy.
func RemedyOf(err error) remedy.Remedy {
	if e, ok := errors.AsType[*client.Error](err); ok && e.Remedy.Code != remedy.Text {
		return e.Remedy
	}
	return remedy.Remedy{}
}

// Refuse returns a refusal with one reason: a code and a text.
func Refuse(code, format string, args ...any) *Refusal {
	return &Refusal{[]Reason{{Code: code, Text: fmt.Sprintf(format, args...)}}}
}

// AsInOrder returns a refusal with the code InOrder (nothing is left to mend) if err is a refusal with the given
// code. Otherwise it returns the plan and the error unchanged.
func AsInOrder(p *Plan, err error, code string) (*Plan, error) {
	if refused, ok := errors.AsType[*Refusal](err); ok && refused.Reasons[0].Code == code {
		return nil, Refuse(InOrder, "%s", refused.Reasons[0].Text)
	}
	return p, err
}
