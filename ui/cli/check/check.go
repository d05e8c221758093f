// Package check has the command check: it runs a check of a whole table or of an export, judges the
// findings, and prints them.
package check

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/say"
)

// checking is one run of `check`.
type checking struct {
	*app.Run
	settings setting.Config // the settings from flags
	only     []string
	baseline baseline
	status   status
	temp     string
	export   []string
	conn     *dynamo.Connection // the connection for exports in S3 and for the table; nil until it is needed
	keys     []string
	most     allowance // the findings that --max allows
	report   reporting
	o        setting.Options

	dialect     string         // the SQL dialect in which to print the first reading
	sqlFiles    string         // the folder for the files with the SQL statements
	outputPlace string         // the folder in S3 for the tables that the SQL makes
	candidates  string         // the file with the result of the SQL
	sqlRun      sqlRun         // the flags of --run, which runs the SQL instead of printing it
	increments  increments     // the flags for a state and for later changes
	given       *pflag.FlagSet // all flags of the command

	// stop ends the check. It is called if nobody can read the results any more, or if a person declines to continue.
	stop    context.CancelFunc
	counts  counts
	listing listing // the findings for text, which is written at the end
	list    app.List

	gate     client.Gate // shut during a question, so that the check waits
	unasked  float64     // ask a person after this many read units; 0 means never
	declined error       // the error if the person's answer was no
	noted    int         // how many notes of State.Early were printed
	silent   time.Time   // when the last note about an outage was printed
}

// Command checks a whole table.
func Command(s *app.Run) *cobra.Command {
	c := &checking{Run: s, most: allowance{}, counts: counts{}, list: app.List{Run: s, Name: "findings"}}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the whole table: all locks and counters",
		Long: `Check the whole table. check compares each lock with all accounts, and each
counter with the ids in use. It reads the table once. If something looks wrong,
it reads the accounts again to confirm the finding, as --confirm says. check
first shows the price. If the price is high or unknown, it asks on a terminal.

Without --table, check takes the only table with accounts. If several tables
have accounts, you choose one. Without a terminal, check prints a command for
each table.

--state-out writes the state of a check of a full export. With --state and
--increment, check applies later changes to such a state, and does not read the
table.

--baseline leaves out the known findings in a file. --update-baseline removes
findings from this file if they are gone. --max allows some findings. --report
writes a report for people, and --status writes a file for monitoring. --export
reads an export of the table, not the table itself. --sql prints SQL that finds
candidates in an export, and --candidates confirms these candidates.

If the layout is only guessed, the check reads the table once, and confirms no
finding. The summary lists everything that was checked, and everything that was
not checked.

Exit status: 0 the check covered everything in the layout, or in --only, with no
more findings than --max allows; 1 there are more findings; 3 the check is
incomplete, or the layout is only guessed and --max allows all findings.

docs/check.md describes costs, exports, gates, reports and a nightly check.`,
		Example: `  tallylock check --table accounts
  tallylock check --output jsonl > findings.jsonl
  tallylock check --baseline findings.jsonl     # only new findings
  tallylock check --table accounts --export s3://backups/AWSDynamoDB/0176-1a2b
  tallylock check --table accounts --export ./export --confirm none --keys PK,SK
  tallylock check --export ./full --state-out day1.state
  tallylock check --state day1.state --increment ./day2 --state-out day2.state`,
		Args: app.TakesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	addCheckFlags(c, cmd)
	c.increments.addFlags(cmd)
	c.addSQLFlags(cmd)
	return cmd
}

func addCheckFlags(c *checking, cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.Func("confirm", "how to confirm findings: `HOW` is full, reads or none (default full)",
		app.Parsed(&c.settings.Confirm))
	set.Func("look", "how to read accounts again: `HOW` is strong (default), or eventual, which costs half and needs a --settle longer than the lag of a replica",
		app.Parsed(&c.settings.Look))
	set.StringSliceVar(&c.only, "only", nil, "look for these `FINDINGS` only, such as orphaned-lock,counter-behind")
	c.judged(cmd)
	set.Func("segments", "read the table in `N` parts; 0 chooses by the table's size", app.Parsed(&c.settings.Segments))
	set.Func("max-read-units", "use at most `N` read units a second; 0 means half of the table's capacity",
		app.Parsed(&c.settings.MaxReadUnits))
	set.Func("memory", "use about `SIZE` of memory at most; SIZE is 128MB or more (default 256MB: enough for almost 200,000 values that look broken, and for 15,000 accounts with the same value)",
		app.Parsed(&c.settings.Memory))
	set.StringVar(
		&c.temp,
		"temp",
		"",
		"write temporary files to `DIR` if memory is too small for all unique values and ids (default $TMPDIR, or /var/tmp)",
	)
	set.StringArrayVar(
		&c.export,
		"export",
		nil,
		"read the export at `PLACE` instead of the table: s3://BUCKET/PREFIX/AWSDynamoDB/ID, or a directory with a downloaded export; give one --export for each table of the layout",
	)
	set.StringSliceVar(
		&c.keys,
		"keys",
		nil,
		"with --export and --confirm none: the `NAMES` of the table's keys, such as PK,SK, or of the keys of several tables, such as users=id,emails=email; then check needs no endpoint",
	)
	app.Completes(cmd, "only", app.OneOf(finding.Kinds()...))
	app.Completes(cmd, "confirm", app.OneOf(setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone))
	app.Completes(cmd, "look", app.OneOf(setting.Strong, setting.Eventual))
}

