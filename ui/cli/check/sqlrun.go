package check

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/check/warehouse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/say"
)

// sqlRun has the flags of --run: where the SQL of a check runs.
type sqlRun struct {
	asked                              bool
	sent                               bool // statements may have been sent
	server, catalog, schema, workgroup string
}

func (r *sqlRun) addFlags(set *pflag.FlagSet) {
	set.BoolVar(&r.asked, "run", false,
		"run the SQL of --sql trino or athena, and continue with its candidates; first show the size and the price of the scan, and ask")
	set.StringVar(&r.server, "server", "", "with --sql trino --run: the Trino server at `URL`, https://USER@HOST:PORT; set the password in TRINO_PASSWORD")
	set.StringVar(&r.catalog, "catalog", "", "with --run: the `CATALOG` for the tables that the SQL makes; in Trino it must use the Hive connector")
	set.StringVar(&r.schema, "schema", "", "with --run: the `SCHEMA`, or database, for the tables that the SQL makes")
	set.StringVar(&r.workgroup, "workgroup", "", "with --sql athena --run: the `WORKGROUP` (default primary)")
}

// given returns the name of a flag on the command line that has no effect without --run. It is empty if there is none.
func (r *sqlRun) given() string {
	for _, one := range []struct{ name, value string }{
		{"server", r.server}, {"catalog", r.catalog}, {"schema", r.schema}, {"workgroup", r.workgroup},
	} {
		if one.value != "" {
			return one.name
		}
	}
	return ""
}

// parse checks the flags for a dialect. output is the output location.
func (r *sqlRun) parse(dialect string, exports []string, output string) error {
	const op = "reading the command line"
	switch {
	case dialect == sql.DuckDB.Name:
		return exit.Usage(op, "--run does not run DuckDB",
			"leave --run out to print the SQL, or use --export without --sql: such a check needs no SQL engine")
	case dialect == "":
		return exit.Usage(op, "--run needs --sql trino or --sql athena", "add --sql trino or --sql athena")
	case len(exports) == 0:
		return exit.Usage(op, "--run needs the places of the exports", "add --export TABLE=PLACE for each table of the layout")
	case dialect == sql.Trino.Name && (r.server == "" || r.catalog == "" || r.schema == ""):
		return exit.Usage(op, "--sql trino --run needs --server, --catalog and --schema",
			"add them, such as --server https://me@trino:8443 --catalog hive --schema scratch")
	case dialect == sql.Trino.Name && r.workgroup != "":
		return exit.Usage(op, "--workgroup is for --sql athena", "leave it out")
	case dialect == sql.Athena.Name && output == "":
		return exit.Usage(op, "--sql athena --run needs --output-location", "add --output-location s3://BUCKET/PREFIX")
	case dialect == sql.Athena.Name && r.server != "":
		return exit.Usage(op, "--server is for --sql trino", "leave it out")
	}
	return nil
}

// engine connects to the engine of the dialect. It sends nothing.
func (r *sqlRun) engine(dialect, output string, conn *dynamo.Connection) (e warehouse.Engine, end func(), err error) {
	if dialect == sql.Trino.Name {
		t, err := warehouse.NewTrino(r.server, r.catalog, r.schema)
		if err != nil {
			return nil, nil, err
		}
		return t, func() { _ = t.Close() }, nil
	}
	a, err := warehouse.NewAthena(conn.Client,
		client.AthenaPlace{Workgroup: r.workgroup, Catalog: r.catalog, Database: r.schema}, output)
	if err != nil {
		return nil, nil, exit.Usage("reading --output-location", err.Error(), "write it as s3://BUCKET/PREFIX")
	}
	return a, func() {}, nil
}

