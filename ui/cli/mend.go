package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/words"
)

// mending is one run of mend.
type mending struct {
	*writing
	file    string
	rate    float64
	said    setting.Config // by flags
	sum     mendSummary
	results []mended // of the format that comes in one piece
	// tables are those of the findings, by name.
	tables map[string]*dynamo.Table
	// nameless are tables whose findings do not say by their TableId that they are of
	// them; their names have to be typed.
	nameless []string
	// written are the tables that the findings have written, agreed to.
	written   []string
	price     plan.Price                      // of what a dry run has planned
	confirmed int                             // refused findings that the check had confirmed
	questions []*answers.Question             // that findings wait for, each once
	unpriced  bool                            // the endpoint does not say what reads consume
	leftOut   []string                        // what locks that were put lack, each once
	unsaid    []error                         // why findings were skipped that rest on a guess, each once
	busy      error                           // of a change that others kept from being made; the next may be
	large     int                             // findings of constraints of which very much is broken
	out       *change.PlanFile                // that --plan writes
	in        *change.PlanFile                // that apply read; nil where the findings are of a check
	expected  map[string]change.PlannedChange // its changes, by their findings
}

// batchSize is how many findings are planned before the first is mended. Releases
// among them share one look at every account. It is bounded by memory, of which a
// plan takes about 12 KB, and by how many marks have to be taken off again where the
// run is stopped.
const batchSize = 10_000

// mendCommand mends what a check found.
func mendCommand(s *invocation) *cobra.Command {
	m := &mending{writing: &writing{invocation: s, op: "mending"}, tables: map[string]*dynamo.Table{}}
	cmd := &cobra.Command{
		Use:   "mend FINDINGS.jsonl",
		Short: "Mend findings that still hold",
		Long: `Mend what "tallylock check --output jsonl" found; - reads from standard input.
Each finding is read again first, and what is in order by then is left alone.
Lock keys come from the layout, never from the file. You can stop a run and
start it again: nothing is done twice. Counters are only raised.

A finding that waits for your answer is skipped; the commands that answer it are
listed at the end. So is a finding by a constraint or a counter that is only
guessed: accept it first (tallylock layout --accept). Duplicates and malformed
locks are never mended. A finding that asks for its value to be typed is mended
only from a file of its own; so is each finding if it is not sure that the layout
fits. The reason says what to do instead.

Findings of a table that was deleted and created again are refused. If they do
not name their table by its table_id, type the table's name, or give it by
--confirm. If a large part of a constraint is broken, type the number of
findings.

Exit status 4: some confirmed findings were refused, each with its reason.`,
		Example: `  tallylock check --output jsonl > findings.jsonl
  tallylock mend findings.jsonl --dry-run
  tallylock mend findings.jsonl --write --reason 'ticket 48151'`,
		Args: takes(1, 1, "a file of findings"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m.file = args[0]
			return m.run(cmd.Context())
		},
	}
	m.addFlags(cmd)
	set := cmd.Flags()
	set.Var(
		&text[client.Ceiling]{&m.said.MaxReadUnits},
		"max-read-units",
		"use at most `N` read units a second; 0: half of the table's capacity",
	)
	set.Float64Var(
		&m.rate,
		"max-write-units",
		change.DefaultWriteUnits,
		"use at most `N` write units a second; 0: as fast as they come",
	)
	return cmd
}

func (m *mending) run(ctx context.Context) error {
	if !(m.rate >= 0) { // NaN is no number either
		return usage("reading the command line", fmt.Sprintf("--max-write-units %v is not a number of units a second", m.rate),
			"give 0 or more")
	}
	findings, err := m.findings(ctx)
	if err != nil {
		return err
	}
	r, err := m.prepare(ctx)
	if err != nil {
		return err
	}
	if m.in != nil {
		if err := errors.Join(m.in.CheckTables(ctx, r.conn, m.op), m.in.FindApplied(r.changer.Journal)); err != nil {
			return err
		}
	}
	r.changer.Writes.Rate = m.rate
	r.changer.MaxReadUnits = m.said.Over(r.target.Check).Options().MaxReadUnits
	batches, err := m.open(ctx, r, findings)
	if err != nil {
		return err
	}
	if batches, err = m.allowedAll(batches); err != nil {
		return err
	}
	if err := m.confirmBatches(ctx, r, batches); err != nil {
		return err
	}
	for _, batch := range batches {
		if err = m.mendTable(ctx, r, batch); err != nil {
			break
		}
	}
	m.sum.ReadUnits, m.unpriced = r.conn.Units(), !r.conn.ReportsUnits()
	err = errors.Join(err, m.busy, m.conclude(), m.handedOver(err))
	switch {
	case m.sum.Unknown > 0:
		m.complain(err)
		return status(exitUnknown)
	case err != nil:
		return err
	case m.confirmed > 0 && (!m.dryRun || m.to != "" && m.out == nil):
		return status(exitRefused)
	}
	return nil
}