func (c *checking) run(ctx context.Context) error {
	t, err := c.ResolveTarget(ctx)
	if err != nil {
		return err
	}
	c.o = c.settings.Over(t.Check).Options()
	c.o.Temp = c.temp
	if err := c.parseSQLFlags(); err != nil {
		return err
	}
	if c.dialect != "" && !c.sqlRun.asked {
		return c.printSQL(ctx, t)
	}
	if err := c.parseFlags(ctx); err != nil {
		return err
	}
	if !c.sqlRun.asked {
		if err := c.openExports(ctx, t); err != nil {
			return err
		}
	}
	table, err := c.open(ctx, t)
	if err != nil {
		return err
	}
	if !check.Checkable(table) {
		return table.NoLayout("checking " + table.Name)
	}
	if err := cmp.Or(c.status.of(table.Name, table.ID), c.baseline.of(table)); err != nil {
		return err
	}
	if c.sqlRun.asked {
		forget, err := c.runSQL(ctx, t, table)
		if err != nil {
			return c.concludeSQL(table, err)
		}
		defer forget()
	}
	return c.checkTable(ctx, table)
}

// checkTable checks the table, and writes the results.
func (c *checking) checkTable(ctx context.Context, table *dynamo.Table) error {
	if err := c.baseline.since(c.asOf(table)); err != nil {
		return err
	}
	o := c.o
	o.Fill()
	defer setting.LimitGarbage(o.Memory)() // the limit stays while the files are written
	c.baseline.added.folder = c.temp
	defer c.baseline.added.close()
	// The text output without files needs no summary, so the command can return the refusal at
	// once.
	refused := c.refuses(table)
	if refused != nil && c.Flags.Output == app.Text && !c.files() {
		return refused
	}
	if refused == nil {
		if err := c.announce(ctx, table); err != nil {
			return err
		}
	}
	ctx, c.stop = context.WithCancel(ctx)
	defer c.stop()
	c.o.Gate, c.o.Say = &c.gate, say.Do
	bar := app.NewProgress(c.Run)
	c.list.Bar = bar
	summary, err := c.check(ctx, table, c.onFinding,
		func(now progress.State) { c.onState(ctx, bar, table, now) })
	bar.Clear()
	if c.sqlRun.asked {
		err = ofRun(err)
	}
	if c.Results.Unwritten() != nil {
		return c.conclude(table, summary, nil)
	}
	if err != nil && c.Flags.Output == app.Text && summary.Items == 0 && len(c.counts) == 0 && c.declined == nil &&
		client.KindOf(err) == client.Denied {
		return c.conclude(table, summary, err) // nothing was read, so only the reason is printed
	}
	return c.conclude(table, summary, c.finish(table, summary, err))
}

// finish writes the output that comes at the end of the check, and returns the error of the
// command.
func (c *checking) finish(table *dynamo.Table, summary finding.Summary, err error) error {
	if !c.list.End(End{summary}) {
		writeCheck(c.Printer(), table, &c.listing, c.counts, summary)
	}
	switch {
	case c.declined != nil:
		return c.declined
	case client.KindOf(err) == client.Cancelled && c.Flags.Output == app.Text && print.IsTerminal(c.Out):
		return exit.Of(err) // the output has already said that the check was stopped
	case err != nil:
		return err
	case !summary.Complete:
		return &client.Error{Kind: client.Failed, Op: "checking " + table.Name, Why: summary.Why}
	}
	return c.maxError(summary)
}

