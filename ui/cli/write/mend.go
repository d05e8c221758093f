package write

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/say"
)

// mending is one run of mend, or of apply with repairs.
type mending struct {
	*writing
	file    string
	said    setting.Config // the settings from flags
	sum     mendSummary
	results []Mended // the outcomes for json, which is written at the end
	// tables has the tables of the findings, by name.
	tables map[string]*dynamo.Table
	// nameless are the tables whose findings have no TableID. A person must type their names.
	nameless []string
	// written are the tables for which a person has allowed writes.
	written   []string
	price     plan.Price                      // what the planned changes will cost
	confirmed int                             // counts confirmed findings that were refused
	questions []*answers.Question             // the open questions about findings, each once
	unpriced  bool                            // the endpoint does not report the units of reads
	leftOut   []string                        // the attributes that new locks lack, each once
	unsaid    []error                         // the reasons why findings were skipped, each once
	busy      error                           // the last error caused by other writers; later changes may succeed
	in        *change.PlanFile                // the plan file that apply read; nil for mend
	expected  map[string]change.PlannedChange // the changes in that file, by finding
}

// batchSize is the number of findings that are planned before the first repair. The releases among
// them share one reading of all accounts. The limit saves memory, about 12 KB for each plan. It also
// limits the number of marks to remove if the run is stopped.
const batchSize = 10_000

// Mend repairs the findings of a check.
func Mend(s *app.Run) *cobra.Command {
	m := &mending{writing: &writing{Run: s, op: "mending"}, tables: map[string]*dynamo.Table{}}
	cmd := &cobra.Command{
		Use:   "mend FINDINGS.jsonl",
		Short: "Mend the findings of a check",
		Long: `Mend the findings of a check. FINDINGS.jsonl is the output of "tallylock check
--output jsonl"; - reads the findings from standard input. mend reads the items
of each finding again, and skips items that are already in order. The keys of
locks come from the layout, never from the file. mend never lowers a counter.
You can stop mend and start it again: it repairs no finding twice.

mend skips some findings:
- If a finding needs your answer first, mend prints the commands that answer.
- If the constraint or the counter is only guessed, accept it first, with
  "tallylock layout --accept".

mend refuses other findings, and prints the reason and the next step:
- You repair these kinds yourself: duplicate-value, duplicate-id, drifted-key,
  counter-unsafe-integer and malformed-lock.
- For some findings you must type the value. Put each such finding into its own
  file. Unless you are sure of the layout, give every finding its own file.
- If the table was deleted and created again, its old findings are refused.

If the findings have no table_id, you must type the table's name, or give it
with --confirm. If very many values of a constraint look broken, you must type
the number of these findings.

Exit status 4: mend refused confirmed findings, each with a reason.`,
		Example: `  tallylock check --output jsonl > findings.jsonl
  tallylock mend findings.jsonl --dry-run
  tallylock mend findings.jsonl --write --reason 'ticket 48151'`,
		Args: app.Takes(1, 1, "a file of findings"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m.file = args[0]
			return m.run(cmd.Context())
		},
	}
	m.addFlags(cmd)
	set := cmd.Flags()
	set.Func("max-read-units", "use at most `N` read units a second; 0 means half of the table's capacity",
		app.Parsed(&m.said.MaxReadUnits))
	app.WriteUnitsFlag(set, &m.said)
	return cmd
}

func (m *mending) run(ctx context.Context) error {
	findings, err := m.findings(ctx)
	if err != nil {
		return err
	}
	if err := m.prepare(ctx); err != nil {
		return err
	}
	if m.in != nil {
		if err := errors.Join(m.in.CheckTables(ctx, m.conn, m.op), m.in.FindApplied(m.changer.Journal)); err != nil {
			return err
		}
	}
	settings := m.said.Over(m.target.Check)
	m.changer.Writes.Rate, m.changer.MaxReadUnits = app.WriteRate(settings), settings.Options().MaxReadUnits
	batches, err := m.open(ctx, findings)
	if err != nil {
		return err
	}
	if batches, err = m.allowedAll(batches); err != nil {
		return err
	}
	if err := m.confirmBatches(ctx, batches); err != nil {
		return err
	}
	for _, batch := range batches {
		if err = m.mendTable(ctx, batch); err != nil {
			break
		}
	}
	m.sum.ReadUnits, m.unpriced = m.conn.Units(), !m.conn.ReportsUnits()
	m.conclude()
	if err == nil {
		err = m.finishPlan()
	}
	err = errors.Join(err, m.busy)
	switch {
	case m.sum.Unknown > 0:
		m.Complain(err)
		return exit.Unknown
	case err != nil:
		return err
	case m.confirmed > 0 && (!m.dryRun || m.to != "" && m.out == nil):
		return exit.Refused
	}
	return nil
}

