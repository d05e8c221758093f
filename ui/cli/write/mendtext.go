package write

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/cli/exit"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Mended is the JSON of the outcome of a finding. Its names are a contract.
type Mended struct {
	Finding    finding.Kind `json:"finding"`
	Table      string       `json:"table"`
	Constraint string       `json:"constraint,omitempty"`
	Value      *string      `json:"value,omitempty"`
	Lock       attr.Item    `json:"lock,omitempty"`
	Counter    string       `json:"counter,omitempty"`
	ID         string       `json:"id,omitempty"`
	Result
	Plan *plan.Plan `json:"plan,omitempty"` // in a dry run
}

// mendSummary is the JSON of the outcomes of all findings.
type mendSummary struct {
	Findings int `json:"findings"`
	Mended   int `json:"mended"`
	Planned  int `json:"planned,omitempty"` // in a dry run
	InOrder  int `json:"in_order"`
	Refused  int `json:"refused"`
	Skipped  int `json:"skipped"` // waiting for an answer
	Unknown  int `json:"unknown"`
	NotDone  int `json:"not_done"`
	// ReadUnits and WriteUnits are the units that the run has used.
	ReadUnits  float64 `json:"read_units"`
	WriteUnits float64 `json:"write_units"`
}

// MendEnd is the last line of jsonl.
type MendEnd struct {
	Summary mendSummary `json:"summary"`
}

// MendedAll is the whole output of json.
type MendedAll struct {
	Findings []Mended `json:"findings"`
	MendEnd
}

func (s mendSummary) String() string {
	parts := []string{fmt.Sprintf("%d of %d mended", s.Mended, s.Findings)}
	if s.Planned > 0 {
		parts = []string{fmt.Sprintf("%d of %d planned; nothing was written", s.Planned, s.Findings)}
	}
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.InOrder, "in order already"},
		{s.Refused, "refused"},
		{s.Skipped, "skipped"},
		{s.Unknown, "not known"},
		{s.NotDone, "not done"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if left := s.Findings - s.Mended - s.Planned - s.InOrder - s.Refused - s.Skipped - s.Unknown - s.NotDone; left > 0 &&
		s.Findings != left {
		parts = append(parts, fmt.Sprintf("%d not looked at", left))
	}
	return strings.Join(parts, ", ")
}

// conclude writes the summary of the run.
func (m *mending) conclude() {
	switch {
	case m.to == toStdout:
		return
	case m.Flags.Output == app.JSONLines:
		m.Print(MendEnd{m.sum})
		return
	case m.Flags.Output == app.JSON:
		m.Print(MendedAll{append([]Mended{}, m.results...), MendEnd{m.sum}})
		return
	}
	p := m.Printer()
	p.Line(kit.Strong, "%s", m.sum)
	for _, line := range m.leftOut {
		p.Indented(kit.Muted, 0, "The new locks lack "+line+".")
	}
	p.Line(kit.Muted, "%s.", m.used())
	if len(m.unsaid) > 0 {
		p.Line(kit.Strong, "Your decision is needed first")
	}
	for _, unsure := range m.unsaid {
		p.Indented(kit.Text, 2, unsureText(unsure))
	}
	if len(m.questions) > 0 {
		p.Line(kit.Strong, "%s to answer first", say.Plural(len(m.questions), "question", "questions"))
		for _, q := range m.questions {
			p.Indented(kit.Text, 2, q.Text+" "+say.Do(q.Offer()))
		}
	}
	if m.sum.Planned > 0 {
		p.Line(kit.Muted, "Mending them takes %s more.", m.price)
	}
}

// used says how many units the run has used, if the endpoint reports them. A change uses at least
// one unit.
func (m *mending) used() string {
	used := "Used " + say.ReadUnits(m.sum.ReadUnits)
	switch {
	case m.unpriced:
		return "Price unknown: the endpoint does not say it"
	case m.sum.WriteUnits > 0:
		used += ", " + say.WriteUnits(m.sum.WriteUnits)
	case m.sum.Mended > 0:
		used += "; the endpoint does not say the write units"
	}
	return used
}

// writeResult writes the outcome of one finding.
func (m *mending) writeResult(f finding.Finding, answer Mended) {
	if m.to == toStdout {
		return
	}
	answer.Finding = f.Kind
	answer.Table = f.Table
	answer.Constraint = f.Constraint
	answer.Value = f.Kept()
	answer.Lock = f.Lock
	answer.Counter = f.Counter
	answer.ID = f.ID
	switch m.Flags.Output {
	case app.JSONLines:
		m.Print(answer)
		return
	case app.JSON:
		m.results = append(m.results, answer)
		return
	}
	p := m.Printer()
	p.Sign(say.MendedLine(answer.Outcome), len("? not known "))
	p.Put(kit.Text, string(f.Kind)+" ")
	p.Put(kit.Strong, f.Subject())
	p.End()
	if answer.Plan != nil {
		p.Indented(kit.Muted, 12, answer.Plan.Sentence)
		if has := answer.Plan.Line(plan.LabelHas); has != "" {
			p.Indented(kit.Muted, 12, "The lock has "+has+".")
		}
	}
	for _, r := range answer.Reasons {
		text := r.Text
		if r.Asks != nil { // the commands come once, at the end
			text = r.Asks.Text
		}
		p.Indented(kit.Muted, 12, text)
	}
}

// largeMend is the number of findings of mostly broken constraints from which on a person must type
// their number.
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
	tables := m.unsure() // these names must be typed
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
		to.Line(kit.Muted, "Each is read again first; what is in order by then is left alone.")
		if large >= largeMend {
			to.Hang(
				kit.Warn,
				0,
				fmt.Sprintf("%s of these are of constraints of which very much is broken: type their number, %d.",
					phrase.Group(fmt.Sprint(large)), large),
			)
		}
		m.warn(to)
	}, "Mend them")
}

// unsure returns the tables whose names a person must type, since the findings have no TableID.
func (m *mending) unsure() []*plan.Plan {
	var tables []*plan.Plan
	for _, name := range m.nameless {
		tables = append(tables, &plan.Plan{Value: name, Typed: name})
	}
	return tables
}

// warn prints the origin of a plan file, and why a person must type the names of tables.
func (m *mending) warn(to *print.Printer) {
	if m.from != "" {
		to.Hang(kit.Text, 0, "Planned "+m.from+".")
	}
	if len(m.nameless) > 0 {
		to.Hang(
			kit.Warn,
			0,
			fmt.Sprintf(
				"The findings do not say, by their table_id, that they are of this table %s, and not of another that had its name.",
				strings.Join(m.nameless, ", "),
			),
		)
	}
}

// confirmMends asks about the plan of a single finding. For several findings, the person has agreed
// already, so it only refuses to write further tables whose guard demands typing.
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
				return exit.Usage(m.op, "the findings do not say that mending writes "+table+", whose guard asks for its name",
					"run the check again, and mend what that finds; nothing was written")
			}
		}
	}
	return nil
}
