package cli

import (
	"context"
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// accountTable opens the table that a question about accounts is asked of: the
// one that is named, or the only one that has accounts.
func accountTable(ctx context.Context, s *invocation, t target, conn *dynamo.Connection) (*dynamo.Table, error) {
	if t.table != "" {
		defer s.showWait(conn.Where(), "opening "+t.table)()
		table, err := conn.Open(ctx, t.table)
		if err != nil {
			return nil, err
		}
		s.noteAnswers(conn)
		return grown(ctx, table)
	}
	tables, failed, err := openAll(ctx, s, conn)
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
			s.note("not looked at: %s", err)
		}
		return having[0], nil
	case len(having) > 1:
		return nil, usage(op, "several tables have accounts", "name one: "+tableFlags(having))
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

// grown is a table as a larger sample shows it, where its own was not enough: no one waits for
// its first rows here.
func grown(ctx context.Context, t *dynamo.Table) (*dynamo.Table, error) {
	more, err := dynamo.Grown(ctx, t)
	if more == nil || err != nil {
		return t, err
	}
	return more, nil
}

// counterTables opens the tables that counters are looked for in: the one of
// --table, or all.
func counterTables(ctx context.Context, s *invocation, conn *dynamo.Connection) ([]*dynamo.Table, []error, error) {
	if s.flags.table != "" {
		defer s.showWait(conn.Where(), "opening "+s.flags.table)()
		table, err := conn.Open(ctx, s.flags.table)
		if err != nil {
			return nil, nil, err
		}
		if table.Layout.Empty() {
			if table, err = grown(ctx, table); err != nil {
				return nil, nil, err
			}
		}
		if table.Layout.Empty() {
			return nil, nil, table.NoLayout("reading the counters of " + table.Name)
		}
		return []*dynamo.Table{table}, nil, nil
	}
	return openAll(ctx, s, conn)
}

// openAll opens every table, and says why some could not be.
func openAll(
	ctx context.Context, s *invocation, conn *dynamo.Connection,
) (tables []*dynamo.Table, failed []error, err error) {
	defer s.showWait(conn.Where(), "opening its tables")()
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
		return nil, nil, failed[0] // the others would only repeat it
	}
	return tables, failed, nil
}

// noteAnswers says once that stored answers are ignored.
func (s *invocation) noteAnswers(conn *dynamo.Connection) {
	if text := conn.AnswersUnreadable(); text != "" {
		s.note("%s", text)
	}
}

func tableFlags(tables []*dynamo.Table) string {
	var flags []string
	for _, t := range tables {
		flags = append(flags, "--table "+phrase.ShellWord(t.Name))
	}
	return strings.Join(flags, " or ")
}
