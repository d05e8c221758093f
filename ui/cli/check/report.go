package check

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/report"
	"tallylock/ui/session"
)

// reporting is the report of --report. path is empty without that flag.
type reporting struct {
	path   string
	mask   bool
	began  time.Time
	report *report.Report // nil without --report
}

// begin makes sure that the report can be written, before the check reads a table.
func (r *reporting) begin() error {
	switch {
	case r.path == "" && r.mask:
		return exit.Usage("reading --mask", "only a report can be masked", "use it with --report")
	case r.path == "":
		return nil
	}
	var err error
	if r.report, err = report.New(r.path); err != nil {
		return exit.Usage("reading --report", err.Error(), "")
	}
	r.began = time.Now()
	// If the reader of the results goes away, a write fails. It must not kill the program before
	// the report.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return unwritable(r.path, session.Writable(r.path))
}

// write writes the whole report, or leaves the old file as it is.
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
		Do:   "name a file in a directory with write permission and free space",
		Err:  err,
	}
}

// reported writes the report after the check. err is the error of the check.
func (c *checking) reported(t *dynamo.Table, s finding.Summary, err error) error {
	about := report.About{Table: t, Options: c.o, Version: c.Version.String(), Gate: c.most.judge(s)}
	if wrong := c.report.write(about, s); wrong != nil {
		if _, ended := errors.AsType[exit.Status](err); err == nil || ended {
			return wrong
		}
		return errors.Join(err, wrong)
	}
	return err
}