// findings reads the findings from the file, each once.
func (m *mending) findings(ctx context.Context) (all []finding.Finding, err error) {
	seen := map[string]bool{}
	take := func(f finding.Finding) error {
		if m.Flags.Table != "" && f.Table != m.Flags.Table {
			return fmt.Errorf("a finding is for the table %s, but --table names the table %s", f.Table, m.Flags.Table)
		}
		if same := f.TableID + " " + f.Same(); !seen[same] {
			seen[same] = true
			all = append(all, f)
		}
		return nil
	}
	if err := m.each(ctx, take); err != nil {
		return nil, err
	}
	m.sum.Findings = len(all)
	return all, nil
}

// each calls take with each finding of the file, until take returns an error.
func (m *mending) each(ctx context.Context, take func(finding.Finding) error) (err error) {
	op, do := "reading the findings "+m.file, "name a file that `tallylock check --output jsonl` wrote"
	if m.file == "-" {
		op = "reading the findings from standard input"
	}
	if m.in != nil {
		for _, c := range m.in.Changes {
			if err := take(*c.Request.Finding); err != nil {
				return exit.Usage("reading the plan "+m.file, err.Error(), "leave --table out; nothing was sent")
			}
		}
		return nil
	}
	in := m.Reading(ctx, m.file)
	defer in.Close()
	lines := bufio.NewReader(in)
	switch _, err := lines.Peek(1); {
	case errors.Is(err, io.EOF):
		return exit.Usage(op, "the input is empty: the check did not start", "read the error of the check; nothing was sent")
	case err != nil:
		return app.CannotRead(err, op, do)
	}
	return app.CannotRead(finding.Read(lines, take), op, do)
}