// findings reads the file.
func (m *mending) findings(ctx context.Context) (all []finding.Finding, err error) {
	seen := map[string]bool{}
	take := func(f finding.Finding) error {
		if m.flags.table != "" && f.Table != m.flags.table {
			return fmt.Errorf("the finding is for the table %s, but --table says %s", f.Table, m.flags.table)
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

// each gives each finding of the file to take, until that answers an error.
func (m *mending) each(ctx context.Context, take func(finding.Finding) error) (err error) {
	op, do := "reading the findings "+m.file, "name a file that `tallylock check --output jsonl` wrote"
	if m.file == "-" {
		op = "reading the findings from standard input"
	}
	if m.in != nil {
		for _, c := range m.in.Changes {
			if err := take(*c.Request.Finding); err != nil {
				return usage("reading the plan "+m.file, err.Error(), "leave --table out; nothing was sent")
			}
		}
		return nil
	}
	in := m.reading(ctx, m.file)
	defer in.Close()
	lines := bufio.NewReader(in)
	switch _, err := lines.Peek(1); {
	case errors.Is(err, io.EOF):
		return usage(op, "it is empty: the check did not start", "see what the check said; nothing was sent")
	case err != nil:
		return cannotRead(err, op, do)
	}
	return cannotRead(finding.Read(lines, take), op, do)
}

// open opens the tables of the findings, and makes sure that they are the same as
// then. It answers the findings of each table together, in batches.
func (m *mending) open(
	ctx context.Context, r ready, findings []finding.Finding,
) (batches [][]finding.Finding, err error) {
	var names []string
	of := map[string][]finding.Finding{}
	ctx = new(client.Pace).Keep(ctx) // a throttled table is waited for
	for _, f := range findings {
		t := m.tables[f.Table]
		if t == nil {
			if t, err = r.conn.Open(ctx, f.Table); err != nil {
				return nil, err
			}
			m.tables[f.Table], names = t, append(names, f.Table)
		}
		if f.TableID == "" && t.ID != "" {
			f.TableID = t.ID // if a person says so
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

// allowedAll returns the findings that may be mended. It skips those that rest on a guess, or wait
// for an answer about other tables; if all do, it returns an error. A dry run plans them too, and
// says that accepting comes first.
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
			if !slices.ContainsFunc(m.unsaid, func(said error) bool { return words.Error(said) == words.Error(unsure) }) {
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
		if err := m.skip(f, why[n]); err != nil {
			return nil, err
		}
	}
	return sure, nil
}

// skip reports a finding that rests on a guess, or waits for an answer about other tables.
func (m *mending) skip(f finding.Finding, why error) error {
	m.sum.Skipped++
	text := unsureText(why)
	if e, ok := errors.AsType[*client.Error](why); ok && m.flags.output == asText {
		text = e.Why // the commands come at the end, once
	}
	return m.writeResult(f, mended{outcome: outcome{
		Outcome: skipped, Reasons: []plan.Reason{{Code: plan.Asked, Text: text}},
	}})
}

// verifyChunk is how many findings are read again before the progress says so.
const verifyChunk = 50

// mendTable mends findings of one table.
func (m *mending) mendTable(ctx context.Context, r ready, findings []finding.Finding) (err error) {
	table := m.tables[findings[0].Table]
	bar := newProgress(m.invocation)
	defer bar.clear()
	var mends []mend.Mend
	for some := range slices.Chunk(findings, verifyChunk) {
		bar.showStage(
			"verify",
			fmt.Sprintf("verifying %s, %s done · ctrl+c cancels", phrase.Count(len(findings), "finding"),
				phrase.Group(fmt.Sprint(len(mends)))),
		)
		planned, err := m.plan(ctx, r, table, some)
		if err != nil {
			return err
		}
		mends = append(mends, planned...)
	}
	var plans []*plan.Plan
	var of []finding.Finding
	for _, mend := range mends {
		if mend.Plan == nil {
			bar.clear()
			if err := m.notMended(mend); err != nil {
				return err
			}
			continue
		}
		mend.Plan.Reason = m.reason
		plans, of = append(plans, mend.Plan), append(of, mend.Finding)
	}
	if m.dryRun {
		m.sum.Planned += len(plans)
		for n, p := range plans {
			m.noteLeftOut(p)
			planned := mended{outcome: outcome{Outcome: change.Planned, Reasons: []plan.Reason{}}, Plan: p}
			if err := m.writeResult(of[n], planned); err != nil {
				return err
			}
		}
		m.price = m.price.Plus(plan.PriceOf(plans))
		return m.hand(ctx, r.conn, plans)
	}
	bar.clear()
	if err := m.confirmMends(ctx, r, plans); err != nil {
		return err
	}
	receipts := r.changer.ApplyAll(ctx, plans, bar.show)
	bar.clear()
	for n, receipt := range receipts {
		if e := m.addReceipt(of[n], receipt); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// plan plans findings: a file of one is a change like any other.
func (m *mending) plan(ctx context.Context, r ready, t *dynamo.Table, findings []finding.Finding) ([]mend.Mend, error) {
	if m.sum.Findings > 1 {
		mends, err := r.changer.PlanMends(ctx, t, findings...)
		m.compare(mends)
		return mends, err
	}
	p, err := m.planOne(ctx, r, t, findings[0])
	if refused, ok := errors.AsType[*plan.Refusal](err); ok {
		return []mend.Mend{{Finding: findings[0], Refused: refused.Reasons}}, nil
	}
	return []mend.Mend{{Finding: findings[0], Plan: p}}, err
}

// notMended reports a finding that is not mended.
func (m *mending) notMended(one mend.Mend) error {
	answer := mended{outcome: outcome{Outcome: change.Refused, Reasons: words.Reasons(one.Refused)}}
	for n, why := range answer.Reasons {
		answer.Reasons[n].Text = cmp.Or(why.Text, words.ByHand(one.Finding))
	}
	switch q := asked(one.Refused); {
	case one.InOrder():
		m.sum.InOrder++
		answer.Outcome = inOrder
	case q != nil:
		m.sum.Skipped++
		answer.Outcome = skipped
		if !slices.ContainsFunc(m.questions, func(one *answers.Question) bool {
			return one.Constraint == q.Constraint && one.Place == q.Place
		}) {
			m.questions = append(m.questions, q)
		}
	default:
		m.refused(one.Finding)
	}
	return m.writeResult(one.Finding, answer)
}

// noteLeftOut notes which attributes of other locks a lock that is put lacks.
func (m *mending) noteLeftOut(p *plan.Plan) {
	if line := p.Line(plan.LabelLeftOut); line != "" && !slices.Contains(m.leftOut, line) {
		m.leftOut = append(m.leftOut, line)
	}
}

// asked is the question that a finding waits for; nil if it waits for none.
func asked(reasons []plan.Reason) *answers.Question {
	for _, r := range reasons {
		if r.Asks != nil {
			return r.Asks
		}
	}
	return nil
}

// refused counts a finding that was refused.
func (m *mending) refused(f finding.Finding) {
	m.sum.Refused++
	if f.Confirmed {
		m.confirmed++
	}
}

// addReceipt reports what became of a change. It answers an error where nothing more
// can be done.
func (m *mending) addReceipt(f finding.Finding, r change.Receipt) error {
	m.sum.WriteUnits += r.WriteUnits
	switch {
	case r.Outcome == change.Applied:
		m.sum.Mended++
		m.noteLeftOut(r.Plan)
	case r.Outcome == change.Unknown:
		m.sum.Unknown++
	case asked(r.Reasons) != nil:
		m.sum.Skipped++
	case r.Err == nil:
		m.refused(f)
	default:
		m.sum.NotDone++
	}
	if err := m.writeResult(f, mended{outcome: outcomeOf(r)}); err != nil {
		return err
	}
	if client.KindOf(r.Err) == client.Conflict {
		m.busy = r.Err
		return nil
	}
	return r.Err
}
