package app

import (
	"context"
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/say"
)

// ReadCounters reads the counters of a connection. It also returns the errors of counters that it
// could not read.
func (s *Run) ReadCounters(ctx context.Context, conn *dynamo.Connection) ([]counter.Counter, []error, error) {
	tables, failed, err := s.counterTables(ctx, conn)
	if err != nil {
		return nil, nil, err
	}
	counters, complete, errs := counter.ReadAll(ctx, tables)
	if !complete && len(errs) == 0 {
		errs = append(errs, &client.Error{
			Kind: client.Failed,
			Op:   "reading the counters",
			Why:  "a table has more items than tallylock searches for counters",
			Do:   "describe the counters' keys under [[layout]] in the config",
		})
	}
	return counters, append(failed, errs...), nil
}

// OpenAccounts connects, and opens the table as AccountTable does.
func (s *Run) OpenAccounts(ctx context.Context) (*dynamo.Table, error) {
	t, err := s.ResolveTarget(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := s.Connect(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.AccountTable(ctx, t, conn)
}

// AccountTable opens the table for a command about accounts: the one that is named, or else the
// only table with accounts.
func (s *Run) AccountTable(ctx context.Context, t Target, conn *dynamo.Connection) (*dynamo.Table, error) {
	if t.Table != "" {
		defer s.ShowWait(conn.Where(), "opening "+t.Table)()
		table, err := conn.Open(ctx, t.Table)
		if err != nil {
			return nil, err
		}
		s.noteAnswers(conn)
		return Grown(ctx, table)
	}
	tables, failed, err := s.openAll(ctx, conn)
	if err != nil {
		return nil, err
	}
	var having []*dynamo.Table
	for _, table := range tables {
		if len(table.Layout.Accounts) > 0 {
			having = append(having, table)
		}
	}
	const op = "choosing the table"
	switch {
	case len(having) == 1:
		for _, err := range failed {
			s.Note("not looked at: %s", say.Error(err))
		}
		return having[0], nil
	case len(having) > 1:
		return nil, exit.Usage(op, "several tables have accounts", "name one: "+tableFlags(having))
	case len(failed) > 0:
		return nil, failed[0]
	}
	return nil, &client.Error{
		Kind: client.NoLayout,
		Op:   op,
		Why:  fmt.Sprintf("no table of %s has accounts that tallylock recognises", conn.Where()),
		Do:   "name one with --table and its layout with --layout, or describe it under [[layout]] in the config",
	}
}

// Grown returns the table with a larger sample if its sample was too small. Commands can wait for
// it, since no screen waits for the first rows.
func Grown(ctx context.Context, t *dynamo.Table) (*dynamo.Table, error) {
	more, err := dynamo.Grown(ctx, t)
	if more == nil || err != nil {
		return t, err
	}
	return more, nil
}

// counterTables opens the tables to search for counters: the table of --table, or all.
func (s *Run) counterTables(ctx context.Context, conn *dynamo.Connection) ([]*dynamo.Table, []error, error) {
	if s.Flags.Table != "" {
		defer s.ShowWait(conn.Where(), "opening "+s.Flags.Table)()
		table, err := conn.Open(ctx, s.Flags.Table)
		if err != nil {
			return nil, nil, err
		}
		if table.Layout.Empty() {
			if table, err = Grown(ctx, table); err != nil {
				return nil, nil, err
			}
		}
		if table.Layout.Empty() {
			return nil, nil, table.NoLayout("reading the counters of " + table.Name)
		}
		return []*dynamo.Table{table}, nil, nil
	}
	return s.openAll(ctx, conn)
}

// openAll opens all tables. failed has the errors of tables that could not be opened or recognised.
func (s *Run) openAll(
	ctx context.Context, conn *dynamo.Connection,
) (tables []*dynamo.Table, failed []error, err error) {
	defer s.ShowWait(conn.Where(), "opening its tables")()
	opened, err := conn.OpenAll(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	s.noteAnswers(conn)
	for _, o := range opened {
		if o.Err != nil {
			failed = append(failed, o.Err)
			continue
		}
		tables = append(tables, o.Table)
		if err := dynamo.Unrecognised(o.Table, "looking at "+o.Table.Name); err != nil {
			failed = append(failed, err)
		}
	}
	if ctx.Err() != nil && len(failed) > 0 {
		return nil, nil, failed[0] // the other errors would say the same
	}
	return tables, failed, nil
}

// noteAnswers prints a note if stored answers are unreadable and so ignored.
func (s *Run) noteAnswers(conn *dynamo.Connection) {
	if text := conn.Answers.Ignored(); text != "" {
		s.Note("%s", text)
	}
}

func tableFlags(tables []*dynamo.Table) string {
	var flags []string
	for _, t := range tables {
		flags = append(flags, "--table "+phrase.ShellWord(t.Name))
	}
	return strings.Join(flags, " or ")
}
