package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// largeMend is how many findings of constraints that are mostly broken ask for their
// number.
const largeMend = 20

// confirmBatches asks once for all findings, where there are several. Tables whose guard
// wants changes typed want their name, and so do those that findings do not tell from
// others of that name.
func (m *mending) confirmBatches(ctx context.Context, r ready, batches [][]check.Finding) error {
	if m.dryRun || m.sum.Findings < 2 {
		return nil
	}
	all, count := 0, map[check.Kind]int{}
	var price change.MendPrice
	for _, batch := range batches {
		all += len(batch)
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
	return m.confirmPlans(ctx, tables, func(to *printer) {
		to.line(kit.Strong, "Mend %s", phrase.Count(all, "finding"))
		var rows [][]cell
		for _, k := range check.Kinds() {
			if n := count[k]; n > 0 {
				rows = append(rows, []cell{{text: phrase.Number(n)}, {text: string(k)}})
			}
		}
		to.table(2, []column{{right: true}, {}}, rows)
		to.hang(kit.Text, 7, "price  "+price.String())
		to.line(kit.Muted, "Each is read again first; what is in order by then is left alone.")
		if m.large >= largeMend {
			to.hang(
				kit.Warn,
				0,
				fmt.Sprintf("%s of these are of constraints of which very much is broken: type their number, %d.",
					phrase.Group(fmt.Sprint(m.large)), m.large),
			)
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

// warn says of what file the plans are, and why the names of tables have to be typed.
func (m *mending) warn(to *printer) {
	if m.from != "" {
		to.hang(kit.Text, 0, "Planned "+m.from+".")
	}
	if len(m.nameless) > 0 {
		to.hang(
			kit.Warn,
			0,
			fmt.Sprintf(
				"The findings do not say, by their table_id, that they are of this table %s, and not of another that had its name.",
				strings.Join(m.nameless, ", "),
			),
		)
	}
}

// confirmMends asks about the plan of a file of one finding. Those of others were agreed
// to before, and must not write another table whose guard wants its name.
func (m *mending) confirmMends(ctx context.Context, r ready, plans []*change.Plan) error {
	if m.sum.Findings == 1 && len(plans) == 1 {
		return m.confirmPlans(ctx, append(m.unsure(), plans...), func(to *printer) {
			writePlan(to, plans[0])
			m.warn(to)
		}, plans[0].Button)
	}
	for _, p := range plans {
		for _, table := range p.Steps.Written() {
			if r.conn.GuardOf(table) == client.GuardType && !slices.Contains(m.written, table) {
				return usage(m.op, "the findings do not say that mending writes "+table+", whose guard asks for its name",
					"run the check again, and mend what that finds; nothing was written")
			}
		}
	}
	return nil
}
