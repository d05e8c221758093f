package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// mending is one run of mend.
type mending struct {
	*writing
	file string
	rate float64
	said check.Config // by flags
	sum  mendSummary
	told []mended // of the format that comes in one piece
	// tables are those of the findings, by name.
	tables map[string]*dynamo.Table
	// nameless are tables whose findings do not say by their TableId that they are of
	// them; their names have to be typed.
	nameless []string
	// written are the tables that the findings have written, agreed to.
	written []string
	price   change.Price // of what a dry run has planned
	busy    error        // of a change that others kept from being made; the next may be
	large   int          // findings of constraints of which very much is broken
}

// together is how many findings are planned before the first is mended. Releases
// among them share one look at every account. It is bounded by memory, of which a
// plan takes about 12 KB, and by how many marks have to be taken off again where the
// run is stopped.
const together = 10_000

// largeMend is how many findings of constraints that are mostly broken ask for their
// number.
const largeMend = 20

// verified is how many findings are read again before the progress says so.
const verified = 50

// mend mends what a check found.
func (s *invocation) mend() *cobra.Command {
	m := &mending{writing: &writing{invocation: s, op: "mending"}, tables: map[string]*dynamo.Table{}}
	cmd := &cobra.Command{
		Use:   "mend FINDINGS.jsonl",
		Short: "Mend what a check found, each finding verified again first",
		Long: `Mend what "tallylock check --output jsonl" found; - reads it from standard input.
A finding only says where to look: each is read again first, lock keys are made
anew, and what is in order by then is left alone. So a run that was stopped can
be started again, and does nothing twice. Duplicates and malformed locks are never
mended, and what has to be typed is not among others; the reason says what to do
instead. Counters are only raised.

A table that was made anew under its old name is another: its findings are refused.
Where findings do not say which they are of (table_id), the table's name has to be
typed, or given by --confirm; and so has the number of findings where very much of
their constraint is broken. Where it is not sure that the layout fits, each finding is
mended from a file of its own.

Exit status 4: some were refused, each with its reason.`,
		Example: "  tallylock check --output jsonl > findings.jsonl\n  tallylock mend findings.jsonl --dry-run\n  tallylock mend findings.jsonl --write --reason 'ticket 48151'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m.file = args[0]
			return m.run(cmd.Context())
		},
	}
	m.take(cmd)
	set := cmd.Flags()
	s.trusts(set)
	set.Var(&text[client.Ceiling]{&m.said.MaxReadUnits}, "max-read-units", "use at most `N` read units a second; 0: half of the table's capacity")
	set.Float64Var(&m.rate, "max-write-units", change.DefaultWriteUnits, "use at most `N` write units a second; 0: as fast as they come")
	return cmd
}

func (m *mending) run(ctx context.Context) error {
	if err := rate("--max-write-units", m.rate); err != nil {
		return err
	}
	findings, err := m.findings()
	if err != nil {
		return err
	}
	r, err := m.prepare(ctx)
	if err != nil {
		return err
	}
	r.changer.Writes.Rate = m.rate
	r.changer.MaxReadUnits = m.said.Over(r.target.Check).Options().MaxReadUnits
	batches, err := m.open(ctx, r, findings)
	if err != nil {
		return err
	}
	if err := m.agreed(ctx, r, batches); err != nil {
		return err
	}
	for _, batch := range batches {
		if err = m.some(ctx, r, batch); err != nil {
			break
		}
	}
	m.sum.ReadUnits = r.conn.Units()
	err = errors.Join(err, m.busy, m.conclude())
	switch {
	case m.sum.Unknown > 0:
		m.complain(err)
		return status(exitUnknown)
	case err != nil:
		return err
	case m.sum.Refused > 0 && !m.dryRun:
		return status(exitRefused)
	}
	return nil
}

