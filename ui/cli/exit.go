package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/session"
)

// The exit statuses.
const (
	exitDone    = 0
	exitFound   = 1 // a check is complete, and something is wrong
	exitUsage   = 2 // the command line, the config, read-only or a guard does not allow it
	exitFailed  = 3 // it could not be done, or not completed
	exitRefused = 4 // what the table holds does not allow the change
	exitUnknown = 5 // a change was sent, and its outcome is not known
)

// status is the error of a command that has said everything already.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// exitStatus is the exit status of a command's error.
func exitStatus(err error) int {
	if err == nil {
		return exitDone
	}
	if s, ok := errors.AsType[status](err); ok {
		return int(s)
	}
	if unseen, ok := errors.AsType[*session.Unseen](err); ok {
		worst := exitDone
		for _, r := range unseen.Receipts {
			worst = max(worst, receiptStatus(r)) // the less is known the higher it is
		}
		return worst
	}
	switch client.KindOf(err) {
	case client.Usage, client.ReadOnly, client.NoRegion:
		return exitUsage
	}
	return exitFailed
}

// receiptStatus is the exit status of a change.
func receiptStatus(r change.Receipt) int {
	switch {
	case r.Outcome == change.Applied:
		return exitDone
	case r.Outcome == change.Unknown:
		return exitUnknown
	case r.Err == nil:
		return exitRefused
	case r.WriteUnits > 0:
		// A step was applied before another could not be: that is not the command
		// line's doing any more.
		return exitFailed
	}
	return exitStatus(r.Err)
}

// complain says on standard error why a command failed.
func (s *invocation) complain(err error) {
	if err == nil {
		return
	}
	for _, e := range parts(err) {
		if _, said := e.(status); !said { //nolint:errorlint // what wraps one has something to say
			fmt.Fprintln(s.Err, "tallylock: "+harmless(e.Error()))
		}
	}
	s.advise(err)
}

// parts takes joined errors apart: each is a sentence of its own.
func parts(err error) []error {
	if both, ok := err.(interface{ Unwrap() []error }); ok {
		return both.Unwrap()
	}
	return []error{err}
}

// misused is the error of a command line that is not understood.
func misused(cmd *cobra.Command, err error) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the command line",
		Why:  err.Error(),
		Do:   "run: " + cmd.CommandPath() + " --help",
		Err:  err,
	}
}

// usage is the error of a command line that is understood and does not fit.
func usage(op, why, do string) error {
	return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: do}
}
