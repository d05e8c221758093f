package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
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
			Why:  "a table is too large for tallylock to search for counters",
			Do:   "describe the keys of its counters under [[layout]] in the config",
		})
	}
	return counters, append(failed, errs...), nil
}

// OpenAccounts connects, and opens the table as AccountTable does. It may ask which table to open.
func (s *Run) OpenAccounts(ctx context.Context) (*dynamo.Table, error) {
	t, err := s.ResolveTarget(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := s.Connect(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.AccountTable(ctx, t, conn, true)
}

// AccountTable opens the table for a command about accounts: the named table, or else the only table
// with accounts. If several tables have accounts and ask is set, a person chooses the table on the
// terminal.
func (s *Run) AccountTable(ctx context.Context, t Target, conn *dynamo.Connection, ask bool) (*dynamo.Table, error) {
	if t.Table != "" {
		defer s.ShowWait(conn, "opening "+t.Table)()
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
	switch {
	case len(having) == 1:
		for _, err := range failed {
			s.Note("A table was not read: %s", say.Error(err))
		}
		return having[0], nil
	case len(having) > 1:
		return s.chooseTable(ctx, having, ask)
	case len(failed) > 0:
		return nil, failed[0]
	}
	return nil, &client.Error{
		Kind: client.NoLayout,
		Op:   choosingTable,
		Why:  fmt.Sprintf("tallylock recognises no accounts in the tables of %s", conn.Where()),
		Do:   "name a table with --table and its layout with --layout, or describe the table under [[layout]] in the config",
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
		defer s.ShowWait(conn, "opening "+s.Flags.Table)()
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
	defer s.ShowWait(conn, "opening its tables")()
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
		return nil, nil, failed[0] // the other errors are the same
	}
	return tables, failed, nil
}

// noteAnswers prints a note if the stored answers are unreadable, and therefore ignored.
func (s *Run) noteAnswers(conn *dynamo.Connection) {
	if text := conn.Answers.Ignored(); text != "" {
		s.Note("%s", text)
	}
}

// choosingTable is the action of chooseTable, for errors.
const choosingTable = "choosing the table"

// chooseTable asks for the table on the terminal. Without a terminal, or if ask is false, its error has
// a command for each table.
func (s *Run) chooseTable(ctx context.Context, tables []*dynamo.Table, ask bool) (*dynamo.Table, error) {
	if ask {
		if p, ok := s.OpenPrompt(); ok {
			defer p.Close()
			return p.chooseTable(ctx, tables)
		}
	}
	var commands []string
	for _, t := range tables {
		commands = append(commands, s.commandFor(t.Name))
	}
	return nil, exit.Usage(choosingTable, "several tables have accounts", "run one of: "+strings.Join(commands, " or "))
}

// commandFor returns the command line with another table. If the command line cannot be shown
// exactly, it returns only the flag.
func (s *Run) commandFor(table string) string {
	flag := []string{"--table", table}
	end := slices.Index(s.Args, "--")
	if end < 0 {
		end = len(s.Args)
	}
	line := say.CommandLine(slices.Insert(slices.Clone(s.Args), end, flag...))
	if s.Flags.printer(s.Err).Shown(line) != line {
		return "--table " + phrase.ShellWord(table)
	}
	return line
}

// chooseTable asks for the number or the name of a table. An empty answer chooses none.
func (p *Prompt) chooseTable(ctx context.Context, tables []*dynamo.Table) (*dynamo.Table, error) {
	p.Out.Line(kit.Text, "Several tables have accounts.")
	var rows [][]kit.Span
	for n, t := range tables {
		rows = append(rows, []kit.Span{
			kit.Strong.Of(strconv.Itoa(n + 1)), kit.Text.Of(t.Name), kit.Muted.Of("about " + phrase.Count(t.Items, "item")),
		})
	}
	p.Out.Table(2, []print.Column{{Right: true}, {Least: print.LeastRoom}, {}}, rows)
	for {
		answer, err := p.Ask(ctx, "Type the number or the name of a table, then press enter:")
		if err != nil {
			return nil, err
		}
		if answer = strings.TrimSpace(answer); answer == "" {
			return nil, &client.Error{Kind: client.Cancelled, Op: choosingTable, Why: "no table was chosen"}
		}
		for n, t := range tables {
			if answer == t.Name || answer == strconv.Itoa(n+1) {
				return t, nil
			}
		}
	}
}
