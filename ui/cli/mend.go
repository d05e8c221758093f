package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
)

// mending is one run of mend.
type mending struct {
	*writing
	file string
	rate float64
	sum  mendSummary
	told []mended // of the format that comes in one piece
	// table is the open one; the findings of a file are of one table or more, one
	// after the other.
	table *dynamo.Table
	// tables are those that the findings have written, agreed to.
	tables []string
}

// together is how many findings are planned before the first is mended. Releases
// among them share one look at every account.
const together = 1000

// mend mends what a check found.
func (s *session) mend() *cobra.Command {
	m := &mending{writing: &writing{session: s, op: "mending", pointReads: true}}
	cmd := &cobra.Command{
		Use:   "mend FINDINGS.jsonl",
		Short: "Mend what a check found, each finding verified again first",
		Long: `Mend what "tallylock check --output jsonl" found; - reads it from standard input.
A finding only says where to look: each is read again first, lock keys are made
anew, and what is in order by then is left alone. So a run that was stopped can
be started again, and does nothing twice. Duplicates, malformed locks and what
has to be typed are never mended in bulk; counters are only raised.`,
		Example: "  tallylock check --output jsonl > findings.jsonl\n  tallylock mend findings.jsonl --dry-run\n  tallylock mend findings.jsonl --write --reason 'ticket 48151'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m.file = args[0]
			return m.run(cmd.Context())
		},
	}
	m.take(cmd)
	cmd.Flags().Float64Var(&m.rate, "max-write-units", 100, "use at most `N` write units a second; 0: as fast as they come")
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
	r.changer.MaxWriteUnits = m.rate
	if err := m.agreed(ctx, r, findings); err != nil {
		return err
	}
	err = m.all(ctx, r, findings)
	err = errors.Join(err, m.conclude())
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
		if same := f.Same(); !seen[same] {
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

// agreed asks once for all findings, where there are several. Tables whose guard wants changes typed want
// their name.
func (m *mending) agreed(ctx context.Context, r ready, findings []check.Finding) error {
	if m.dryRun || len(findings) < 2 {
		return nil
	}
	count := map[check.Kind]int{}
	for _, f := range findings {
		count[f.Kind]++
		// A lock is mended where it is; its account is only looked at.
		if name := cmp.Or(f.LockTable, f.Table); !slices.Contains(m.tables, name) {
			m.tables = append(m.tables, name)
		}
	}
	var tables []*change.Plan // one for each, to be agreed to as a change is
	for _, name := range m.tables {
		table := &change.Plan{Value: name}
		switch r.conn.GuardOf(name) {
		case dynamo.GuardType:
			table.Typed = name
		case dynamo.GuardDeny:
			return &dynamo.Error{Kind: dynamo.ReadOnly, Op: "changing " + name, Why: `the config keeps it from all changes (guard = "deny")`, Do: "nothing was sent"}
		}
		tables = append(tables, table)
	}
	return m.allowed(ctx, tables, func(to *paper) {
		to.line(strong, "Mend %s", many(int64(len(findings)), "finding"))
		var rows [][]cell
		for _, k := range check.Kinds() {
			if n := count[k]; n > 0 {
				rows = append(rows, []cell{{text: dynamo.Group(fmt.Sprint(n)), right: true}, {text: string(k)}})
			}
		}
		to.table(2, rows...)
		to.line(muted, "Each is read again first; what is in order by then is left alone.")
	}, "Mend them")
}

// all mends the findings, a batch after the other.
func (m *mending) all(ctx context.Context, r ready, findings []check.Finding) error {
	for len(findings) > 0 {
		n := 1
		for n < min(len(findings), together) && findings[n].Table == findings[0].Table {
			n++
		}
		if err := m.some(ctx, r, findings[:n]); err != nil {
			return err
		}
		findings = findings[n:]
	}
	return nil
}

// some mends findings of one table.
func (m *mending) some(ctx context.Context, r ready, findings []check.Finding) (err error) {
	if m.table == nil || m.table.Name != findings[0].Table {
		if m.table, err = r.conn.Open(ctx, findings[0].Table); err != nil {
			return err
		}
	}
	bar := m.progress()
	defer bar.clear()
	bar.tell("verify", fmt.Sprintf("verifying %s", many(int64(len(findings)), "finding")))
	mends, err := m.plan(ctx, findings)
	if err != nil {
		return err
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
func (m *mending) plan(ctx context.Context, findings []check.Finding) ([]change.Mend, error) {
	if m.sum.Findings > 1 {
		return change.PlanMends(ctx, m.table, findings...)
	}
	p, err := change.PlanMend(ctx, m.table, findings[0])
	if refused, ok := errors.AsType[*change.Refusal](err); ok {
		return []change.Mend{{Finding: findings[0], Refused: refused.Reasons}}, nil
	}
	return []change.Mend{{Finding: findings[0], Plan: p}}, err
}

// agreedTo asks about the plan of a file of one finding. Those of others were agreed
// to before, and must not write another table whose guard wants its name.
func (m *mending) agreedTo(ctx context.Context, r ready, plans []*change.Plan) error {
	if m.sum.Findings == 1 && len(plans) == 1 {
		return m.allowed(ctx, plans, func(to *paper) { writePlan(to, plans[0]) }, plans[0].Button)
	}
	for _, p := range plans {
		for _, table := range p.Written() {
			if r.conn.GuardOf(table) == dynamo.GuardType && !slices.Contains(m.tables, table) {
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
	return r.Err
}

// rate refuses what is no number of units a second.
func rate(flag string, units float64) error {
	if units >= 0 {
		return nil
	}
	return usage("reading the command line", fmt.Sprintf("%s %v is no number of units a second", flag, units), "name one from 0 on")
}
