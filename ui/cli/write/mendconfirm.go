package write

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
)

// If SuspectLayout is set for largeMend findings or more, a person must type the number of these findings.
const largeMend = 20

// confirmBatches asks once before all repairs, if there are several findings. A person must type
// the name of a table if its guard demands it, or if the findings have no TableID.
func (m *mending) confirmBatches(ctx context.Context, batches [][]finding.Finding) error {
	if m.dryRun || m.sum.Findings < 2 {
		return nil
	}
	all, large, count := 0, 0, map[finding.Kind]int{}
	var price mend.Price
	for _, batch := range batches {
		all += len(batch)
		price = price.Plus(mend.PriceOf(m.tables[batch[0].Table], batch...))
		for _, f := range batch {
			count[f.Kind]++
			if f.SuspectLayout {
				large++
			}
			// The repair writes the lock's table, and only reads the account.
			if name := cmp.Or(f.LockTable, f.Table); !slices.Contains(m.written, name) {
				m.written = append(m.written, name)
			}
		}
	}
	tables := m.unsure() // a person must type these names
	if large >= largeMend {
		number := fmt.Sprint(large)
		tables = append(tables, &plan.Plan{Value: number, Typed: number})
	}
	for _, name := range m.written {
		table := &plan.Plan{Value: name}
		switch m.conn.GuardOf(name) {
		case client.GuardType:
			table.Typed = name
		case client.GuardDeny:
			return m.conn.Denied(name)
		}
		if !slices.Contains(m.nameless, name) {
			tables = append(tables, table)
		}
	}
	return m.confirmPlans(ctx, tables, func(to *print.Printer) {
		to.Line(kit.Strong, "Mend %s", phrase.Count(all, "finding"))
		var rows [][]kit.Span
		for _, k := range finding.Kinds() {
			if n := count[k]; n > 0 {
				rows = append(rows, []kit.Span{{Text: phrase.Number(n)}, {Text: string(k)}})
			}
		}
		to.Table(2, []print.Column{{Right: true}, {}}, rows)
		to.Hang(kit.Text, 7, "price  "+price.String())
		to.Line(kit.Muted, "tallylock reads the items of each finding again. It skips items that are already in order.")
		if large >= largeMend {
			to.Hang(
				kit.Warn,
				0,
				fmt.Sprintf("%s of these findings belong to constraints with very many broken values. Type the number %d.",
					phrase.Number(large), large),
			)
		}
		m.warn(to)
	}, "Mend these findings")
}

// unsure returns the tables whose names a person must type, since the findings have no TableID.
func (m *mending) unsure() []*plan.Plan {
	var tables []*plan.Plan
	for _, name := range m.nameless {
		tables = append(tables, &plan.Plan{Value: name, Typed: name})
	}
	return tables
}

// warn prints the origin of a plan file, and the reason why a person must type the names of tables.
func (m *mending) warn(to *print.Printer) {
	if m.from != "" {
		to.Hang(kit.Text, 0, "Planned "+m.from+".")
	}
	if len(m.nameless) > 0 {
		to.Hang(
			kit.Warn,
			0,
			fmt.Sprintf(
				"The findings have no table_id. They may belong to a different table that was also called %s.",
				strings.Join(m.nameless, ", "),
			),
		)
	}
}

// confirmMends asks about the plan of a single finding. For several findings, the person has already agreed. Then
// confirmMends only refuses repairs that would write another table whose guard demands its name.
func (m *mending) confirmMends(ctx context.Context, plans []*plan.Plan) error {
	if m.sum.Findings == 1 && len(plans) == 1 {
		return m.confirmPlans(ctx, append(m.unsure(), plans...), func(to *print.Printer) {
			writePlan(to, plans[0])
			m.warn(to)
		}, plans[0].Button)
	}
	for _, p := range plans {
		for _, table := range p.Steps.Written() {
			if m.conn.GuardOf(table) == client.GuardType && !slices.Contains(m.written, table) {
				return exit.Usage(m.op,
					"the repair also writes the guarded table "+table+", but the findings do not name this table, so nobody has confirmed it",
					"run the check again, and mend its findings; nothing was written")
			}
		}
	}
	return nil
}
