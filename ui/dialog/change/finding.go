package change

import (
	"context"
	"math/big"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/message"
	"tallylock/ui/session"
)

// AskFindings asks for what mends findings, each of which is read again for that; once for
// all of them.
func AskFindings(s *session.Session, m message.MendFindings) tea.Cmd {
	o := optionOf(s, m)
	if len(m.Findings) > 1 {
		o = optionOfAll(s, m)
	}
	return newAsk(s, s.Connection(), findingsID(m.Findings), o).plan()
}

// findingsID names findings among all of a connection.
func findingsID(all []check.Finding) string {
	var out strings.Builder
	for _, f := range all {
		out.WriteString(f.Same() + "\x01")
	}
	return out.String()
}

// planner plans what mends findings: on a connection that makes no changes, too.
func planner(s *session.Session) *change.Changer {
	if c := s.Connection().Changer; c != nil {
		return c
	}
	return &change.Changer{}
}

// optionOf mends one finding.
func optionOf(s *session.Session, m message.MendFindings) option {
	c, f := planner(s), m.Findings[0]
	o := option{title: "Mend", plan: func(ctx context.Context, _ string) (*change.Plan, error) { return c.PlanMend(ctx, m.Table, f) }}
	switch f.Kind {
	case check.CounterNotNumber:
		o = convert(func(ctx context.Context, to *big.Int) (*change.Plan, error) { return c.PlanMendTo(ctx, m.Table, f, to) })
	case check.MalformedLock: // which is released, and never mended
		o = option{title: "Release a lock", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanReleaseAt(ctx, m.Table, f.Constraint, f.Lock)
		}}
	}
	o.after = func(receipts []change.Receipt, _ error) { m.After(0, receipts[0]) }
	return o
}

// optionOfAll mends several.
func optionOfAll(s *session.Session, m message.MendFindings) option {
	c := planner(s)
	var numbers map[*change.Plan]int // of the findings, by what was planned about them
	return option{
		title: "Mend " + phrase.Count(len(m.Findings), "finding"),
		of:    wording{"finding", "Mend", "mended", "Mends %s. Each was read again just now, and is mended only if it still is so."},
		batch: func(ctx context.Context) (*change.Batch, error) {
			mends, err := c.PlanMends(ctx, m.Table, m.Findings...)
			if err != nil {
				return nil, err
			}
			var batch *change.Batch
			batch, numbers = batchOf(mends)
			return batch, nil
		},
		after: func(receipts []change.Receipt, _ error) {
			for _, r := range receipts {
				m.After(numbers[r.Plan], r)
			}
		},
	}
}

// batchOf makes a batch of what can be done about findings, and numbers its plans as the
// findings are.
func batchOf(mends []change.Mend) (*change.Batch, map[*change.Plan]int) {
	b, numbers := &change.Batch{}, map[*change.Plan]int{}
	for n, m := range mends {
		p := m.Plan
		if p != nil {
			b.Plans = append(b.Plans, p)
		} else {
			f := m.Finding
			p = &change.Plan{Table: f.Table, Constraint: f.Constraint, Value: f.Value, Counter: f.Counter}
			if f.Counter == "" && f.Constraint == "" {
				p.Constraint, p.Value = "id", f.ID
			}
			b.Refused = append(b.Refused, change.Receipt{Plan: p, Outcome: change.Refused, Reasons: m.Refused})
		}
		numbers[p] = n
	}
	b.Weigh()
	return b, numbers
}
