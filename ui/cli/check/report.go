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
	"tallylock/ui/cli/exit"
	"tallylock/ui/report"
	"tallylock/ui/say"
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
		return exit.Usage("reading --mask", "only a report can be masked", "add --report FILE, or leave --mask out")
	case r.path == "":
		return nil
	}
	var err error
	if r.report, err = report.New(r.path); err != nil {
		return exit.Usage("reading --report", err.Error(), "")
	}
	r.began = time.Now()
	ignorePipe()
	return unwritable("report", r.path, session.Writable(r.path))
}

// ignorePipe keeps the program alive if the reader of the results goes away. Otherwise the failed write would kill it
// before it has written its files.
func ignorePipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

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
	return unwritable("report", r.path, err)
}

// conclude writes the files of the flags after the check: the report, the status and the baseline. err is the error of
// the check.
func (c *checking) conclude(t *dynamo.Table, s finding.Summary, err error) error {
	about := report.About{Table: t, Options: c.o, Version: c.Version.String(), Gate: c.most.judge(s)}
	wrong := errors.Join(
		c.report.write(about, s),
		c.status.write(s, c.counts, c.searched, c.Version.String()),
		c.baseline.write(c.Run, s, &c.o, c.Results.Unwritten()),
		c.increments.write(c.Run, c.Results.Unwritten()),
	)
	if wrong == nil {
		return err
	}
	if _, ended := errors.AsType[exit.Status](err); err == nil || ended {
		return wrong
	}
	return errors.Join(err, wrong)
}

// concludeSQL writes the files of the flags after a run of SQL that failed. It writes none if the run was refused,
// declined or stopped before anything was sent.
func (c *checking) concludeSQL(t *dynamo.Table, err error) error {
	if kind := client.KindOf(err); !c.sqlRun.sent && (kind == client.Usage || kind == client.Cancelled) {
		return err
	}
	return c.conclude(t, finding.Summary{
		Table: t.Name, TableID: t.ID, Layout: t.Layout.Name, LayoutState: t.Layout.State(), Why: say.Error(err),
	}, err)
}

// files reports whether the check writes a file at its end.
func (c *checking) files() bool {
	return c.report.path != "" || c.status.path != "" || c.baseline.update || c.increments.out != ""
}
