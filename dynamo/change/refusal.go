package change

import (
	"cmp"
	"fmt"
)

// The codes of refusals that come before anything is sent.
const (
	Held       = "Held"       // an account claims the lock's value
	Reserved   = "Reserved"   // no account claims the lock's value yet, and one may still come
	Absent     = "Absent"     // there is no such lock or counter
	Changed    = "Changed"    // the table is no longer as it was seen
	NotANumber = "NotANumber" // the counter holds no whole number
	TooLarge   = "TooLarge"   // the sum would have more than 38 digits
	NotHigher  = "NotHigher"  // the counter is there already
	NotLower   = "NotLower"   // the counter is not above it
	Incomplete = "Incomplete" // not every account could be read
	Duplicate  = "Duplicate"  // two accounts hold the value
	Misfit     = "Misfit"     // the layout does not fit the table
	TooMany    = "TooMany"    // a transaction takes no more than 100 actions
	InOrder    = "InOrder"    // there is nothing to mend
	ByHand     = "ByHand"     // it takes a person to decide, or to look at it by itself
	Cancelled  = "Cancelled"  // by the person
	NotUndone  = "NotUndone"  // a change that cannot be taken back
	Seen       = "Seen"       // what reads told later of a change whose answer was lost
	Regions    = "Regions"    // other Regions write the table, or it has no transactions
	NotTried   = "NotTried"   // a change before it failed in a way that this one would, too
	MarkLeft   = "MarkLeft"   // a release was stopped and its mark is still on the lock
)

// Refusal is an error that says why a change is not even planned.
type Refusal struct {
	Reasons []Reason
}

func (r *Refusal) Error() string {
	if len(r.Reasons) == 0 {
		return "refused"
	}
	return cmp.Or(r.Reasons[0].Text, "people have to decide this ("+r.Reasons[0].Code+")")
}

func refusal(code, format string, args ...any) *Refusal {
	return &Refusal{[]Reason{{Code: code, Text: fmt.Sprintf(format, args...)}}}
}