// open opens the tables of the findings, and makes sure that they are still the same tables. It
// returns the findings of each table in batches.
func (m *mending) open(
	ctx context.Context, findings []finding.Finding,
) (batches [][]finding.Finding, err error) {
	var names []string
	of := map[string][]finding.Finding{}
	ctx = client.WaitIfThrottled(ctx)
	for _, f := range findings {
		t := m.tables[f.Table]
		if t == nil {
			if t, err = m.conn.Open(ctx, f.Table); err != nil {
				return nil, err
			}
			m.tables[f.Table], names = t, append(names, f.Table)
		}
		if f.TableID == "" && t.ID != "" {
			f.TableID = t.ID // a person must confirm this table
			if !slices.Contains(m.nameless, t.Name) {
				m.nameless = append(m.nameless, t.Name)
			}
		}
		if err := mend.SameTable(t, f); err != nil {
			return nil, err
		}
		of[f.Table] = append(of[f.Table], f)
	}
	if m.in != nil {
		for _, c := range m.in.Changes {
			if err := c.CheckLayout(m.tables[c.Table]); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range names {
		batches = slices.AppendSeq(batches, slices.Chunk(of[name], batchSize))
	}
	return batches, nil
}

// allowedAll returns the findings that may be repaired. It skips findings that depend on a guess or on an answer about
// other tables. If it would skip all, it returns an error. A dry run without --plan also plans the findings that a real
// run would skip, and says what to accept first.
func (m *mending) allowedAll(batches [][]finding.Finding) (sure [][]finding.Finding, err error) {
	var waiting []finding.Finding
	var why []error
	for _, batch := range batches {
		var some []finding.Finding
		for _, f := range batch {
			unsure := mend.UnsureFindings(m.tables[f.Table], f)
			if m.allowed(unsure) == nil {
				some = append(some, f)
				continue
			}
			waiting, why = append(waiting, f), append(why, unsure)
			if !slices.ContainsFunc(m.unsaid, func(said error) bool { return say.Error(said) == say.Error(unsure) }) {
				m.unsaid = append(m.unsaid, unsure)
			}
		}
		if len(some) > 0 {
			sure = append(sure, some)
		}
	}
	if len(waiting) > 0 && len(sure) == 0 {
		return nil, errors.Join(m.unsaid...)
	}
	for n, f := range waiting {
		m.skip(f, why[n])
	}
	return sure, nil
}

// verifyChunk is the number of findings that mend reads again between two updates of the progress.
const verifyChunk = 50

// mendTable repairs the findings of one table.
func (m *mending) mendTable(ctx context.Context, findings []finding.Finding) (err error) {
	table := m.tables[findings[0].Table]
	bar := app.NewProgress(m.Run)
	defer bar.Clear()
	var mends []mend.Mend
	for some := range slices.Chunk(findings, verifyChunk) {
		bar.ShowStage(
			"verify",
			fmt.Sprintf("verifying %s, %s done · ctrl+c cancels", phrase.Count(len(findings), "finding"),
				phrase.Number(len(mends))),
		)
		planned, err := m.plan(ctx, table, some)
		if err != nil {
			return err
		}
		mends = append(mends, planned...)
	}
	var plans []*plan.Plan
	var of []finding.Finding
	for _, mend := range mends {
		if mend.Plan == nil {
			bar.Clear()
			m.notMended(mend)
			continue
		}
		mend.Plan.Reason = m.reason
		plans, of = append(plans, mend.Plan), append(of, mend.Finding)
	}
	if m.dryRun {
		m.sum.Planned += len(plans)
		for n, p := range plans {
			m.noteLeftOut(p)
			planned := Mended{Result: Result{Outcome: journal.Planned, Reasons: []plan.Reason{}}, Plan: p}
			m.writeResult(of[n], planned)
		}
		m.price = m.price.Plus(plan.PriceOf(plans))
		return m.hand(ctx, plans)
	}
	bar.Clear()
	if err := m.confirmMends(ctx, plans); err != nil {
		return err
	}
	receipts := m.changer.ApplyAll(ctx, plans, bar.Show)
	bar.Clear()
	for n, receipt := range receipts {
		if e := m.addReceipt(of[n], receipt); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// plan plans the repairs of findings. PlanMends refuses changes that a person must confirm by typing. So plan uses
// PlanMend for a single finding, or Replan if the finding comes from a plan file.
func (m *mending) plan(ctx context.Context, t *dynamo.Table, findings []finding.Finding) ([]mend.Mend, error) {
	if m.sum.Findings > 1 {
		mends, err := m.changer.PlanMends(ctx, t, findings...)
		m.compare(mends)
		return mends, err
	}
	f := findings[0]
	var p *plan.Plan
	var err error
	if m.in != nil {
		c := m.in.Changes[0]
		c.Request.Finding = &f
		p, err = c.Replan(ctx, m.changer, t)
	} else {
		p, err = m.changer.PlanMend(ctx, t, f, nil)
	}
	if refused, ok := errors.AsType[*plan.Refusal](err); ok {
		return []mend.Mend{{Finding: f, Refused: refused.Reasons}}, nil
	}
	return []mend.Mend{{Finding: f, Plan: p}}, err
}

// compare refuses repairs if the table has changed since the plan file was written.
func (m *mending) compare(mends []mend.Mend) {
	if m.in == nil {
		return
	}
	if m.expected == nil {
		m.expected = map[string]change.PlannedChange{}
		for _, c := range m.in.Changes {
			m.expected[c.Request.Finding.Same()] = c
		}
	}
	for n, one := range mends {
		if one.Plan == nil {
			continue
		}
		if refused, ok := errors.AsType[*plan.Refusal](m.expected[one.Finding.Same()].CheckSeen(one.Plan)); ok {
			mends[n] = mend.Mend{Finding: one.Finding, Refused: refused.Reasons}
		}
	}
}

// finishPlan writes the file of --plan after all findings are planned. It removes the TableID from findings that had no
// TableID in their file.
func (m *mending) finishPlan() error {
	if m.to != "" && m.out == nil {
		m.Note("No plan was written, because there is nothing to mend.")
		return nil
	}
	if m.out != nil {
		for _, c := range m.out.Changes {
			if slices.Contains(m.nameless, c.Table) {
				c.Request.Finding.TableID = ""
			}
		}
	}
	return m.handOver()
}