// findings reads the file.
func (m *mending) findings() (all []check.Finding, err error) {
	op := "reading the findings " + m.file
	in := m.In
	if m.file != "-" {
		if in, err = os.Open(m.file); err != nil {
			return nil, usage(op, reason(err), "name a file that `tallylock check --output jsonl` wrote")
		}
		defer in.Close()
	}
	seen := map[string]bool{}
	err = check.Read(in, func(f check.Finding) error {
		if m.flags.table != "" && f.Table != m.flags.table {
			return fmt.Errorf("the finding is of the table %s, and --table says %s", f.Table, m.flags.table)
		}
		if same := f.TableID + " " + f.Same(); !seen[same] {
			seen[same] = true
			all = append(all, f)
		}
		return nil
	})
	if err != nil {
		return nil, usage(op, err.Error(), "name a file that `tallylock check --output jsonl` wrote")
	}
	m.sum.Findings = len(all)
	return all, nil
}

// open opens the tables of the findings, and makes sure that they are the same as
// then. It answers the findings of each table together, in batches.
func (m *mending) open(ctx context.Context, r ready, findings []check.Finding) (batches [][]check.Finding, err error) {
	var names []string
	of := map[string][]check.Finding{}
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
		if err := change.SameTable(t, f); err != nil {
			return nil, err
		}
		of[f.Table] = append(of[f.Table], f)
	}
	for _, name := range names {
		batches = slices.AppendSeq(batches, slices.Chunk(of[name], together))
	}
	return batches, nil
}

// agreed asks once for all findings, where there are several. Tables whose guard
// wants changes typed want their name, and so do those that findings do not tell from
// others of that name.
func (m *mending) agreed(ctx context.Context, r ready, batches [][]check.Finding) error {
	if m.dryRun || m.sum.Findings < 2 {
		return nil
	}
	count := map[check.Kind]int{}
	var price change.MendPrice
	for _, batch := range batches {
		price = price.Plus(change.PriceMends(m.tables[batch[0].Table], batch...))
		for _, f := range batch {
			count[f.Kind]++
			if f.SuspectLayout {
				m.large++
			}
			// A lock is mended where it is; its account is only looked at.
			if name := cmp.Or(f.LockTable, f.Table); !slices.Contains(m.written, name) {
				m.written = append(m.written, name)
			}
		}
	}
	tables := m.unsure() // to be agreed to as changes are
	if m.large >= largeMend {
		number := fmt.Sprint(m.large)
		tables = append(tables, &change.Plan{Value: number, Typed: number})
	}
	for _, name := range m.written {
		table := &change.Plan{Value: name}
		switch r.conn.GuardOf(name) {
		case client.GuardType:
			table.Typed = name
		case client.GuardDeny:
			return r.conn.Denied(name)
		}
		if !slices.Contains(m.nameless, name) {
			tables = append(tables, table)
		}
	}
	return m.allowed(ctx, tables, func(to *paper) {
		to.line(strong, "Mend %s", phrase.Count(m.sum.Findings, "finding"))
		var rows [][]cell
		for _, k := range check.Kinds() {
			if n := count[k]; n > 0 {
				rows = append(rows, []cell{{text: phrase.Group(fmt.Sprint(n)), right: true}, {text: string(k)}})
			}
		}
		to.table(2, rows...)
		to.hang(plain, 7, "price  "+price.String())
		to.line(muted, "Each is read again first; what is in order by then is left alone.")
		if m.large >= largeMend {
			to.hang(warn, 0, fmt.Sprintf("%s of these are of constraints of which very much is broken: type their number, %d.", phrase.Group(fmt.Sprint(m.large)), m.large))
		}
		m.warn(to)
	}, "Mend them")
}

// unsure are the tables whose names have to be typed since the findings do not tell
// them from others of that name.
func (m *mending) unsure() []*change.Plan {
	var tables []*change.Plan
	for _, name := range m.nameless {
		tables = append(tables, &change.Plan{Value: name, Typed: name})
	}
	return tables
}

// warn says why the names of tables have to be typed.
func (m *mending) warn(to *paper) {
	if len(m.nameless) > 0 {
		to.hang(warn, 0, fmt.Sprintf("The findings do not say, by their table_id, that they are of this table %s, and not of another that had its name.", strings.Join(m.nameless, ", ")))
	}
}

