package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/say"
)

// locate sets the places of the exports, and reads their manifests, which name the table and count its items. Only an
// SQL engine reads the items.
func (c *checking) locate(ctx context.Context, t app.Target, table *dynamo.Table, first *sql.Check) error {
	for _, one := range c.export {
		of, at, err := exportOf(first, one)
		if err != nil {
			return err
		}
		switch {
		case c.dialect == sql.Athena.Name && !strings.HasPrefix(at, "s3://"):
			return exit.Usage("reading --export", "Athena reads only from S3, but "+at+" is a path of this machine",
				"name the export's folder as s3://BUCKET/PREFIX/AWSDynamoDB/ID, or use --sql duckdb")
		case c.dialect == sql.Trino.Name && !strings.Contains(at, "://"):
			return exit.Usage("reading --export", "Trino does not see "+at+", which is a path of this machine",
				"name the export's folder as Trino sees it, such as s3://BUCKET/PREFIX/AWSDynamoDB/ID or local:///FOLDER, or use --sql duckdb")
		}
		if err := c.manifest(ctx, t, table, of, at); err != nil {
			return err
		}
	}
	return nil
}

// exportOf splits a --export into the table and the place. A path may contain = itself, such as
// dt=2026-01-01/0123-abc.
func exportOf(first *sql.Check, said string) (of *sql.Table, at string, err error) {
	name, at := first.Tables[0].Name, said
	called := func(name string) func(sql.Table) bool {
		return func(t sql.Table) bool { return client.BareName(t.Name) == client.BareName(name) }
	}
	if before, rest, named := strings.Cut(said, "="); named && !strings.Contains(client.BareName(before), "/") {
		known := slices.ContainsFunc(first.Tables, called(before))
		if known || !there(said) {
			name, at = before, rest
		}
	}
	n := slices.IndexFunc(first.Tables, called(name))
	switch {
	case n < 0:
		return nil, "", exit.Usage("reading --export",
			fmt.Sprintf("the check reads no table %q, and there is no folder %s here", name, said),
			"name a table of the layout, as TABLE=PLACE, or a folder")
	case first.Tables[n].Location != "":
		return nil, "", exit.Usage("reading --export", "there are two places for the export of "+name,
			"name one place for each table, as TABLE=PLACE")
	}
	return &first.Tables[n], at, nil
}

// manifest sets the place of a table's export, and reads the export's manifest. at may also be the folder of the data
// files.
func (c *checking) manifest(ctx context.Context, t app.Target, table *dynamo.Table, of *sql.Table, at string) error {
	of.Location = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(at, "/"), "/manifest-summary.json"), "/data")
	var e *scan.Export
	err, why := error(nil), ""
	remote := strings.HasPrefix(of.Location, "s3://")
	if remote || there(of.Location+"/manifest-summary.json") {
		e, err = c.openExport(ctx, t, of.Location)
	}
	switch {
	case err != nil && !unread(err):
		return err
	case e == nil:
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			why = " (" + say.Error(err) + ")"
		}
		c.Note(
			"tallylock cannot read the manifests of the export of %s%s. So it cannot check that the export is complete and belongs to the table.",
			of.Name, why,
		)
		return nil
	}
	if of.Manifest, err = check.ManifestOf(e, table, of.Name); err != nil {
		return err
	}
	c.Note("The export of %s shows the items as of %s: newer values are not checked.", of.Name,
		phrase.UTC(of.Manifest.At))
	return nil
}

// unread reports whether an error only means that tallylock cannot read the manifests. The SQL engine may have more
// permissions.
func unread(err error) bool {
	switch client.KindOf(err) {
	case client.Denied, client.Unreachable, client.NoCredentials, client.Expired, client.NoRegion, client.Throttled:
		return true
	}
	return errors.Is(err, fs.ErrNotExist)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// addSQLFlags adds the flags about SQL.
func (c *checking) addSQLFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	c.given = set
	set.StringVar(
		&c.dialect,
		"sql",
		"",
		"only print SQL that finds candidates in an export: `DIALECT` athena, trino or duckdb; give --export TABLE=PLACE for each table",
	)
	set.StringVar(
		&c.candidates,
		"candidates",
		"",
		"confirm the candidates in `FILE`, the result of the SQL from --sql; do not read the whole table first",
	)
	set.StringVar(
		&c.sqlFiles,
		"sql-files",
		"",
		"with --sql: write the statements as numbered files into a new or empty `FOLDER`, instead of printing one script",
	)
	set.StringVar(
		&c.outputPlace,
		"output-location",
		"",
		"with --sql athena: the `FOLDER` in S3 for the tables that the SQL makes, and for a large result; a --run deletes its own objects there at the end",
	)
	app.Completes(cmd, "sql", app.OneOf(sql.Dialects()...))
	c.sqlRun.addFlags(set)
}

