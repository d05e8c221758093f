package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// The exit statuses.
const (
	exitDone    = 0
	exitFound   = 1 // the check is complete, and something is wrong
	exitUsage   = 2 // the command line, the config, read-only mode or a guard forbids it
	exitFailed  = 3 // it failed, or is incomplete
	exitRefused = 4 // the state of the table forbids the change
	exitUnknown = 5 // a change was sent, and its outcome is unknown
)

// status is the error of a command that has already printed everything.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// exitStatus returns the exit status for a command's error.
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
			worst = max(worst, receiptStatus(r)) // a higher status means that less is known
		}
		return worst
	}
	switch client.KindOf(err) {
	case client.Usage, client.ReadOnly, client.NoRegion:
		return exitUsage
	}
	return exitFailed
}

// receiptStatus returns the exit status for a change.
func receiptStatus(r change.Receipt) int {
	switch {
	case r.Outcome == journal.Applied:
		return exitDone
	case r.Outcome == journal.Unknown:
		return exitUnknown
	case r.Err == nil:
		return exitRefused
	case r.WriteUnits > 0:
		// The first step was applied and a later one failed. That is no mistake of the command line
		// any more.
		return exitFailed
	}
	return exitStatus(r.Err)
}

// complain prints on standard error why a command failed.
func (s *invocation) complain(err error) {
	if err == nil {
		return
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // print each joined error on its own
		all = joined.Unwrap()
	}
	for _, e := range all {
		if _, said := e.(status); !said { //nolint:errorlint // what wraps one has something to say
			s.note("tallylock: %s", say.Error(e))
		}
	}
	s.advise(err)
}

// misused returns the error for a command line that does not parse.
func misused(cmd *cobra.Command, err error) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the command line",
		Why:  err.Error() + likely(cmd, err),
		Do:   "run: " + cmd.CommandPath() + " --help",
		Err:  err,
	}
}

// likely suggests the command or flag that a mistyped one may mean. It is empty if none is similar.
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

// usage returns the error for a command line that parses but is not allowed.
func usage(op, why, do string) error {
	return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: do}
}
