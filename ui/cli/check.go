package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// checking is one run of `check`.
type checking struct {
	*invocation
	said     setting.Config // the settings from flags
	only     []string
	baseline string
	export   []string
	conn     *dynamo.Connection // the connection for exports in S3 and for the table; nil until it is needed
	keys     []string
	most     allowance // the findings that --max allows
	report   reporting
	bySQL
	o setting.Options

	// stop ends the check. It is called if nobody can read its results any more, or if a person
	// says so.
	stop     context.CancelFunc
	wrote    error
	findings []finding.Finding // for text and json, which are written at the end
	unlisted int64             // counts the findings after mostListed, in text

	gate     client.Gate // shut while a person is asked
	unasked  float64     // the read units after which a person is asked; 0 means never
	declined error       // the error if the person's answer was no
	noted    int         // how many notes of State.Early were printed
	silent   time.Time   // when the last note about an outage was printed
}

// checkCommand checks a whole table.
func checkCommand(s *invocation) *cobra.Command {
	c := &checking{invocation: s, most: allowance{}}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the whole table: all locks and counters",
		Long: `Check the whole table: each lock against all accounts, each counter against the
ids in use. It reads the table once. It reads the accounts again only if
something is wrong; --confirm says how much it does to make sure. It says first
what that costs and, on a terminal, asks if it is much or unknown.

--baseline leaves out what is known already, --max lets some findings pass, and
--report writes a report for people. --export reads an export to S3 instead of
the table; --sql prints SQL that finds candidates in one, and --candidates
confirms them.

A guessed layout confirms nothing: the table is read once, and findings are not
confirmed. The summary names everything that was checked and was not checked.

Exit status: 0 everything that is described was checked, and nothing is wrong,
or no more than --max allows; 1 something was found; 3 the check is incomplete,
or the layout is only guessed and nothing was found.

docs/check.md says more: costs, exports, gates, reports, a nightly check.`,
		Example: `  tallylock check --table accounts
  tallylock check --output jsonl > findings.jsonl
  tallylock check --baseline findings.jsonl     # only what is new
  tallylock check --table accounts --export s3://backups/AWSDynamoDB/0176-1a2b
  tallylock check --table accounts --export ./export --confirm none --keys PK,SK`,
		Args: takesNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	addCheckFlags(c, cmd)
	return c.define(cmd)
}

func addCheckFlags(c *checking, cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.Var(
		&text[setting.ConfirmName]{&c.said.Confirm},
		"confirm",
		"how much to confirm: `HOW` full, reads or none (default full)",
	)
	set.Var(
		&text[setting.LookName]{&c.said.Look},
		"look",
		"how accounts are read again: `HOW` strong, or eventual for half the price if --settle covers the lag (default strong)",
	)
	set.StringSliceVar(&c.only, "only", nil, "look for these `FINDINGS` only, such as orphaned-lock,counter-behind")
	set.StringVar(
		&c.baseline,
		"baseline",
		"",
		"leave out what an earlier check has found in this table: a `FILE` of its jsonl; what is confirmed now and was not then is reported",
	)
	c.judged(cmd)
	set.Var(&text[setting.Parts]{&c.said.Segments}, "segments", "read the table in `N` parts; 0: by its size")
	set.Var(
		&text[client.Ceiling]{&c.said.MaxReadUnits},
		"max-read-units",
		"use at most `N` read units a second; 0: half of the table's capacity",
	)
	set.Var(
		&text[setting.Size]{&c.said.Memory},
		"memory",
		"use at most about `SIZE` of memory for what does not match (default 256MB: enough for 250,000 values, and for 32,768 accounts in one duplicate-value)",
	)
	set.StringArrayVar(
		&c.export,
		"export",
		nil,
		"read the export to S3 at `PLACE` instead of the table: s3://BUCKET/PREFIX/AWSDynamoDB/ID, or the directory that it was downloaded to; once for each table of the layout",
	)
	set.StringSliceVar(
		&c.keys,
		"keys",
		nil,
		"with --export and --confirm none: `NAMES` of the table's keys, such as PK,SK; no endpoint is asked",
	)
	completes(cmd, "only", oneOf(finding.Kinds()...))
	completes(cmd, "confirm", oneOf(setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone))
	completes(cmd, "look", oneOf(setting.Strong, setting.Eventual))
}

