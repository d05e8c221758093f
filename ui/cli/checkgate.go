package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/mistake"
	"tallylock/dynamo/phrase"
	"tallylock/ui/report"
	"tallylock/ui/session"
)

// allowance is how many findings of each kind a check may have without failing a gate.
// A kind that is not named may have none: what nobody thought of fails.
type allowance map[finding.Kind]int

func (a allowance) Type() string { return "FINDING=N" }

func (a allowance) String() string {
	var said []string
	for _, kind := range finding.Kinds() {
		if n, named := a[kind]; named {
			said = append(said, fmt.Sprintf("%s=%d", kind, n))
		}
	}
	return strings.Join(said, ",")
}

// Set implements pflag.Value.
func (a allowance) Set(s string) error {
	for _, one := range strings.Split(s, ",") {
		name, number, _ := strings.Cut(one, "=")
		kind, err := kindNamed(name)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 0 {
			return fmt.Errorf("%q does not say how many: write it as %s=10", one, kind)
		}
		if _, named := a[kind]; named {
			return fmt.Errorf("%s is named twice", kind)
		}
		a[kind] = n
	}
	return nil
}

// kindNamed is the kind of finding of that name.
func kindNamed(name string) (finding.Kind, error) {
	name = strings.TrimSpace(name)
	var known []string
	for _, kind := range finding.Kinds() {
		if string(kind) == name {
			return kind, nil
		}
		known = append(known, string(kind))
	}
	return "", fmt.Errorf("there is no finding %q: use some of %s%s", name, phrase.List(known),
		mistake.Meant(name, known...))
}

// exceeded lists the kinds of which more was found than is allowed, with both numbers.
func (a allowance) exceeded(s finding.Summary) (over []string) {
	for _, kind := range finding.Kinds() {
		if n := s.Findings[kind]; n > a[kind] {
			over = append(over, fmt.Sprintf("%s %s, allowed %s", phrase.Number(n), kind, phrase.Number(a[kind])))
		}
	}
	return over
}

// beside is a kind that a gate has a measure for, and --only leaves out: it would pass,
// however many there are.
func (a allowance) beside(only []finding.Kind) (kind finding.Kind, found bool) {
	for _, kind := range finding.Kinds() {
		if _, named := a[kind]; named && len(only) > 0 && !slices.Contains(only, kind) {
			return kind, true
		}
	}
	return "", false
}

// judge says what the gate says of a check; nothing where --max has set no measure.
func (a allowance) judge(s finding.Summary) string {
	over := a.exceeded(s)
	switch {
	case len(a) == 0:
		return ""
	case !s.Complete: // neither way: nothing of the rest is known, and what was found may pass
		return "The check is incomplete: whether more is wrong than --max allows (" + a.String() + ") cannot be told."
	case len(over) > 0:
		return "More was found than --max allows: " + strings.Join(over, "; ") + "."
	case s.Reach() != finding.Nothing: // no more was found, and more may be there
		return "No more was found than --max allows (" + a.String() + "), but not everything was checked for sure."
	}
	return "No more was found than --max allows: " + a.String() + "."
}

// maxError is the exit status of a check that is complete, and says why it fails: more was found
// than --max allows, or not everything was checked that is described or asked for.
func (c *checking) maxError(s finding.Summary) error {
	if len(c.most.exceeded(s)) > 0 {
		if said := c.most.judge(s); said != "" {
			c.note("%s", said)
		}
		return status(exitFound)
	}
	switch s.Reach() {
	case finding.Guess:
		c.note("The layout is only guessed: a check by it cannot say that nothing is wrong.")
	case finding.Partly:
		c.note("Not everything that is described or asked for was checked.")
	default:
		return nil
	}
	return status(exitFailed)
}

// judged takes the flags by which others than the caller learn what was found: the gate's
// and the report's.
func (c *checking) judged(cmd *cobra.Command) {
	set := cmd.Flags()
	set.Var(
		c.most,
		"max",
		"exit with 0 if there are at most `FINDING=N` of each, such as orphaned-lock=0,missing-lock=10; of other kinds none",
	)
	set.StringVar(
		&c.report.path,
		"report",
		"",
		"write a report for people to `FILE`: a page (.html), or Markdown for a ticket (.md); replaces the file",
	)
	set.BoolVar(&c.report.mask, "mask", false, "with --report: mask values, ids and keys in it")
	completes(cmd, "max", oneOf(finding.Kinds()...))
}

// reporting is the file that a check writes for people; it has no path where none was
// asked for.
type reporting struct {
	path   string
	mask   bool
	began  time.Time
	report *report.Report // nil where none is written
}

// begin makes sure that the report can be written, before a table is read for it.
func (r *reporting) begin() error {
	switch {
	case r.path == "" && r.mask:
		return usage("reading --mask", "only a report can be masked", "use it with --report")
	case r.path == "":
		return nil
	}
	var err error
	if r.report, err = report.New(r.path); err != nil {
		return usage("reading --report", err.Error(), "")
	}
	r.began = time.Now()
	// A reader of the results who goes away does not take the report along: the write fails.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return unwritable(r.path, session.Writable(r.path))
}

// write writes the report: whole, or what was there before stays.
func (r *reporting) write(about report.About, s finding.Summary) error {
	if r.report == nil {
		return nil
	}
	about.Began, about.Ended, about.Mask = r.began, time.Now(), r.mask
	var page bytes.Buffer
	err := r.report.Write(&page, about, s)
	if err == nil {
		err = session.WriteFile(r.path, page.Bytes(), true)
	}
	return unwritable(r.path, err)
}

func unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return &client.Error{
		Kind: client.Failed,
		Op:   "writing the report " + path,
		Why:  phrase.WithoutPath(err),
		Do:   "name a file in a directory that you may write to, and that has room",
		Err:  err,
	}
}

// reported writes the report of a check that is over, beside the error that it ended with.
func (c *checking) reported(t *dynamo.Table, s finding.Summary, err error) error {
	about := report.About{Table: t, Options: c.o, Version: c.Version.String(), Gate: c.most.judge(s)}
	if wrong := c.report.write(about, s); wrong != nil {
		if _, ended := errors.AsType[status](err); err == nil || ended {
			return wrong
		}
		return errors.Join(err, wrong)
	}
	return err
}