// parseFlags reads the files and names in the flags.
func (c *checking) parseFlags(ctx context.Context) error {
	if err := cmp.Or(c.report.begin(), c.status.begin()); err != nil {
		return err
	}
	if err := c.baseline.begin(ctx, c.Run); err != nil {
		return err
	}
	if err := cmp.Or(c.increments.begin(c.given, &c.o), c.increments.read(c.o.Memory)); err != nil {
		return err
	}
	c.o.Known = c.baseline.known
	for _, name := range c.only {
		kind, err := kindNamed(name)
		if err != nil {
			return exit.Usage("reading --only", err.Error(), "run: tallylock check --help")
		}
		c.o.Only = append(c.o.Only, kind)
	}
	if kind, beside := c.most.beside(c.o.Only); beside {
		return exit.Usage("reading the command line", fmt.Sprintf("--max limits %s, but --only leaves it out", kind),
			"name it in both flags, or in neither flag")
	}
	return nil
}

func (c *checking) openTable(ctx context.Context, t app.Target) (*dynamo.Table, error) {
	if t.Table == "" && c.o.Candidates != nil {
		t.Table = c.o.Candidates.Table
	}
	conn, err := c.connect(ctx, t)
	if err != nil {
		return nil, err
	}
	table, err := c.AccountTable(client.WaitIfThrottled(ctx), t, conn, true)
	if err == nil && c.o.Candidates != nil {
		err = c.o.Candidates.Fit(table)
	}
	return table, err
}

// onFinding writes a finding. In the format text, it keeps the finding for the end.
func (c *checking) onFinding(f finding.Finding) {
	if c.report.report != nil {
		c.report.report.Add(f)
	}
	c.counts.add(f)
	c.baseline.add(f)
	if !c.list.Add(f) {
		c.listing.add(f)
	}
	if c.Results.Unwritten() != nil && !c.files() {
		c.stop() // nobody reads the findings any more
	}
}

// confirmCost prints the cost of the check. On a terminal, it asks whether to continue if the cost is unknown or above
// --auto-read-units.
func (c *checking) confirmCost(ctx context.Context, t *dynamo.Table) error {
	cost, most := setting.Estimate(t, c.o), t.Connection().AutoReadUnits()
	c.Note("%s", say.BeforeCheck(t.Name, cost, c.o.Export != nil || c.o.Candidates != nil))
	if !print.IsTerminal(c.Err) {
		return nil
	}
	if !cost.Uncounted && cost.Units() <= most {
		c.unasked = most // the estimate uses an item count that may be hours old
		return nil
	}
	return c.confirm(ctx, t, "Check the table", "nothing was read")
}

// confirm asks whether to continue. Without a terminal, the check continues, because the command was explicit.
func (c *checking) confirm(ctx context.Context, t *dynamo.Table, question, otherwise string) error {
	d, ok := c.OpenPrompt()
	if !ok {
		return nil
	}
	defer d.Close()
	return d.Confirm(ctx, "checking "+t.Name, question, otherwise)
}

// outageNoteEvery is the least time between two notes about outages in a log.
const outageNoteEvery = 5 * time.Minute

// onState handles progress. It prints notes about a doubtful layout at once, and notes about outages if there is no
// terminal. If the check exceeds --auto-read-units and nobody was asked before, onState pauses the check and asks.
func (c *checking) onState(ctx context.Context, bar *app.ProgressLine, t *dynamo.Table, now progress.State) {
	for _, note := range now.Early[c.noted:] {
		bar.Clear()
		c.Note("%s", say.Sentence(note))
	}
	c.noted = len(now.Early)
	if c.unasked > 0 && now.Units > c.unasked && ctx.Err() == nil {
		c.gate.Shut()
		defer c.gate.Open()
		bar.Clear()
		c.Note("The check costs more than expected: %s so far. The item count of the table may be hours old.",
			say.ReadUnits(now.Units))
		c.unasked = 0
		if c.declined = c.confirm(ctx, t, "Continue the check", "the findings so far are kept"); c.declined != nil {
			c.stop()
		}
	}
	if say.Outage(now, time.Now()) && time.Since(c.silent) >= outageNoteEvery && !print.IsTerminal(c.Err) {
		c.silent = time.Now()
		c.Note("The endpoint has not answered since %s. tallylock keeps trying.", now.Silent.Format("15:04:05"))
	}
	doing, _ := say.CheckStage(now)
	bar.ShowStage(doing, say.CheckLine(now, time.Now(), bar.Width()))
}

// End is the last line of jsonl.
type End struct {
	Summary finding.Summary `json:"summary"`
}

// Result is the whole output of json.
type Result struct {
	Findings []finding.Finding `json:"findings"`
	End
}
