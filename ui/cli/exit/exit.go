// Package exit has the exit statuses of the program, and the errors that lead to them.
package exit

import (
	"errors"
	"fmt"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
)

// Status is an exit status. As an error, it ends a command that has already printed everything.
type Status int

// The exit statuses.
const (
	Done       Status = 0
	Found      Status = 1 // the check is complete, and something is wrong
	NotAllowed Status = 2 // the command line, the config, read-only mode or a guard forbids the command
	Failed     Status = 3 // the command failed, or its result is incomplete
	Refused    Status = 4 // the state of the table forbids the change
	Unknown    Status = 5 // a change was sent, and its outcome is unknown
)

// Error implements error.
func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Of returns the exit status for a command's error.
func Of(err error) Status {
	if err == nil {
		return Done
	}
	if s, ok := errors.AsType[Status](err); ok {
		return s
	}
	if unseen, ok := errors.AsType[*session.Unreported](err); ok {
		worst := Done
		for _, r := range unseen.Receipts {
			worst = max(worst, OfReceipt(r)) // a higher status means that less is certain
		}
		return worst
	}
	switch client.KindOf(err) {
	case client.Usage, client.ReadOnly, client.NoRegion:
		return NotAllowed
	}
	return Failed
}

// OfReceipt returns the exit status for a change.
func OfReceipt(r change.Receipt) Status {
	switch {
	case r.Outcome == journal.Applied:
		return Done
	case r.Outcome == journal.Unknown:
		return Unknown
	case r.Err == nil:
		return Refused
	case r.WriteUnits > 0:
		// The first step was applied, and a later step failed. This is not a mistake in the command line.
		return Failed
	}
	return Of(r.Err)
}

// Usage returns the error for a command line that parses but is not allowed.
func Usage(op, why, do string) error {
	return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: do}
}
