package cli

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/report"
	"tallylock/ui/session"
)

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
	completes(cmd, "max", oneOf(check.Kinds()...))
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

// add takes a finding in.
func (r *reporting) add(f check.Finding) {
	if r.report != nil {
		r.report.Add(f)
	}
}

// write writes the report: whole, or what was there before stays.
func (r *reporting) write(about report.About, s check.Summary) error {
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
func (c *checking) reported(t *dynamo.Table, s check.Summary, err error) error {
	about := report.About{Table: t, Options: c.o, Version: c.Version.String(), Gate: c.most.judge(s)}
	if wrong := c.report.write(about, s); wrong != nil {
		if _, ended := errors.AsType[status](err); err == nil || ended {
			return wrong
		}
		return errors.Join(err, wrong)
	}
	return err
}