func (c *checking) run(ctx context.Context) error {
	t, err := c.resolveTarget(ctx)
	if err != nil {
		return err
	}
	c.o = c.said.Over(t.Check).Options()
	if err := c.parseSQLFlags(); err != nil {
		return err
	}
	if c.dialect != "" {
		return c.printSQL(ctx, t)
	}
	if err := c.parseFlags(ctx); err != nil {
		return err
	}
	if err := c.openExports(ctx, t); err != nil {
		return err
	}
	table, err := c.open(ctx, t)
	if err != nil {
		return err
	}
	if !check.Checkable(table) {
		return table.NoLayout("checking " + table.Name)
	}
	// The text output without --report needs no summary, so the command can return the refusal at
	// once.
	refused := check.Refuses(table, c.o)
	if refused != nil && c.flags.output == asText && c.report.path == "" {
		return refused
	}
	if refused == nil {
		if err := c.confirmCost(ctx, table); err != nil {
			return err
		}
	}
	ctx, c.stop = context.WithCancel(ctx)
	defer c.stop()
	c.o.Gate, c.o.Say = &c.gate, say.Do
	bar := newProgress(c.invocation)
	summary, err := check.Run(ctx, table, c.o, func(f finding.Finding) { c.onFinding(bar, f) },
		func(now progress.State) { c.onState(ctx, bar, table, now) })
	bar.clear()
	if c.wrote != nil {
		return c.reported(table, summary, c.wrote)
	}
	if err != nil && c.flags.output == asText && summary.Items == 0 && len(c.findings) == 0 && c.declined == nil &&
		client.KindOf(err) == client.Denied {
		return c.reported(table, summary, err) // nothing was read, so the reason is all there is to say
	}
	return c.reported(table, summary, c.finish(table, summary, err))
}

// finish writes the output that comes at the end of the check, and returns the error of the
// command.
func (c *checking) finish(table *dynamo.Table, summary finding.Summary, err error) error {
	if err := c.answer(table, summary); err != nil {
		return err
	}
	switch {
	case c.declined != nil:
		return c.declined
	case client.KindOf(err) == client.Cancelled && c.flags.output == asText && terminal(c.Out):
		return status(exitStatus(err)) // the output has already said that the check was stopped
	case err != nil:
		return err
	case !summary.Complete:
		return &client.Error{Kind: client.Failed, Op: "checking " + table.Name, Why: summary.Why}
	}
	return c.maxError(summary)
}

// parseFlags reads the files and names in the flags.
func (c *checking) parseFlags(ctx context.Context) error {
	if err := c.report.begin(); err != nil {
		return err
	}
	for _, name := range c.only {
		kind, err := kindNamed(name)
		if err != nil {
			return usage("reading --only", err.Error(), "run: tallylock check --help")
		}
		c.o.Only = append(c.o.Only, kind)
	}
	if kind, beside := c.most.beside(c.o.Only); beside {
		return usage("reading the command line", fmt.Sprintf("--max limits %s, but --only leaves it out", kind),
			"name it in both or in neither")
	}
	if c.baseline == "" {
		return nil
	}
	in := c.reading(ctx, c.baseline)
	defer in.Close()
	var err error
	c.o.Known, err = finding.ReadBaseline(in)
	return cannotRead(err, "reading the baseline "+c.baseline, "name a file that `tallylock check --output jsonl` wrote")
}

func (c *checking) openTable(ctx context.Context, t target) (*dynamo.Table, error) {
	if t.table == "" && c.o.Candidates != nil {
		t.table = c.o.Candidates.Table
	}
	if c.conn == nil {
		var err error
		if c.conn, err = c.connect(ctx, t); err != nil {
			return nil, err
		}
	}
	table, err := accountTable(ctx, c.invocation, t, c.conn)
	if err == nil && c.o.Candidates != nil {
		err = c.o.Candidates.Fit(table)
	}
	return table, err
}

// mostListed is how many findings the text output lists.
const mostListed = 50_000