// parseSQLFlags checks the flags about SQL and opens the candidates.
func (c *checking) parseSQLFlags() error {
	switch {
	case c.dialect != "" && sql.ByName(c.dialect) == nil:
		return exit.Usage("reading the command line", fmt.Sprintf("--sql: there is no dialect %q", c.dialect),
			"use one of: "+strings.Join(sql.Dialects(), ", "))
	case c.sqlFiles != "" && c.dialect == "":
		return exit.Usage("reading the command line", "--sql-files is for SQL", "use it with --sql")
	case c.outputPlace != "" && c.dialect != sql.Athena.Name:
		return exit.Usage("reading the command line", "--output-location is for Athena", "use it with --sql athena")
	case c.outputPlace != "" && !strings.HasPrefix(c.outputPlace, "s3://"):
		return exit.Usage("reading the command line", "--output-location "+c.outputPlace+" is not a folder in S3",
			"name it as s3://BUCKET/PREFIX")
	case c.dialect != "" && c.candidates != "":
		return exit.Usage("reading the command line", "--sql prints the SQL, but --candidates reads the result of the SQL",
			"use only one of the two flags")
	case c.candidates != "" && len(c.export) > 0:
		return exit.Usage("reading the command line", "the candidates of --candidates already come from an export",
			"use --candidates without --export")
	case c.sqlRun.asked && c.sqlFiles != "":
		return exit.Usage("reading the command line", "--run sends the statements, but --sql-files writes them into files",
			"use only one of the two flags")
	case c.sqlRun.asked && c.increments.out != "" && !c.increments.asked():
		return exit.Usage("reading the command line", "--state-out needs all items of an export, and --run fetches only candidates",
			"use --state-out with --export, without --run")
	case c.sqlRun.asked:
		return c.sqlRun.parse(c.dialect, c.export, c.outputPlace)
	case c.sqlRun.given() != "":
		return exit.Usage("reading the command line", "--"+c.sqlRun.given()+" has no effect without --run",
			"add --run to run the SQL, or leave --"+c.sqlRun.given()+" out")
	case c.dialect != "":
		return c.unheeded()
	case c.candidates == "":
		return nil
	}
	var err error
	c.o.Candidates, err = candidates.Open(c.candidates)
	return err
}

// ofReading lists the flags that have no effect with --sql, because --sql only prints SQL.
var ofReading = []string{
	"confirm", "look", "only", "baseline", "update-baseline", "accept-new", "max", "report", "mask", "status", "segments",
	"max-read-units", "memory", "keys", "output", "state", "state-out", "increment",
}

// unheeded refuses flags that have no effect with --sql. Otherwise a person could believe that --max limits the
// findings.
func (c *checking) unheeded() (err error) {
	c.given.Visit(func(flag *pflag.Flag) {
		if err == nil && slices.Contains(ofReading, flag.Name) {
			err = exit.Usage("reading the command line", "--sql only prints SQL: --"+flag.Name+" would have no effect",
				"use --"+flag.Name+" later, when you check the result with --candidates")
		}
	})
	return err
}

// asSQL returns the check whose first pass package sql writes, with the places of the exports. It also prints a note
// for each constraint and counter that SQL cannot judge.
func (c *checking) asSQL(ctx context.Context, t app.Target, table *dynamo.Table) (*sql.Check, error) {
	if !check.Checkable(table) {
		return nil, table.NoLayout("writing the check of " + table.Name + " as SQL")
	}
	if err := check.Misfits(table, c.o); err != nil {
		return nil, err
	}
	first, err := check.SQL(ctx, table)
	if err != nil {
		return nil, err
	}
	if err := c.locate(ctx, t, table, first); err != nil {
		return nil, err
	}
	for _, note := range first.Notes() {
		c.Note("%s", note)
	}
	return first, nil
}

// printSQL prints the first reading of a check as SQL.
func (c *checking) printSQL(ctx context.Context, t app.Target) error {
	table, err := c.openTable(ctx, t)
	if err != nil {
		return err
	}
	first, err := c.asSQL(ctx, t, table)
	if err != nil {
		return err
	}
	first.Next = func(file string) string { return say.Do(remedy.Of(remedy.CheckCandidates, file)) }
	if !table.Layout.Configured {
		c.Note(
			"The layout %s is not in the config. Write the layout into the config, so that it does not change: tallylock refuses candidates of another layout.",
			table.Layout.Name,
		)
	}
	return c.writeSQL(first)
}

// writeSQL prints the SQL, or writes it into files.
func (c *checking) writeSQL(first *sql.Check) error {
	d := sql.ByName(c.dialect)
	first.Into = c.outputPlace
	if c.sqlFiles != "" {
		err := sql.WriteFiles(c.sqlFiles, d, first)
		if _, large := errors.AsType[*sql.TooLargeError](err); err != nil && !large {
			return exit.Usage("writing the statements into "+c.sqlFiles, err.Error(), "name a new or an empty folder")
		}
		return c.split(err)
	}
	var text bytes.Buffer
	if err := sql.Write(&text, d, first); err != nil {
		return c.split(err)
	}
	if print.IsTerminal(c.Out) {
		c.Printer().Lines("", text.String())
		return nil
	}
	_, err := io.Copy(c.Out, &text)
	return err
}

// split adds advice to the error for SQL that is above the limits of the engine: how to split the check.
func (c *checking) split(err error) error {
	e, large := errors.AsType[*sql.TooLargeError](err)
	if !large {
		return err
	}
	for n, part := range e.Parts {
		c.Note("Part %d of %d: %s", n+1, len(e.Parts), strings.Join(part, ", "))
	}
	do := "use --sql duckdb, or check the export with --export"
	if len(e.Parts) > 0 {
		do = "write one config file for each part, with the part as its layout; use --sql and --candidates with each --config; or use --sql duckdb"
	}
	return exit.Usage("writing the check as SQL for "+e.Dialect, e.Why, do)
}
