package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/ui/session"
	"tallylock/ui/words"
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
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // each is a sentence of its own
		all = joined.Unwrap()
	}
	for _, e := range all {
		if _, said := e.(status); !said { //nolint:errorlint // what wraps one has something to say
			s.note("tallylock: %s", words.Error(e))
		}
	}
	s.advise(err)
}

// misused is the error of a command line that is not understood.
func misused(cmd *cobra.Command, err error) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the command line",
		Why:  err.Error() + likely(cmd, err),
		Do:   "run: " + cmd.CommandPath() + " --help",
		Err:  err,
	}
}

// likely asks for the command or the flag that a mistyped one was meant for; empty where
// none is near.
func likely(cmd *cobra.Command, err error) string {
	var known []string
	if flag, ok := errors.AsType[*pflag.NotExistError](err); ok {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return mistake.Meant("--"+flag.GetSpecifiedName(), known...)
	}
	if cmd.HasParent() || cmd.Flags().NArg() == 0 {
		return ""
	}
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	return mistake.Meant(cmd.Flags().Arg(0), known...)
}

// usage is the error of a command line that is understood and does not fit.
func usage(op, why, do string) error {
	return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: do}
}