// onFinding writes a finding. In the formats text and json, it keeps the finding for the end.
func (c *checking) onFinding(bar *progressLine, f finding.Finding) {
	if c.report.report != nil {
		c.report.report.Add(f)
	}
	if c.flags.output != asLines {
		f.Relation = nil // the rest is enough for the output, and there may be very many findings
		if c.flags.output == asText && len(c.findings) >= mostListed {
			c.unlisted++
			return
		}
		c.findings = append(c.findings, f)
		return
	}
	if c.wrote != nil {
		return
	}
	bar.clear()
	if c.wrote = c.print(f); c.wrote != nil && c.report.path == "" {
		c.stop() // nobody reads the findings any more
	}
}

// confirmCost prints the cost of the check. If the cost is unknown or above --auto-read-units, it
// asks whether to go on, if there is a terminal.
func (c *checking) confirmCost(ctx context.Context, t *dynamo.Table) error {
	cost, most := setting.Estimate(t, c.o), t.Connection().AutoReadUnits()
	c.note("%s", say.BeforeCheck(t.Name, cost, c.o.Export != nil || c.o.Candidates != nil))
	if !terminal(c.Err) {
		return nil
	}
	if !cost.Uncounted && cost.Units() <= most {
		c.unasked = most // the estimate uses a count that is hours old
		return nil
	}
	return c.confirm(ctx, t, "Check the table", "nothing was read")
}

// confirm asks whether to go on. Without a terminal, the check goes on: the command was explicit.
func (c *checking) confirm(ctx context.Context, t *dynamo.Table, question, otherwise string) error {
	d, ok := c.openPrompt()
	if !ok {
		return nil
	}
	defer d.close()
	yes, err := d.confirm(ctx, question)
	if err == nil && !yes {
		err = &client.Error{Kind: client.Cancelled, Op: "checking " + t.Name, Why: "the answer was no; " + otherwise}
	}
	return err
}

// outageNoteEvery is the least time between two notes about outages in a log.
const outageNoteEvery = 5 * time.Minute

// onState handles progress. It prints notes that make the layout doubtful at once. If nobody was
// asked about the cost and the check takes more than expected, it pauses the check and asks.
func (c *checking) onState(ctx context.Context, bar *progressLine, t *dynamo.Table, now progress.State) {
	for _, note := range now.Early[c.noted:] {
		bar.clear()
		c.note("%s", say.Sentence(note))
	}
	c.noted = len(now.Early)
	if c.unasked > 0 && now.Units > c.unasked && ctx.Err() == nil {
		c.gate.Shut()
		defer c.gate.Open()
		bar.clear()
		c.note("It takes more than was expected: %s are used, and the count of the table may be hours old.",
			say.ReadUnits(now.Units))
		c.unasked = 0
		if c.declined = c.confirm(ctx, t, "Read on", "what was found stays"); c.declined != nil {
			c.stop()
		}
	}
	if say.Outage(now, time.Now()) && time.Since(c.silent) >= outageNoteEvery && !terminal(c.Err) {
		c.silent = time.Now()
		c.note("No answer since %s; asking again.", now.Silent.Format("15:04:05"))
	}
	doing, _ := say.CheckStage(now)
	bar.showStage(doing, say.CheckLine(now, time.Now()))
}

// checkEnd is the last line of jsonl. checked is the whole output of json.
type checkEnd struct {
	Summary finding.Summary `json:"summary"`
}

type checked struct {
	Findings []finding.Finding `json:"findings"`
	checkEnd
}

// answer writes the output that comes at the end of the check.
func (c *checking) answer(t *dynamo.Table, summary finding.Summary) error {
	switch c.flags.output {
	case asLines:
		return c.print(checkEnd{summary})
	case asJSON:
		if c.findings == nil {
			c.findings = []finding.Finding{}
		}
		return c.print(checked{c.findings, checkEnd{summary}})
	}
	p := c.printer()
	if writeCheck(p, t, c.findings, summary); c.unlisted > 0 {
		p.line(kit.Warn, "%s more findings are not listed: --output jsonl writes all of them.",
			phrase.Group(fmt.Sprint(c.unlisted)))
	}
	return nil
}
