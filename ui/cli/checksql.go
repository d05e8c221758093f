package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/sql"
)

// bySQL is what `check` has to do with SQL: to print it, or to take what it found.
type bySQL struct {
	dialect    string
	candidates string
	given      *pflag.FlagSet
}

// ofReading are the flags that say how a check reads and judges, and what it writes: SQL
// that is only printed heeds none of them.
var ofReading = []string{
	"confirm", "look", "only", "baseline", "max", "report", "mask", "segments", "max-read-units", "memory",
	"keys", "output",
}

// define adds the flags to the command.
func (b *bySQL) define(cmd *cobra.Command) *cobra.Command {
	set := cmd.Flags()
	b.given = set
	set.StringVar(
		&b.dialect,
		"sql",
		"",
		"print SQL of `DIALECT` athena or duckdb, which finds candidates in an export where it lies; --export says where, for each table as TABLE=PLACE",
	)
	set.StringVar(
		&b.candidates,
		"candidates",
		"",
		"confirm the candidates in `FILE`, the answer of that SQL, instead of reading the table first",
	)
	completes(cmd, "sql", oneOf(sql.Dialects()...))
	return cmd
}

// parseSQLFlags reads what the flags about SQL say.
func (c *checking) parseSQLFlags() error {
	switch {
	case c.dialect != "" && sql.ByName(c.dialect) == nil:
		return usage("reading the command line", fmt.Sprintf("--sql: there is no dialect %q", c.dialect),
			"use one of: "+strings.Join(sql.Dialects(), ", "))
	case c.dialect != "" && c.candidates != "":
		return usage("reading the command line", "--sql prints the query for candidates, --candidates reads its result",
			"use one of them")
	case c.candidates != "" && len(c.export) > 0:
		return usage("reading the command line", "candidates come from an export already",
			"use --candidates without --export")
	case c.dialect != "":
		return c.unheeded()
	case c.candidates == "":
		return nil
	}
	var err error
	c.o.Candidates, err = check.OpenCandidates(c.candidates)
	return err
}

// unheeded refuses flags that printing SQL would pass over: who sets a gate has to be told
// that there is none.
func (b *bySQL) unheeded() (err error) {
	b.given.Visit(func(flag *pflag.Flag) {
		if err == nil && slices.Contains(ofReading, flag.Name) {
			err = usage("reading the command line", "--sql only prints SQL: --"+flag.Name+" would have no effect",
				"use --"+flag.Name+" with the check of its --candidates")
		}
	})
	return err
}

// printSQL prints the first reading of a check as SQL.
func (c *checking) printSQL(ctx context.Context, t target) error {
	table, err := c.openTable(ctx, t)
	if err != nil {
		return err
	}
	if !check.Checkable(table) {
		return table.NoLayout("writing the check of " + table.Name + " as SQL")
	}
	if err := check.Refuses(table, c.o); err != nil {
		return err
	}
	first, err := check.SQL(ctx, table)
	if err != nil {
		return err
	}
	if err := c.locate(ctx, t, table, first); err != nil {
		return err
	}
	for _, note := range first.Notes() {
		c.note("%s", note)
	}
	if !table.Layout.Configured {
		c.note(
			"The layout %s was recognised, and candidates of another layout are refused: write it into the config, so that it stays the same.",
			table.Layout.Name,
		)
	}
	var text bytes.Buffer
	if err := sql.Write(&text, sql.ByName(c.dialect), first); err != nil {
		return err
	}
	if terminal(c.Out) {
		lines := strings.Split(text.String(), "\n")
		for n := range lines {
			lines[n] = harmless(lines[n])
		}
		text.Reset()
		text.WriteString(strings.Join(lines, "\n"))
	}
	_, err = io.Copy(c.Out, &text)
	return err
}