// some mends findings of one table.
func (m *mending) some(ctx context.Context, r ready, findings []check.Finding) (err error) {
	table := m.tables[findings[0].Table]
	bar := m.progress()
	defer bar.clear()
	var mends []change.Mend
	for some := range slices.Chunk(findings, verified) {
		bar.tell("verify", fmt.Sprintf("verifying %s, %s done · ctrl+c cancels", phrase.Count(len(findings), "finding"), phrase.Group(fmt.Sprint(len(mends)))))
		planned, err := m.plan(ctx, r, table, some)
		if err != nil {
			return err
		}
		mends = append(mends, planned...)
	}
	var plans []*change.Plan
	var of []check.Finding
	for _, mend := range mends {
		if mend.Plan == nil {
			bar.clear()
			if err := m.left(mend); err != nil {
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
			if err := m.tell(of[n], plannedMend(p)); err != nil {
				return err
			}
		}
		m.price = m.price.Plus(change.PriceOf(plans))
		return nil
	}
	bar.clear()
	if err := m.agreedTo(ctx, r, plans); err != nil {
		return err
	}
	receipts := r.changer.ApplyAll(ctx, plans, bar.show)
	bar.clear()
	for n, receipt := range receipts {
		if e := m.done(of[n], receipt); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// plan plans findings: a file of one is a change like any other.
func (m *mending) plan(ctx context.Context, r ready, t *dynamo.Table, findings []check.Finding) ([]change.Mend, error) {
	if m.sum.Findings > 1 {
		return r.changer.PlanMends(ctx, t, findings...)
	}
	p, err := r.changer.PlanMend(ctx, t, findings[0])
	if refused, ok := errors.AsType[*change.Refusal](err); ok {
		return []change.Mend{{Finding: findings[0], Refused: refused.Reasons}}, nil
	}
	return []change.Mend{{Finding: findings[0], Plan: p}}, err
}

// agreedTo asks about the plan of a file of one finding. Those of others were agreed
// to before, and must not write another table whose guard wants its name.
func (m *mending) agreedTo(ctx context.Context, r ready, plans []*change.Plan) error {
	if m.sum.Findings == 1 && len(plans) == 1 {
		return m.allowed(ctx, append(m.unsure(), plans...), func(to *paper) {
			writePlan(to, plans[0])
			m.warn(to)
		}, plans[0].Button)
	}
	for _, p := range plans {
		for _, table := range p.Steps.Written() {
			if r.conn.GuardOf(table) == client.GuardType && !slices.Contains(m.written, table) {
				return usage(m.op, "the findings do not say that "+table+" is written, whose guard wants its name", "run the check again, and mend what that finds; nothing was written")
			}
		}
	}
	return nil
}

// left reports a finding that is not mended.
func (m *mending) left(mend change.Mend) error {
	answer := mended{outcome: outcome{Outcome: change.Refused, Reasons: mend.Refused}}
	if mend.InOrder() {
		m.sum.InOrder++
		answer.Outcome = inOrder
	} else {
		m.sum.Refused++
	}
	return m.tell(mend.Finding, answer)
}

// done reports what became of a change. It answers an error where nothing more
// can be done.
func (m *mending) done(f check.Finding, r change.Receipt) error {
	m.sum.WriteUnits += r.WriteUnits
	switch {
	case r.Outcome == change.Applied:
		m.sum.Mended++
	case r.Outcome == change.Unknown:
		m.sum.Unknown++
	case r.Err == nil:
		m.sum.Refused++
	default:
		m.sum.NotDone++
	}
	if err := m.tell(f, mended{outcome: outcomeOf(r)}); err != nil {
		return err
	}
	if client.KindOf(r.Err) == client.Conflict {
		m.busy = r.Err
		return nil
	}
	return r.Err
}

// rate refuses what is no number of units a second.
func rate(flag string, units float64) error {
	if units >= 0 {
		return nil
	}
	return usage("reading the command line", fmt.Sprintf("%s %v is no number of units a second", flag, units), "name one from 0 on")
}