// runSQL runs the first reading of the check as SQL. The result is the file of candidates. forget removes that file.
func (c *checking) runSQL(ctx context.Context, t app.Target, table *dynamo.Table) (forget func(), err error) {
	first, err := c.asSQL(ctx, t, table)
	if err != nil {
		return nil, err
	}
	for _, one := range first.Tables {
		if one.Location == "" {
			return nil, exit.Usage("reading the command line", "--run needs the place of the export of "+one.Name,
				"add --export "+one.Name+"=PLACE")
		}
	}
	if err := c.baseline.since(exportedAt(first)); err != nil {
		return nil, err
	}
	e, end, err := c.sqlRun.engine(c.dialect, c.outputPlace, table.Connection())
	if err != nil {
		return nil, err
	}
	defer end()
	run, err := warehouse.New(e, first, time.Now())
	if err != nil {
		return nil, c.split(err)
	}
	price := float64(setting.DefaultAthenaPrice)
	if set := c.settings.Over(t.Check).AthenaPrice; set != nil {
		price = set.Amount
	}
	c.Note("%s", say.BeforeSQL(run.Estimate(first), e.Place(), e.Least() > 0, price))
	if print.IsTerminal(c.Err) {
		if err := c.confirm(ctx, table, "Run the SQL", "nothing was run"); err != nil {
			return nil, err
		}
	}
	c.sqlRun.sent = true
	if err := c.clearLeftovers(ctx, run, e.Place()); err != nil {
		return nil, err
	}
	return c.takeCandidates(ctx, run, e.Place(), table)
}

// exportedAt returns the time of the oldest export. It is zero if the time of an export is unknown.
func exportedAt(first *sql.Check) (oldest time.Time) {
	for n, one := range first.Tables {
		if one.Manifest == nil {
			return time.Time{}
		}
		if n == 0 || one.Manifest.At.Before(oldest) {
			oldest = one.Manifest.At
		}
	}
	return oldest
}

// clearLeftovers removes old leftovers of the same check, and names all others.
func (c *checking) clearLeftovers(ctx context.Context, run *warehouse.Run, place string) error {
	all, err := run.Leftovers(ctx)
	if err != nil {
		return err
	}
	for _, left := range all {
		if !left.Old {
			c.Note("Another run may still need this, so tallylock keeps it: %s.", left)
			continue
		}
		if rest := run.Clear(ctx, left); rest != nil {
			c.Note("%s", say.LeftOfSQL(*rest, place, nil))
			continue
		}
		c.Note("Removed the leftovers of an earlier run of this check: %s.", left)
	}
	return nil
}

// takeCandidates runs the statements. The result goes into a file, because the check reads it several times. forget
// removes that file.
func (c *checking) takeCandidates(
	ctx context.Context, run *warehouse.Run, place string, table *dynamo.Table,
) (forget func(), err error) {
	file, end, err := twice.CreateTemp(twice.TempDir(c.temp), "tallylock-*.candidates")
	if err != nil {
		return nil, unstored(err)
	}
	forget = func() { _ = end() }
	result := &resultFile{to: file}
	bar := app.NewProgress(c.Run)
	left, err := run.Do(ctx, result, func(now warehouse.State) { bar.ShowStage(now.Name, say.SQLProgress(now)) })
	bar.Clear()
	if left != nil {
		c.Note("%s", say.LeftOfSQL(*left, place, err))
	}
	if result.err != nil {
		err = unstored(result.err)
	}
	if err == nil {
		c.o.Candidates, err = candidates.Of(file)
	}
	if err == nil {
		err = c.o.Candidates.Fit(table)
	}
	if err != nil {
		forget()
		return nil, ofRun(err)
	}
	return forget, nil
}

// ofRun changes the advice in an error about the candidates. Nobody has to print the SQL again, because tallylock ran
// it.
func ofRun(err error) error {
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Remedy.Code != remedy.PrintSQLAgain {
		return err
	}
	said := *e
	said.Remedy = remedy.Remedy{}
	said.Do = "check the place of the export, put all of its files there, and run the check again"
	return &said
}

// resultFile writes the result into a file. err is the first error of a write, which is not the engine's fault.
type resultFile struct {
	to  *os.File
	err error
}

// Write implements io.Writer.
func (f *resultFile) Write(data []byte) (int, error) {
	n, err := f.to.Write(data)
	f.err = cmp.Or(f.err, err)
	return n, err
}

func unstored(err error) error {
	return &client.Error{
		Kind: client.Failed, Op: "writing the result of the SQL", Why: phrase.WithoutPath(err),
		Do: "name a folder with more room with --temp", Err: err,
	}
}
