package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/record"
	"tallylock/ui/session"
)

// status is the file of --status. path is empty without that flag.
type status struct {
	path   string
	format record.StatusFormat
	former *record.Status // the status of an earlier check; nil if there is none
	began  time.Time
}

// counts counts the findings of each kind.
type counts map[finding.Kind]record.StatusFindings

// begin makes sure that the status can be written, before the check reads a table.
func (s *status) begin() (err error) {
	if s.path == "" {
		return nil
	}
	if s.format, err = record.FormatOfStatus(s.path); err != nil {
		return exit.Usage("reading --status", err.Error(), "")
	}
	s.began = time.Now()
	ignorePipe()
	if err := unwritable("status", s.path, session.Writable(s.path)); err != nil {
		return err
	}
	f, err := os.Open(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		defer f.Close()
		s.former, err = s.format.Read(f)
	}
	if err != nil {
		return exit.Usage("reading the status "+s.path, phrase.WithoutPath(err), "name another file, or remove this file")
	}
	return nil
}

// of makes sure that the file is not the status of another table.
func (s *status) of(table, id string) error {
	switch {
	case s.former == nil:
	case s.former.Table != table:
		return exit.Usage("reading the status "+s.path,
			fmt.Sprintf("the file has the status of the table %s, but this is a check of %s", phrase.Quote(s.former.Table), table),
			"use another file for each table")
	case id != "" && s.former.TableID != "" && s.former.TableID != id:
		s.former = nil // the table was deleted and created again
	}
	return nil
}

// add counts a finding.
func (c counts) add(f finding.Finding) {
	n := c[f.Kind]
	if f.Confirmed {
		n.Confirmed++
	} else {
		n.Unconfirmed++
	}
	c[f.Kind] = n
}

// write replaces the file after the check.
func (s *status) write(
	sum finding.Summary, found counts, searched func(finding.Kind) (asked, looked bool), version string,
) error {
	if s.path == "" {
		return nil
	}
	now := record.Status{
		Version: version, Table: sum.Table, TableID: sum.TableID, Layout: sum.Layout, LayoutState: sum.LayoutState,
		Began: s.began.UTC(), Ended: time.Now().UTC(), Complete: sum.Complete, Why: sum.Why,
		Items: sum.Items, Accounts: sum.Accounts, Locks: sum.Locks, Known: sum.Known, Unsettled: sum.Unsettled,
		Findings: map[finding.Kind]record.StatusFindings{}, NotChecked: sum.NotChecked,
		ReadUnits: sum.ReadUnits, Seconds: sum.Seconds,
	}
	if now.NotChecked == nil {
		now.NotChecked = []finding.NotChecked{}
	}
	whole := sum.Complete && !slices.ContainsFunc(sum.NotChecked, func(n finding.NotChecked) bool { return n.Required })
	for _, kind := range finding.Kinds() {
		asked, looked := searched(kind)
		if whole = whole && asked; looked { // --only may leave the kind out
			now.Findings[kind] = found[kind]
		}
	}
	switch {
	case whole:
		now.LastComplete = &now.Ended
	case s.former != nil:
		now.LastComplete = s.former.LastComplete
	}
	mode := fs.FileMode(0o600)
	if s.format == "prom" {
		mode = 0o644 // the collector is another user, and the file has no values of the table
	}
	return unwritable("status", s.path, session.UpdateFile(s.path, mode, func(w io.Writer) error {
		return s.format.Write(w, now)
	}))
}

// unwritable returns the error for a file that could not be written.
func unwritable(what, path string, err error) error {
	if err == nil {
		return nil
	}
	do := "name a file in a directory with write permission and free space"
	switch {
	case errors.Is(err, finding.ErrBaselineChanged):
		do = "check again"
	case errors.Is(err, errLocked):
		do = "check again when that program has finished"
	}
	return &client.Error{
		Kind: client.Failed,
		Op:   "writing the " + what + " " + path,
		Why:  phrase.WithoutPath(err),
		Do:   do,
		Err:  err,
	}
}
